//! Starts of actions that are stored together: those between which nothing is looked at.
//!
//! A transaction waits for the disk, so one for each start would be most of the work of a tick that starts many. Before
//! a start that needs a file, or an answer about a user, what is not stored yet is stored: a path that gives no answer
//! holds up only what comes after it. Must not look at anything itself.

use std::collections::HashSet;

use crate::rerun::workflow_rerun::{self, PreparedRerun};
use crate::submit::known_workflows::KnownWorkflows;
use crate::submit::workflow::{self, Parent, PreparedWorkflow};
use crate::tick::context::Tick;
use crate::tick::turn::is_its_turn;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{move_action_through, settle_job};
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::CoordinatorAction;

/// The most starts of one transaction: while it is open, no other process can write.
const MOST: usize = 50;

/// An action that is about to start.
pub(super) struct Launch {
    pub(super) action: CoordinatorAction,
    pub(super) workflow: Started,
}

/// The workflow job of an action that starts.
pub(super) enum Started {
    New(PreparedWorkflow),
    /// Its earlier workflow job runs again (`rerun --failed`).
    Again(PreparedRerun),
}

/// The starts of a step that are not stored yet, and what the step has looked at so far.
#[derive(Default)]
pub(super) struct Launches {
    open: Vec<Launch>,
    have_started: bool,
    pub(super) workflows: KnownWorkflows,
    /// The users for whom this process may work.
    pub(super) users: HashSet<String>,
}

impl Launches {
    /// Adds a start.
    ///
    /// # Errors
    /// As [`Self::store`].
    pub(super) fn add(&mut self, tick: &mut Tick<'_>, launch: Launch) -> Result<()> {
        self.open.push(launch);
        if self.open.len() < MOST { Ok(()) } else { self.store(tick) }
    }

    /// Stores all starts that are not stored yet.
    ///
    /// # Errors
    /// A failure of the database. A start that cannot be stored undoes none before it.
    pub(super) fn store(&mut self, tick: &mut Tick<'_>) -> Result<()> {
        let launches = std::mem::take(&mut self.open);
        if launches.is_empty() {
            return Ok(());
        }
        let started: Result<Vec<bool>> = match store_together(tick, &launches) {
            // What may pass concerns all of them.
            Err(error) if launches.len() > 1 && !error.may_pass() => {
                launches.chunks(1).map(|one| store_together(tick, one)).collect()
            }
            together => together.map(|started| vec![started]),
        };
        self.have_started |= started?.contains(&true);
        Ok(())
    }

    /// Returns whether any of them has been stored.
    pub(super) const fn have_started(&self) -> bool {
        self.have_started
    }
}

/// Stores all of these starts or none; returns whether any still had its turn.
fn store_together(tick: &mut Tick<'_>, launches: &[Launch]) -> Result<bool> {
    let cause = Cause::new(tick.now, Origin::Start);
    fault_point("before-start-commit");
    let started = tick.engine.store.transact(|transaction| {
        launches.iter().try_fold(0, |sum, launch| Ok(sum + u64::from(store_one(transaction, launch, cause)?)))
    })?;
    fault_point("after-start-commit");
    tick.report.started += started;
    Ok(started > 0)
}

fn store_one(transaction: &Transaction<'_>, launch: &Launch, cause: Cause<'_>) -> Result<bool> {
    if !is_its_turn(transaction, &launch.action)? {
        return Ok(false);
    }
    let mut action = launch.action.clone();
    let workflow = match &launch.workflow {
        Started::New(workflow) => workflow::insert(transaction, workflow, Parent::Action(action.key()), cause)?,
        Started::Again(prepared) => workflow_rerun::apply(transaction, prepared, cause)?,
    };
    action.external_id = Some(workflow.id.to_string());
    fault_point("inside-start-commit");
    // Its turn was checked in this transaction.
    let moves = [(ActionEvent::SlotFree, cause), (ActionEvent::WorkflowStarted, cause)];
    move_action_through(transaction, &mut action, &moves)?;
    settle_job(transaction, action.job, cause)?;
    Ok(true)
}

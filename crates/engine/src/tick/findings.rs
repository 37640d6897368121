//! What a check of inputs has found, and its storing: for several jobs in one transaction, as long as nothing is looked
//! at between them.
//!
//! A transaction waits for the disk, so one for each job would be most of the work of a tick in which many inputs have
//! come. A path that gives no answer holds up only what comes after it. Must not look at anything itself.

use crate::inputs::decision::Decided;
use crate::tick::context::Tick;
use crate::tick::report::Report;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{move_action, settle_job};
use crate::transition::reason;
use crate::waiting::Waits as _;
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_oozie::coordinator::readiness::checks_inputs;
use howdah_store::{FirstMissing, Transaction};
use howdah_words::error::{Error, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::missing_input::MissingInput;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorJob, CoordinatorKey};

/// The name of the step in events.
const ORIGIN: Origin = Origin::CheckInputs;

/// How many findings are enough for a transaction: while it is open, no other process can write. Those of one job are
/// stored together, however many they are.
const ENOUGH: usize = 200;

/// The result of examining an action.
pub(super) enum Finding {
    Missing {
        input: MissingInput,
        place: u32,
    },
    /// The input that it waited for and its place, if known.
    TimedOut {
        missing: Option<(MissingInput, u32)>,
    },
    Move {
        event: ActionEvent,
        reason: Option<String>,
        decided: Option<Decided>,
        error: Option<Error>,
    },
    /// The machine cannot read whether an input is present: the action stays unchanged.
    Unknown(Error),
}

/// The findings about some actions of one job.
struct OfJob {
    job: CoordinatorKey,
    id: JobId,
    findings: Vec<(ActionKey, Finding)>,
}

/// The findings that are not stored yet.
#[derive(Default)]
pub(super) struct Findings {
    open: Vec<OfJob>,
    have_moved: bool,
}

impl Findings {
    /// Adds those about some actions of one job.
    ///
    /// # Errors
    /// As [`Self::store`].
    pub(super) fn add(
        &mut self,
        tick: &mut Tick<'_>,
        job: &CoordinatorJob,
        findings: Vec<(ActionKey, Finding)>,
    ) -> Result<()> {
        if !findings.is_empty() {
            self.open.push(OfJob { job: job.job, id: job.id.clone(), findings });
        }
        let count: usize = self.open.iter().map(|of_job| of_job.findings.len()).sum();
        if count < ENOUGH { Ok(()) } else { self.store(tick) }
    }

    /// Returns whether all are stored.
    pub(super) const fn are_stored(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns whether an action left WAITING.
    pub(super) const fn have_moved(&self) -> bool {
        self.have_moved
    }

    /// Stores all that are not stored yet.
    ///
    /// # Errors
    /// A failure of the database. A job whose findings cannot be stored undoes none before it.
    pub(super) fn store(&mut self, tick: &mut Tick<'_>) -> Result<()> {
        let open = std::mem::take(&mut self.open);
        if open.is_empty() {
            return Ok(());
        }
        match store_together(tick, &open) {
            // What may pass concerns all of them.
            Err(error) if open.len() > 1 && !error.may_pass() => {
                for one in open {
                    let one = [one];
                    let stored = store_together(tick, &one)?;
                    self.count(&mut tick.report, one, &stored);
                }
            }
            stored => self.count(&mut tick.report, open, &stored?),
        }
        Ok(())
    }

    /// Counts what was stored; `stored` says of each job whether an action moved, or that nothing was stored.
    fn count(&mut self, report: &mut Report, of_jobs: impl IntoIterator<Item = OfJob>, stored: &[Option<bool>]) {
        for (of_job, moved) in of_jobs.into_iter().zip(stored) {
            let Some(moved) = moved else { continue };
            self.have_moved |= moved;
            for (key, finding) in of_job.findings {
                count(report, &of_job.id, key, finding);
            }
        }
    }
}

fn count(report: &mut Report, job: &JobId, key: ActionKey, finding: Finding) {
    match finding {
        Finding::TimedOut { .. } => report.timed_out += 1,
        Finding::Move { event: ActionEvent::Skipped, .. } => report.skipped += 1,
        Finding::Move { error: Some(error), .. } => report.fault(format!("{job}@{}", key.number), error),
        Finding::Move { .. } | Finding::Missing { .. } | Finding::Unknown(_) => {}
    }
}

/// Stores the findings about all of these jobs or none. Returns for each job whether an action left WAITING; `None`
/// where the job has been stopped meanwhile.
fn store_together(tick: &mut Tick<'_>, of_jobs: &[OfJob]) -> Result<Vec<Option<bool>>> {
    let cause = Cause::new(tick.now, ORIGIN);
    fault_point("before-inputs-commit");
    let store = |transaction: &Transaction<'_>| {
        of_jobs.iter().map(|of_job| store_job(transaction, of_job, cause)).collect::<Result<_>>()
    };
    let stored = tick.engine.store.transact(store)?;
    fault_point("after-inputs-commit");
    Ok(stored)
}

fn store_job(transaction: &Transaction<'_>, of_job: &OfJob, cause: Cause<'_>) -> Result<Option<bool>> {
    // A suspension after the job was read stops everything, also the timeouts of its actions.
    if !transaction.coordinator_status(of_job.job)?.is_some_and(checks_inputs) {
        return Ok(None);
    }
    let mut moved = false;
    for (key, finding) in &of_job.findings {
        moved |= store(transaction, *key, finding, cause)?;
    }
    if moved {
        settle_job(transaction, of_job.job, cause)?;
    }
    fault_point("inside-inputs-commit");
    Ok(Some(moved))
}

/// Stores one finding; returns whether the action left WAITING.
fn store(transaction: &Transaction<'_>, key: ActionKey, finding: &Finding, cause: Cause<'_>) -> Result<bool> {
    match finding {
        Finding::Missing { input, place } => {
            let missing = FirstMissing { input: input.as_deref(), place: *place };
            transaction.set_missing(key, Some(missing), cause.at)?;
            Ok(false)
        }
        Finding::Unknown(_) => Ok(false),
        Finding::TimedOut { missing } => {
            let Some(mut action) = transaction.coordinator_action(key)? else { return Ok(false) };
            let mut waited_for = "its inputs";
            if let Some((input, place)) = missing {
                waited_for = input.as_str();
                action.first_missing = Some(input.clone());
                action.missing_from = Some(*place);
            }
            let reason = reason::timed_out(action.wait(), waited_for, cause.at);
            move_action(transaction, &mut action, ActionEvent::TimedOut, cause.because(&reason))
        }
        Finding::Move { event, reason, decided, error } => {
            let Some(mut action) = transaction.coordinator_action(key)? else { return Ok(false) };
            if let Some(decided) = decided {
                decided.put(transaction, &mut action)?;
                action.first_missing = None;
                action.missing_from = None;
            }
            if let Some(error) = error {
                action.error_code = Some(error.code().to_string());
                action.error_message = Some(error.message().to_owned());
            }
            let cause = cause.or_because(reason.as_deref());
            move_action(transaction, &mut action, *event, cause)
        }
    }
}

//! The way back: a job that was taken over stops here, and continues in Oozie at the same nominal time.
//!
//! Oozie has the job as it was stopped. With the concurrency 0 it creates the actions up to the nominal time at which
//! howdah stopped, with the same numbers, and starts none of them. Those that ran here are killed there, and only then
//! the job gets its own end and concurrency back.

use std::collections::BTreeSet;

use super::command::OozieCommand;
use super::follow::left_to_oozie;
use crate::oozie_export::ranges;
use howdah_engine::Engine;
use howdah_engine::apply::change;
use howdah_engine::apply::coordinator::{CommandContext, apply};
use howdah_engine::apply::invocation::Invocation;
use howdah_engine::lookup::coordinator;
use howdah_engine::transition::coordinator::{delete_action, settle_job};
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{CoordinatorJob, Takeover};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// A job that is given back, or was.
#[derive(Clone, Debug)]
pub struct Back {
    pub job: JobId,
    pub name: String,
    pub oozie_id: String,
    /// Whether it was given back before.
    pub is_repeated: bool,
    /// The nominal time from which Oozie creates the actions again; `None` when all are created.
    pub from: Option<Timestamp>,
    /// The numbers of the actions that continue in Oozie: they had not started here, or run there.
    pub returned: String,
    /// The numbers of the actions that ran here, or still run: they must not run in Oozie.
    pub ran: String,
    /// The number of the last action that Oozie must have created before the actions are killed there.
    pub last_number: u32,
    pub commands: Vec<OozieCommand>,
}

/// Stops a job here and returns what is to be done in Oozie. A job that was given back returns the same again.
///
/// # Errors
/// E0604 when there is no such job, H0233 when it was not taken over, H0255 for a coordinator whose bundle was taken
/// over, or a failure of the database.
pub fn back(engine: &mut Engine, id: &JobId, when: (Effect, Timestamp)) -> Result<Back> {
    in_one_step(engine, when, |transaction, context| {
        let job = coordinator(transaction, id)?;
        let takeover = transaction.takeover_of_job(job.job)?;
        let takeover = takeover.ok_or_else(|| Error::with(ErrorCode::H0233, &[&job.id]))?;
        let bundle = job.parent_bundle.map(|bundle| transaction.takeover_of_bundle(bundle)).transpose()?.flatten();
        if let Some(bundle) = bundle.filter(|_| takeover.back_at.is_none()) {
            let error = Error::with(ErrorCode::H0255, &[&job.id, &format!("its bundle [{}] is here", bundle.oozie_id)]);
            return Err(error.help(format!("give the whole bundle back: howdah takeover --back {}", bundle.oozie_id)));
        }
        give_back(transaction, (&job, takeover), context)
    })
}

/// Does all of a return in one transaction.
pub(super) fn in_one_step<T>(
    engine: &mut Engine,
    when: (Effect, Timestamp),
    work: impl FnOnce(&Transaction<'_>, CommandContext<'_>) -> Result<T>,
) -> Result<T> {
    let given = Invocation::new(Origin::Takeover, when)?;
    let Engine { store, settings, .. } = engine;
    let context = CommandContext { cause: given.cause(), settings };
    fault_point("before-takeover-step");
    let back = store.transact_for(given.effect, |transaction| {
        let back = work(transaction, context)?;
        fault_point("inside-takeover-commit");
        Ok(back)
    })?;
    fault_point("after-takeover-step");
    Ok(back)
}

/// Stops one coordinator, unless it was given back before.
///
/// # Errors
/// What a change of its end refuses, or a failure of the database.
pub(super) fn give_back(
    transaction: &Transaction<'_>,
    (job, takeover): (&CoordinatorJob, Takeover),
    context: CommandContext<'_>,
) -> Result<Back> {
    let is_repeated = takeover.back_at.is_some();
    let (takeover, returned) = match takeover.back_at {
        None => stop(transaction, (job, takeover), context)?,
        Some(_) => (takeover, Vec::new()),
    };
    let job = coordinator(transaction, &job.id)?;
    let commands = commands(transaction, &job, &takeover)?;
    let ran = ran_here(transaction, &takeover)?.into_iter().collect::<Vec<_>>();
    Ok(Back {
        is_repeated,
        from: (job.end_at < takeover.end_at).then_some(job.end_at),
        returned: ranges(&returned),
        ran: ranges(&ran),
        last_number: job.last_action_number,
        commands,
        name: job.name,
        job: job.id,
        oozie_id: takeover.oozie_id,
    })
}

/// Lets a job create no more actions and forget those that have not started here; returns their numbers.
fn stop(
    transaction: &Transaction<'_>,
    (job, takeover): (&CoordinatorJob, Takeover),
    context: CommandContext<'_>,
) -> Result<(Takeover, Vec<u32>)> {
    let next = job.next_materialized_at.unwrap_or(job.start_at);
    if !job.status.is_terminal() && !job.done_materialization && next < job.end_at {
        let values = NewValues { end: Some(next), ..NewValues::default() };
        let outcome = apply(transaction, job, change::decide(transaction, job, &values), context)?;
        if let Some(refused) = outcome.refused {
            return Err(refused);
        }
    }
    let left = left_to_oozie(&takeover);
    let mut returned = Vec::new();
    for action in transaction.action_page(job.job, &ActionFilter::default(), ActionOrder::OldestFirst, ALL)?.actions {
        let is_open = !action.status.is_terminal();
        let waits = matches!(action.status, ActionStatus::Waiting | ActionStatus::Ready) && !action.has_run();
        if is_open && (waits || left.contains(&action.number)) && delete_action(transaction, &action, context.cause)? {
            returned.push(action.number);
        }
    }
    let back =
        Takeover { back_at: Some(context.cause.at), end_at: job.end_at, concurrency: job.concurrency, ..takeover };
    transaction.update_takeover(&back)?;
    settle_job(transaction, job.job, context.cause)?;
    Ok((back, returned))
}

const ALL: Page = Page { offset: 0, len: u32::MAX };

/// Returns the numbers of the actions of a job that ran here, or whose fate was decided here.
pub(super) fn ran_here(snapshot: &Snapshot, takeover: &Takeover) -> Result<BTreeSet<u32>> {
    let Some(key) = takeover.job else { return Ok(BTreeSet::new()) };
    let left = left_to_oozie(takeover);
    let actions = snapshot.action_page(key, &ActionFilter::default(), ActionOrder::OldestFirst, ALL)?.actions;
    Ok(actions.into_iter().map(|action| action.number).filter(|number| !left.contains(number)).collect())
}

/// Returns what lets Oozie continue: it creates the actions that were created here, loses those that ran here, and then
/// gets its own end and concurrency back.
fn commands(transaction: &Transaction<'_>, job: &CoordinatorJob, takeover: &Takeover) -> Result<Vec<OozieCommand>> {
    let id = takeover.oozie_id.clone();
    let ran: Vec<u32> = ran_here(transaction, takeover)?.into_iter().collect();
    let mut commands = Vec::new();
    if job.last_action_number > takeover.last_number {
        commands.push(OozieCommand::Change { id: id.clone(), end: Some(job.end_at), concurrency: 0 });
    }
    if !ran.is_empty() {
        commands.push(OozieCommand::KillActions { id: id.clone(), numbers: ranges(&ran) });
    }
    let (end, concurrency) = (Some(takeover.end_at), takeover.concurrency);
    commands.push(OozieCommand::Change { id, end, concurrency });
    Ok(commands)
}

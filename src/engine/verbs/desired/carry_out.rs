//! Carries out a plan: each job in one transaction, in which the state that was planned for is checked again.

use super::state::{Item, Key, Manner, Replacement, Step, Wanted, id, is_creating, twice};
use crate::coordinator::operation::change_value::NewValues;
use crate::engine::Engine;
use crate::engine::apply::control::Verb;
use crate::engine::apply::coordinator::{CommandContext, apply};
use crate::engine::apply::invocation::Invocation;
use crate::engine::apply::{change, control};
use crate::engine::submit::coordinator::{Beginning, PreparedCoordinator, insert_coordinator};
use crate::engine::submit::submission::{self, Begin, Prepared};
use crate::engine::transition::cause::Cause;
use crate::engine::transition::coordinator::is_current;
use crate::engine::verbs;
use crate::engine::verbs::update::{self, UpdateOrder};
use crate::error::{Error, ErrorCode, Result};
use crate::host::fault::fault_point;
use crate::model::effect::Effect;
use crate::model::id::JobId;
use crate::model::origin::Origin;
use crate::model::row::CoordinatorJob;
use crate::model::time::Timestamp;
use crate::store::Transaction;

/// Does what one item of a plan says, and returns the job that there is now, or that was killed; `None` where nothing
/// has to be done. A bundle that was submitted is started by `kick_off::start` or by tick.
///
/// # Errors
/// E1100 when another command changed the job meanwhile, H0171 when another job got its name, and everything that the
/// single verbs refuse.
pub(crate) fn carry_out(
    engine: &mut Engine,
    item: &Item,
    (wanted, manner): (&[Wanted], &Manner),
    now: Timestamp,
) -> Result<Option<JobId>, Vec<Error>> {
    if !item.is_to_do(manner) {
        return Ok(None);
    }
    fault_point("before-apply-step");
    let one = item.wanted.and_then(|index| wanted.get(index));
    let done = match (&item.step, one) {
        (Step::Submit, Some(one)) => submit(engine, (one, &item.key), manner, now).map_err(single),
        (Step::Update(planned, new_end), Some(one)) => take_over(engine, (&planned.job, one), *new_end, now),
        (Step::Replace(replacement), Some(one)) => match &one.prepared {
            Prepared::Coordinator(prepared) => replace(engine, (one, prepared), replacement, now).map_err(single),
            Prepared::Workflow(_) | Prepared::Bundle(_) => return Ok(None),
        },
        (Step::Gone(job), _) => kill(engine, job, now).map_err(single),
        (Step::Unchanged(_) | Step::Submit | Step::Update(..) | Step::Replace(_), _) => return Ok(None),
    };
    fault_point("after-apply-step");
    done.map(Some)
}

fn single(error: Error) -> Vec<Error> {
    vec![error]
}

fn submit(engine: &mut Engine, (one, key): (&Wanted, &Key), manner: &Manner, now: Timestamp) -> Result<JobId> {
    submission::check_access(engine, &one.prepared)?;
    let lookup = engine.settings.window.lookup_seconds;
    engine.store.transact(|transaction| {
        let found = manner.jobs(transaction, key)?;
        if let Some(other) = found.first().filter(|job| is_creating(job)) {
            return Err(twice(key, &format!("{} was submitted meanwhile", id(other))));
        }
        let job = submission::insert(transaction, &one.prepared, (Begin::AtOnce, lookup), now)?;
        fault_point("inside-apply-commit");
        Ok(job)
    })
}

/// Gives a job its new end, then its new version. Between the two the job has the new end, and the next plan finds an
/// update without one.
fn take_over(
    engine: &mut Engine,
    (job, one): (&JobId, &Wanted),
    new_end: Option<Timestamp>,
    now: Timestamp,
) -> Result<JobId, Vec<Error>> {
    if new_end.is_some() {
        let values = NewValues { end: new_end, ..NewValues::default() };
        let outcome = verbs::change::change_job(engine, job, &values, (Effect::Stored, now)).map_err(single)?;
        if let Some(refused) = outcome.refused {
            return Err(vec![refused]);
        }
        fault_point("inside-apply-commit");
    }
    let order = UpdateOrder {
        job,
        properties: Some(one.properties.clone()),
        definitions: None,
        actions: 0,
        effect: Effect::Stored,
        follows_new_end: false,
    };
    update::update(engine, order, now).map(|update| update.job)
}

/// Ends a job before its next action, and submits the one that continues there, in one transaction.
fn replace(
    engine: &mut Engine,
    (one, prepared): (&Wanted, &PreparedCoordinator),
    replacement: &Replacement,
    now: Timestamp,
) -> Result<JobId> {
    submission::check_access(engine, &one.prepared)?;
    let Replacement { job: old, from: (number, nominal), .. } = replacement;
    let Engine { store, settings, .. } = engine;
    let when = (Effect::Stored, now);
    let (end, kill) = (Invocation::new(Origin::Change, when)?, Invocation::new(Origin::Kill, when)?);
    store.transact(|transaction| {
        if !is_current(transaction, old)? {
            let error = Error::new(ErrorCode::E1100, format!("{} was changed meanwhile", old.id));
            return Err(error.help("give the command again: it plans for the state that the job has now"));
        }
        if !old.status.is_terminal() {
            // A job without actions would end before its start.
            let given = if old.last_action_number == 0 { &kill } else { &end };
            stop(transaction, old, CommandContext { cause: given.cause(), settings }, now)?;
        }
        let cause = Cause::new(now, Origin::Submit);
        let beginning = Beginning::At(*number, *nominal);
        let lookup = settings.window.lookup_seconds;
        let job = insert_coordinator(transaction, prepared, beginning, lookup, cause)?;
        fault_point("inside-apply-commit");
        Ok(job.id)
    })
}

/// Lets a job end with the actions that it has; one without actions is killed.
fn stop(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    context: CommandContext<'_>,
    now: Timestamp,
) -> Result<()> {
    let decision = if job.last_action_number == 0 {
        control::decide(transaction, job, Verb::Kill, now)?
    } else {
        let next = job.next_materialized_at.unwrap_or(job.end_at);
        if job.done_materialization || job.end_at <= next {
            return Ok(());
        }
        change::decide(transaction, job, &NewValues { end: Some(next), ..NewValues::default() })
    };
    let outcome = apply(transaction, job, decision, context)?;
    outcome.refused.map_or(Ok(()), Err)
}

fn kill(engine: &mut Engine, job: &JobId, now: Timestamp) -> Result<JobId> {
    let outcome = verbs::control::control(engine, job, Verb::Kill, (Effect::Stored, now))?;
    outcome.refused.map_or_else(|| Ok(job.clone()), Err)
}

//! Carries out a plan: each job in one transaction, in which the state that was planned for is checked again.

use super::state::{Item, Key, Manner, Replacement, Revision, Step, Wanted, id, with_user_of};
use crate::Engine;
use crate::apply::control::Verb;
use crate::apply::coordinator::{CommandContext, apply};
use crate::apply::invocation::Invocation;
use crate::apply::{change, control};
use crate::settings::Settings;
use crate::submit::coordinator::{Beginning, PreparedCoordinator, insert_coordinator};
use crate::submit::submission::{self, Begin, Prepared};
use crate::transition::cause::Cause;
use crate::transition::coordinator::is_current;
use crate::verbs;
use crate::verbs::update;
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::Timestamp;

/// Does what one item of a plan says, except for a changed bundle; `None` where nothing has to be done.
///
/// # Errors
/// E1100 when another command changed the job meanwhile, or gave its name to another job, and everything that the
/// single verbs refuse.
pub(super) fn carry_out(
    engine: &mut Engine,
    item: &Item,
    (wanted, manner): (&[Wanted], &Manner),
    now: Timestamp,
) -> Result<Option<JobId>> {
    if !item.is_to_do(manner) {
        return Ok(None);
    }
    fault_point("before-apply-step");
    let one = item.wanted.and_then(|index| wanted.get(index)).map(|one| &one.prepared);
    let name = Name { manner, key: &item.key };
    let done = match (&item.step, one) {
        (Step::Submit, Some(prepared)) => submit(engine, prepared, name, now)?,
        (Step::Update(revision), Some(Prepared::Coordinator(prepared))) => {
            let check = |transaction: &Transaction<'_>| name.check(transaction, Some(&revision.job.id));
            take_over(engine, (revision, prepared), check, now)?
        }
        (Step::Replace(replacement), Some(Prepared::Coordinator(prepared))) => {
            replace(engine, (replacement, prepared), name, now)?
        }
        (Step::Gone(job), _) => kill(engine, job, now)?,
        (
            Step::Unchanged(_) | Step::Ended(..) | Step::Submit | Step::Update(_) | Step::Replace(_) | Step::Bundle(_),
            _,
        ) => {
            return Ok(None);
        }
    };
    fault_point("after-apply-step");
    Ok(Some(done))
}

/// The name of a job, and how jobs are found by it.
#[derive(Clone, Copy)]
struct Name<'a> {
    manner: &'a Manner,
    key: &'a Key,
}

impl Name<'_> {
    /// Refuses a name that another job got since the plan: two jobs would create the same actions.
    ///
    /// # Errors
    /// E1100.
    fn check(self, transaction: &Transaction<'_>, planned: Option<&JobId>) -> Result<()> {
        let found = self.manner.jobs(transaction, self.key)?;
        if found.first().map(id) == planned {
            return Ok(());
        }
        let why = format!("another job got the name [{}] meanwhile", self.key.name);
        Err(Error::new(ErrorCode::E1100, why).help("give the command again: it plans for the jobs that there are now"))
    }
}

fn submit(engine: &mut Engine, prepared: &Prepared, name: Name<'_>, now: Timestamp) -> Result<JobId> {
    submission::check_access(engine, prepared.configuration())?;
    let lookup = engine.settings.window.lookup_seconds;
    engine.store.transact(|transaction| {
        name.check(transaction, None)?;
        let job = submission::insert(transaction, prepared, (Begin::AtOnce, lookup), now)?;
        fault_point("inside-apply-commit");
        Ok(job)
    })
}

/// Gives a job its new end and its new version, unless `check` finds that it is not the planned one any more.
pub(super) fn take_over(
    engine: &mut Engine,
    (revision, prepared): (&Revision, &PreparedCoordinator),
    check: impl FnOnce(&Transaction<'_>) -> Result<()>,
    now: Timestamp,
) -> Result<JobId> {
    let Revision { job, new_end, .. } = revision;
    let prepared = with_user_of(job, prepared);
    let version = update::new_version(engine, (job, &prepared), *new_end, now)?;
    let Engine { store, settings, .. } = engine;
    store.transact(|transaction| {
        check(transaction)?;
        version.store(transaction, settings)?;
        fault_point("inside-apply-commit");
        Ok(job.id.clone())
    })
}

/// Ends a job before its next action, and submits the one that continues there, in one transaction.
fn replace(
    engine: &mut Engine,
    (replacement, prepared): (&Replacement, &PreparedCoordinator),
    name: Name<'_>,
    now: Timestamp,
) -> Result<JobId> {
    submission::check_access(engine, &prepared.application.configuration)?;
    let Replacement { job: old, from: (number, nominal), .. } = replacement;
    let Engine { store, settings, .. } = engine;
    store.transact(|transaction| {
        // An old job that has ended changes no more: only its name says whether another job continues it already.
        name.check(transaction, Some(&old.id))?;
        end_old(transaction, old, settings, now)?;
        let cause = Cause::new(now, Origin::Submit);
        let beginning = Beginning::At(*number, *nominal);
        let lookup = settings.window.lookup_seconds;
        let job = insert_coordinator(transaction, prepared, beginning, lookup, cause)?;
        fault_point("inside-apply-commit");
        Ok(job.id)
    })
}

/// Ends a job that another one continues, if it is still as it was when the plan was made.
///
/// # Errors
/// E1100 when it is not, or what the command refuses.
pub(super) fn end_old(
    transaction: &Transaction<'_>,
    old: &CoordinatorJob,
    settings: &Settings,
    now: Timestamp,
) -> Result<()> {
    if !is_current(transaction, old)? {
        let error = Error::new(ErrorCode::E1100, format!("{} was changed meanwhile", old.id));
        return Err(error.help("give the command again: it plans for the state that the job has now"));
    }
    if old.status.is_terminal() {
        return Ok(());
    }
    // A job without actions would end before its start.
    let origin = if old.last_action_number == 0 { Origin::Kill } else { Origin::Change };
    let given = Invocation::new(origin, (Effect::Stored, now))?;
    stop(transaction, old, CommandContext { cause: given.cause(), settings }, now)
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

pub(super) fn kill(engine: &mut Engine, job: &JobId, now: Timestamp) -> Result<JobId> {
    let outcome = verbs::control::control(engine, job, Verb::Kill, (Effect::Stored, now))?;
    outcome.refused.map_or_else(|| Ok(job.clone()), Err)
}

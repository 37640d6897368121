//! Changing the end, the concurrency, the pause time and the status of a coordinator job; ignoring a job or actions.

use crate::apply::change::decide;
use crate::apply::coordinator::{apply, on_actions, on_coordinator};
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::{Engine, format};
use howdah_oozie::coordinator::operation::change_value::{NewStatus, NewValues};
use howdah_oozie::coordinator::operation::ignore;
use howdah_oozie::coordinator::operation::scope::{Period, Scope};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::time::Timestamp;

/// Sets new values of a job.
///
/// # Errors
/// E0604 when there is no such job, E0302 when it is no coordinator job, E1015, E1016 or E1022 when its status or its
/// actions do not allow it, or a failure of the database.
pub fn change_job(engine: &mut Engine, id: &JobId, values: &NewValues, when: (Effect, Timestamp)) -> Result<Outcome> {
    let mut given = Invocation::new(Origin::Change, when)?;
    given.detail = Some(values.text(format::notation()));
    given.sets_pause = values.pause.is_some();
    set_values(engine, id, values, &given)
}

/// Makes a FAILED or KILLED job IGNORED.
///
/// # Errors
/// E0604 when there is no such job, E0302 when it is no coordinator job, E1015 or E1016 when its status does not allow
/// it, or a failure of the database.
pub fn ignore_job(engine: &mut Engine, id: &JobId, when: (Effect, Timestamp)) -> Result<Outcome> {
    let values = NewValues { status: Some(NewStatus::Ignored), ..NewValues::default() };
    set_values(engine, id, &values, &Invocation::new(Origin::Ignore, when)?)
}

/// Makes failed actions IGNORED: all that are chosen, or none.
///
/// # Errors
/// E0604 when there is no such job, E0302 when it is no coordinator job, E1024 when one of the actions did not fail,
/// E0605 for a date without an action, or a failure of the database.
pub fn ignore_actions(engine: &mut Engine, id: &JobId, scope: &Scope, when: (Effect, Timestamp)) -> Result<Outcome> {
    let given = Invocation::new(Origin::Ignore, when)?;
    on_actions(engine, id, (scope, Period::Ended), &given, |job, choose| ignore::ignore_actions(job, choose))
}

fn set_values(engine: &mut Engine, id: &JobId, values: &NewValues, given: &Invocation) -> Result<Outcome> {
    on_coordinator(engine, id, given, |transaction, job, context| {
        let decision = decide(transaction, job, values);
        let is_done = decision.as_ref().is_ok_and(|changes| changes.job.done_materialization);
        let mut outcome = apply(transaction, job, decision, context)?;
        if values.status == Some(NewStatus::Running) && is_done {
            outcome.note(format!(
                "{id} has created all its actions: rerun some of them, or move its end time, for anything to happen"
            ));
        }
        Ok(outcome)
    })
}

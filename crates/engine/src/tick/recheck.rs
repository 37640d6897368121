//! Checks the inputs of READY actions of a resumed job again before they start, and stores the result.

use crate::compiled::Application;
use crate::inputs::recheck::{ReadySubject, Recheck, recheck};
use crate::tick::context::Tick;
use howdah_host::presence::Presence;
use howdah_words::error::{Error, Result};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;

/// Whether a READY action that is not skipped may start.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It may.
    Starts,
    /// It stays READY, or another process changed it: the next action gets the turn.
    Passes,
    /// It stays READY, and it is not known whether it may start: it keeps its turn, so that no other action overtakes
    /// it because a server or the machine was slow to answer.
    Waits,
    /// It fails.
    Fails(Error),
}

/// Checks the inputs of a READY action again when its decision is too old; stores a new decision.
///
/// # Errors
/// E0603 when the stored decision cannot be read, or a failure of the database.
pub(crate) fn decide_again(
    tick: &mut Tick<'_>,
    (job, application): (&CoordinatorJob, &Application),
    action: &mut CoordinatorAction,
    presence: &dyn Presence,
) -> Result<Turn> {
    if action.decided.is_none() {
        return Ok(Turn::Starts);
    }
    let settings = &tick.engine.settings;
    let rechecked = tick.engine.store.read(|snapshot| {
        let subject = ReadySubject { job, application, action, settings };
        recheck(snapshot, subject, presence, tick.now)
    })?;
    match rechecked {
        Recheck::NotNeeded => Ok(Turn::Starts),
        Recheck::Missing(_) => Ok(Turn::Passes),
        Recheck::Deferred => Ok(Turn::Waits),
        Recheck::Unknown(error) => {
            let turn = if error.may_pass() { Turn::Waits } else { Turn::Passes };
            tick.report.unknown(job.id.as_str(), error);
            Ok(turn)
        }
        Recheck::Failed(error) => Ok(Turn::Fails(error)),
        Recheck::Decided(decided) => {
            let now = tick.now;
            let stored = tick.engine.store.transact(|transaction| {
                decided.put(transaction, action)?;
                action.modified_at = now;
                transaction.update_action(ActionStatus::Ready, action)
            })?;
            Ok(if stored { Turn::Starts } else { Turn::Passes })
        }
    }
}

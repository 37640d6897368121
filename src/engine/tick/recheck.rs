//! READY actions of a resumed job look again before they start: what that comes to is stored here.

use crate::engine::compiled::Application;
use crate::engine::inputs::recheck::{Again, ReadySubject, look_again};
use crate::engine::tick::context::Tick;
use crate::error::{Error, Result};
use crate::host::presence::Presence;
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::model::status::ActionStatus;

/// Whether a READY action that is not passed over may start; what is decided anew is put into it and stored.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It may.
    Starts,
    /// It stays READY, or somebody else moved it meanwhile: the turn is another one's.
    Passes,
    /// It fails for good.
    Fails(Error),
}

/// Looks again at the inputs of a READY action, where what was decided for it is old.
///
/// # Errors
/// E0603 for a stored decision that is none, or a failure of the database.
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
    let again = tick.engine.store.read(|snapshot| {
        let subject = ReadySubject { job, application, action, settings };
        look_again(snapshot, subject, presence, tick.now)
    })?;
    match again {
        Again::NotNeeded => Ok(Turn::Starts),
        Again::Missing(_) => Ok(Turn::Passes),
        Again::Unknown(error) => {
            tick.report.unknown(job.id.as_str(), error);
            Ok(Turn::Passes)
        }
        Again::Failed(error) => Ok(Turn::Fails(error)),
        Again::Decided(decided) => {
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

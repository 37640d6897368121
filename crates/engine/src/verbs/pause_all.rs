//! `pause --all` and `resume --all`: nothing new starts in the whole database.
//!
//! The pause is a row of its own: no status of a job changes, so `resume` of a job keeps its meaning, and a job that
//! was suspended before stays suspended. Each step that starts something reads the row in the transaction of the start.

use crate::Engine;
use crate::apply::invocation::Invocation;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::SitePause;
use howdah_words::model::time::Timestamp;

/// What `pause --all` or `resume --all` did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseOutcome {
    /// Since when all jobs are paused after the verb, and by whom; `None` when they are not.
    pub pause: Option<SitePause>,
    /// The same before the verb.
    pub before: Option<SitePause>,
}

/// The statuses of the whole database in events.
const RUNNING: &str = "RUNNING";
const PAUSED: &str = "PAUSED";

/// Pauses all jobs; a pause that is there already stays as it is.
///
/// # Errors
/// A failure of the database, or of reading the name of the user.
pub fn pause(engine: &mut Engine, when: (Effect, Timestamp)) -> Result<PauseOutcome> {
    set(engine, true, &Invocation::new(Origin::PauseAll, when)?)
}

/// Ends the pause of all jobs.
///
/// # Errors
/// As [`pause`].
pub fn resume(engine: &mut Engine, when: (Effect, Timestamp)) -> Result<PauseOutcome> {
    set(engine, false, &Invocation::new(Origin::ResumeAll, when)?)
}

fn set(engine: &mut Engine, pauses: bool, given: &Invocation) -> Result<PauseOutcome> {
    engine.store.transact_for(given.effect, |transaction| {
        let before = transaction.site_pause()?;
        if before.is_some() == pauses {
            return Ok(PauseOutcome { pause: before.clone(), before });
        }
        let (from, to) = if pauses { (RUNNING, PAUSED) } else { (PAUSED, RUNNING) };
        let event = given.cause().event(Some(from), to);
        let actor = event.actor.clone().unwrap_or_default();
        let pause = pauses.then_some(SitePause { at: given.now, actor });
        transaction.set_site_pause(pause.as_ref())?;
        transaction.insert_event(&event)?;
        Ok(PauseOutcome { pause, before })
    })
}

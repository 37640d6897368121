//! `latest` after a suspension: READY actions of a resumed job look again (specification 6.6.6; decision C5).
//!
//! An action keeps what was decided when it became READY, also while it waits for a place. Only a suspension of its job
//! makes that old: the first tick after `resume` makes the searches again and stores what they find. An action for
//! which too little is there stays READY and gives its turn to the others. With `latest-el.use-current-time` false
//! nothing is looked for again, because searches begin at the action's creation.

use crate::coordinator::action::ResolvedAction;
use crate::engine::application::Application;
use crate::engine::decision::{Decided, Decision, Subject};
use crate::engine::input_check::Existing;
use crate::engine::owner;
use crate::engine::settings::Settings;
use crate::engine::tick::Tick;
use crate::error::{Error, Result};
use crate::host::presence::Presence;
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;
use crate::store::{CoordinatorAction, CoordinatorJob, Snapshot};

/// What a READY action comes to when it is about to start.
#[derive(Debug)]
pub(crate) enum Again {
    /// What was decided still holds.
    NotNeeded,
    /// Decided anew.
    Decided(Decided),
    /// Too little is there now.
    Missing(Box<Decision>),
    /// The machine cannot tell what is there now (H0113).
    Unknown(Error),
    /// The definition gives no configuration any more.
    Failed(Error),
}

/// Whose inputs are looked at again.
#[derive(Clone, Copy)]
pub(crate) struct ReadySubject<'a> {
    pub(crate) job: &'a CoordinatorJob,
    pub(crate) application: &'a Application,
    pub(crate) action: &'a CoordinatorAction,
    pub(crate) settings: &'a Settings,
}

/// Looks again for the `latest` instances of a READY action whose job was resumed after they were decided.
///
/// # Errors
/// A failure of the database.
pub(crate) fn look_again(
    snapshot: &Snapshot,
    ready: ReadySubject<'_>,
    presence: &dyn Presence,
    now: Timestamp,
) -> Result<Again> {
    let ReadySubject { job, application, action, settings } = ready;
    if settings.latest_from_creation || !is_old(snapshot, action)? {
        return Ok(Again::NotNeeded);
    }
    let (nominal, created) = (action.nominal_at, action.created_at);
    let subject = Subject { application, settings, nominal, created, now };
    let coordinator = &application.coordinator;
    let look = |mut resolved: ResolvedAction| {
        let mut existing = Existing::of(application, presence);
        let sight = match coordinator.logic {
            Some(_) => coordinator.satisfy(&mut resolved, subject.moment(), &mut existing),
            None => coordinator.search(&mut resolved, subject.moment().reach, &mut existing),
        };
        if let Some(unknown) = existing.unknown() {
            return Ok(Again::Unknown(unknown));
        }
        if !sight.is_complete {
            return Ok(Again::Missing(Box::new(subject.describe(&sight, &resolved))));
        }
        subject.decide((&job.id, action.number), &sight, &resolved).map(Again::Decided)
    };
    let resolved = coordinator.resolve(application.scope(), nominal);
    let looked = resolved.and_then(|resolved| owner::reader(&job.user).act(|| look(resolved))?);
    Ok(looked.unwrap_or_else(|error| if error.may_pass() { Again::Unknown(error) } else { Again::Failed(error) }))
}

/// Whether `latest` was decided before the job was last resumed.
fn is_old(snapshot: &Snapshot, action: &CoordinatorAction) -> Result<bool> {
    let Some(document) = action.decided else { return Ok(false) };
    // A READY action was last modified when it was decided.
    if snapshot.last_resumed_at(action.job)?.is_none_or(|resumed| action.modified_at >= resumed) {
        return Ok(false);
    }
    Ok(Decision::read(&snapshot.document(document)?)?.has_latest())
}

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

//! `latest` after a suspension: READY actions of a resumed job look again (specification 6.6.6; decision C5).
//!
//! An action keeps what was decided when it became READY, also while it waits for a place. Only a suspension of its job
//! makes that old: the first tick after `resume` makes the searches again and stores what they find. An action for
//! which too little is there stays READY and gives its turn to the others. With `latest-el.use-current-time` false
//! nothing is looked for again, because searches begin at the action's creation.

use crate::coordinator::action::ResolvedAction;
use crate::engine::compiled::Application;
use crate::engine::inputs::check::Existing;
use crate::engine::inputs::decision::{Decided, Decision, Subject};
use crate::engine::run_as;
use crate::engine::settings::Settings;
use crate::error::{Error, Result};
use crate::host::presence::Presence;
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::model::time::Timestamp;
use crate::store::Snapshot;

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
    let looked = resolved.and_then(|resolved| run_as::reader(&job.user).act(|| look(resolved))?);
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

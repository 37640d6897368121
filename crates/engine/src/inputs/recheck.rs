//! Makes the `latest` searches of READY actions again after their job was resumed (specification 6.6.6; decision C5).
//!
//! An action keeps its decision from the moment when it became READY, also while it waits for a place. Only a
//! suspension of its job makes the decision old: the first tick after `resume` searches again and stores the result. An
//! action with too few instances stays READY, and the next one gets its turn. With `latest-el.use-current-time` false
//! nothing is searched again, because searches start at the action's creation.

use crate::compiled::Application;
use crate::inputs::check::{Existing, Open};
use crate::inputs::decision::{CheckedAction, Decided, Decision};
use crate::run_as;
use crate::settings::Settings;
use howdah_host::presence::Presence;
use howdah_oozie::coordinator::action::ResolvedAction;
use howdah_store::Snapshot;
use howdah_words::error::{Error, Result};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// The result of checking a READY action again.
#[derive(Debug)]
pub enum Recheck {
    /// The decision is still valid.
    NotNeeded,
    /// There is a new decision.
    Decided(Decided),
    /// Too few instances exist now.
    Missing(Box<Decision>),
    /// The machine cannot read now which instances exist (H0113).
    Unknown(Error),
    /// A server is asked later in this tick.
    Deferred,
    /// The definition gives no configuration any more.
    Failed(Error),
}

/// The action whose inputs are checked again.
#[derive(Clone, Copy)]
pub struct ReadySubject<'a> {
    pub job: &'a CoordinatorJob,
    pub application: &'a Application,
    pub action: &'a CoordinatorAction,
    pub settings: &'a Settings,
}

/// Searches again for the `latest` instances of a READY action whose job was resumed after they were decided.
///
/// # Errors
/// A failure of the database.
pub fn recheck(
    snapshot: &Snapshot,
    ready: ReadySubject<'_>,
    presence: &dyn Presence,
    now: Timestamp,
) -> Result<Recheck> {
    let ReadySubject { job, application, action, settings } = ready;
    if settings.latest_from_creation || !is_old(snapshot, action)? {
        return Ok(Recheck::NotNeeded);
    }
    let (nominal, created) = (action.nominal_at, action.created_at);
    let subject = CheckedAction { application, settings, nominal, created, now };
    let coordinator = &application.coordinator;
    let search = |mut resolved: ResolvedAction| {
        let mut existing = Existing::of(application, presence);
        let report = match coordinator.logic {
            Some(_) => coordinator.satisfy(&mut resolved, subject.moment(), &mut existing),
            None => coordinator.search(&mut resolved, subject.moment().reach, &mut existing),
        };
        match existing.open() {
            Some(Open::Unknown(error)) => return Ok(Recheck::Unknown(error)),
            Some(Open::Deferred) => return Ok(Recheck::Deferred),
            None => {}
        }
        if !report.is_complete {
            return Ok(Recheck::Missing(Box::new(subject.describe(&report, &resolved))));
        }
        subject.decide((&job.id, action.number), &report, &resolved).map(Recheck::Decided)
    };
    let resolved = coordinator.resolve(application.scope(), nominal);
    let result = resolved.and_then(|resolved| run_as::reader(&job.user).act(|| search(resolved))?);
    Ok(result.unwrap_or_else(|error| if error.may_pass() { Recheck::Unknown(error) } else { Recheck::Failed(error) }))
}

/// Checks whether `latest` was decided before the job was last resumed.
fn is_old(snapshot: &Snapshot, action: &CoordinatorAction) -> Result<bool> {
    let Some(document) = action.decided else { return Ok(false) };
    // A READY action was last modified when it was decided.
    if snapshot.last_resumed_at(action.job)?.is_none_or(|resumed| action.modified_at >= resumed) {
        return Ok(false);
    }
    Ok(Decision::read(&snapshot.document(document)?)?.has_latest())
}

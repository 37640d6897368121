//! What an operator does to jobs and actions; one file per family of verbs.
//!
//! A verb writes in one transaction that is stored or, for `--dry-run`, taken back ([`Effect`]), so what a dry run
//! prints is what the verb would store. Those that need more than the database do that outside of the transaction and
//! look once more whether what they saw still holds: `rerun` deletes outputs, `update` reads the new definition.
//! Whether a status allows a verb is decided in the pure machines.

pub(crate) mod apply;
pub(crate) mod bundle;
pub(crate) mod change;
pub(crate) mod control;
pub(crate) mod many;
pub(crate) mod node;
pub(crate) mod outcome;
pub(crate) mod rerun;
pub(crate) mod scope;
pub(crate) mod sla;
pub(crate) mod update;

use crate::engine::change::Cause;
use crate::engine::reason;
use crate::error::{Error, ErrorCode, Result};
use crate::host::environment;
use crate::model::id::{JobId, JobKind};
use crate::model::time::Timestamp;
use crate::store::{CoordinatorJob, Snapshot};

pub(crate) use crate::store::Effect;

/// A verb as an operator gave it.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The verb as the user types it; the origin of its events.
    pub(crate) verb: &'static str,
    /// What the events tell: the verb and who gave it.
    pub(crate) reason: String,
    /// Whether it is only tried.
    pub(crate) effect: Effect,
    pub(crate) now: Timestamp,
}

impl Given {
    /// A verb given by the user of this process.
    ///
    /// # Errors
    /// H0110, H0113 when the user table cannot be read: the events must tell who it was.
    pub(crate) fn new(verb: &'static str, (effect, now): (Effect, Timestamp)) -> Result<Self> {
        Ok(Self { verb, reason: reason::given(verb, &environment::user_name()?), effect, now })
    }

    /// The cause of what the verb changes.
    pub(crate) fn cause(&self) -> Cause<'_> {
        Cause::new(self.now, self.verb).because(&self.reason)
    }
}

/// The error for a job that is not in the database.
pub(crate) fn unknown(id: &JobId) -> Error {
    Error::new(ErrorCode::E0604, id).help("`howdah jobs` lists the ids")
}

/// The coordinator job of an id.
///
/// # Errors
/// E0604 when there is no such job, E0302 when the id is none of a coordinator job.
fn coordinator(snapshot: &Snapshot, id: &JobId) -> Result<CoordinatorJob> {
    if id.kind() != JobKind::Coordinator {
        return Err(Error::new(ErrorCode::E0302, id).help("this verb is for coordinator jobs; their ids end in -C"));
    }
    snapshot.coordinator_job(id)?.ok_or_else(|| unknown(id))
}

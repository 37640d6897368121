//! What an operator does to jobs and actions; one file per family of verbs.
//!
//! Each verb is one write transaction that is stored or, for `--dry-run`, taken back ([`Effect`]); so what a dry run
//! prints is what the verb does. Whether a status allows a verb is decided in the pure machines.

mod apply;
pub(crate) mod control;
pub(crate) mod outcome;
pub(crate) mod scope;

use crate::error::{Error, ErrorCode, Result};
use crate::host::environment;
use crate::model::id::JobId;
use crate::store::{CoordinatorAction, Snapshot, WorkflowJob};

pub(crate) use crate::store::Effect;

/// The reason that the events of a verb carry: the verb, and who gave it.
pub(crate) fn given_by_user(verb: &str) -> String {
    format!("`{verb}` by {}", environment::user_name())
}

/// The error for a job that is not in the database.
pub(crate) fn unknown(id: &JobId) -> Error {
    Error::new(ErrorCode::E0604, id).help("`howdah jobs` lists the ids")
}

/// The workflow job that an action runs now.
pub(crate) fn workflow_of(snapshot: &Snapshot, action: &CoordinatorAction) -> Result<Option<WorkflowJob>> {
    let jobs = snapshot.workflow_jobs_of_action(action.key())?;
    Ok(jobs.into_iter().find(|job| action.external_id.as_deref() == Some(job.id.as_str())))
}

//! From job properties to a stored bundle job.
//!
//! A bundle without a kick-off time starts at once, as in Oozie (decision W33): an error in one of its coordinators
//! refuses the bundle. With one, its coordinators may still change, so their errors are warnings.

use std::sync::Arc;

use crate::application_path::BUNDLE_PATH;
use crate::preview::job_id;
use crate::run_as;
use crate::shadow;
use crate::stored_properties::properties_text;
use crate::submit::bundle_definition::{PreparedBundle, examine};
use crate::submit::bundle_members::{Machine, PreparedMember, examine_all};
use crate::submit::request::Submission;
use crate::transition::bundle::due_at as bundle_due_at;
use crate::transition::cause::Cause;
use howdah_store::Transaction;
use howdah_words::error::{Error, Result, SourceText};
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleCoordinator, BundleJob, BundleKey, Event};
use howdah_words::model::time::Timestamp;

/// A bundle job that can be submitted.
pub struct PreparedBundleJob {
    pub prepared: PreparedBundle,
    pub app_path: String,
    source: Arc<SourceText>,
    /// Its enabled coordinators as they would be submitted now.
    pub members: Vec<PreparedMember>,
}

impl PreparedBundleJob {
    /// Returns the text of the definition.
    pub fn definition(&self) -> &str {
        &self.source.text
    }
}

/// Reads and checks the bundle that the properties name, and its coordinators.
///
/// Returns the job when nothing is refused, and every problem, including warnings.
pub fn prepare(submission: Submission<'_>) -> (Option<PreparedBundleJob>, Vec<Error>) {
    let file = match submission.read_application(BUNDLE_PATH, "bundle.xml") {
        Ok(file) => file,
        Err(problems) => return (None, problems),
    };
    let (prepared, mut problems) = examine(submission, &file);
    let Some(prepared) = prepared else { return (None, problems) };
    let Submission { mounts, settings, data, .. } = submission;
    let id = job_id(JobKind::Bundle);
    let members = examine_all(Machine { mounts, settings, data }, &prepared.bundle, (&id, &prepared.configuration));
    let starts_at_once = prepared.bundle.kick_off.is_none();
    for member in &members {
        if starts_at_once {
            problems.extend(member.all_problems());
        } else {
            problems.extend(member.warning());
        }
    }
    let refused = problems.iter().any(|problem| !problem.is_warning());
    let job = PreparedBundleJob { prepared, app_path: file.app_path, source: file.source, members };
    ((!refused).then_some(job), problems)
}

/// Stores a bundle that waits for its kick-off time, with the coordinators that it names.
///
/// # Errors
/// A failure of the database.
pub fn insert(transaction: &Transaction<'_>, job: &PreparedBundleJob, cause: Cause<'_>) -> Result<JobId> {
    shadow::refuse(transaction, "no job is submitted to it")?;
    let mut row = bundle_row(transaction, &job.prepared, (&job.app_path, &job.source.text), cause.at)?;
    insert_bundle(transaction, &mut row, cause)?;
    insert_members(transaction, row.job, &job.members)?;
    Ok(row.id)
}

/// Returns the row of a new bundle in PREP, with the application path and the text of its definition.
///
/// # Errors
/// A failure of the database.
pub fn bundle_row(
    transaction: &Transaction<'_>,
    PreparedBundle { bundle, configuration }: &PreparedBundle,
    (app_path, definition): (&str, &str),
    now: Timestamp,
) -> Result<BundleJob> {
    Ok(BundleJob {
        job: BundleKey::default(),
        id: transaction.next_job_id(JobKind::Bundle)?,
        name: bundle.name.clone(),
        user: run_as::user(configuration),
        group_name: run_as::group(configuration),
        acl: run_as::acl(configuration),
        app_path: app_path.to_owned(),
        status: JobStatus::PREP,
        created_at: now,
        modified_at: now,
        kickoff_at: bundle.kick_off,
        started_at: None,
        pause_at: None,
        end_at: None,
        suspended_at: None,
        ended_at: None,
        definition: transaction.store_document(definition)?,
        configuration: transaction.store_document(&properties_text(configuration))?,
        due_at: None,
    })
}

/// Stores a new bundle, with its event, and sets its key.
///
/// # Errors
/// A failure of the database.
pub fn insert_bundle(transaction: &Transaction<'_>, row: &mut BundleJob, cause: Cause<'_>) -> Result<()> {
    row.due_at = bundle_due_at(row);
    let key = transaction.insert_bundle_job(row)?;
    transaction.insert_event(&Event { bundle_job: Some(key), ..cause.event(None, row.status.as_str()) })?;
    Ok(())
}

/// Stores the names of the coordinators that a bundle will submit.
///
/// # Errors
/// A failure of the database.
pub(crate) fn insert_members(transaction: &Transaction<'_>, key: BundleKey, members: &[PreparedMember]) -> Result<()> {
    for (sequence, member) in (1..).zip(members) {
        transaction.insert_bundle_coordinator(&BundleCoordinator {
            bundle: key,
            sequence,
            name: member.name.clone(),
            ..BundleCoordinator::default()
        })?;
    }
    Ok(())
}

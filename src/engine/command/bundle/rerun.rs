//! Running coordinators of a bundle once more: which actions of which coordinators that means, and that the bundle is
//! open for it (decision W34).
//!
//! The actions themselves are rerun coordinator by coordinator, as by `rerun` of each.

use super::on_bundle;
use crate::bundle::job_state::{JobEvent, transition};
use crate::coordinator::operation::scope::{Dates, Scope};
use crate::engine::Engine;
use crate::engine::change::settle_bundle;
use crate::engine::command::outcome::Outcome;
use crate::engine::command::{Effect, Given, unknown};
use crate::error::{Error, ErrorCode, Result};
use crate::model::id::JobId;
use crate::model::time::Timestamp;
use crate::store::BundleJob;

/// What a rerun of a bundle means.
pub(crate) struct BundleRerun {
    /// The coordinator jobs in document order, each with its actions.
    pub(crate) coordinators: Vec<(JobId, Scope)>,
    /// One sentence for each name that no coordinator of the bundle has.
    pub(crate) notes: Vec<String>,
}

/// Finds out which actions a rerun of a bundle means: those of the coordinators of these names, or of all when there is
/// none; at these dates, or of the whole period of each.
///
/// # Errors
/// E0604 when there is no such job, E1100 when its status allows no rerun, or a failure of the database.
pub(crate) fn choose(engine: &Engine, id: &JobId, names: &[String], dates: Option<&Scope>) -> Result<BundleRerun> {
    engine.store.read(|snapshot| {
        let bundle = snapshot.bundle_job(id)?.ok_or_else(|| unknown(id))?;
        check(&bundle)?;
        let jobs = snapshot.coordinator_jobs_of_bundle(bundle.job)?;
        let exists = |name: &String| jobs.iter().any(|job| job.name == *name);
        let missing = names.iter().filter(|name| !exists(name));
        let notes = missing.map(|name| format!("the bundle has no coordinator [{name}]; it is passed over")).collect();
        let named = jobs.iter().filter(|job| names.is_empty() || names.contains(&job.name));
        let whole = |start, end| Scope::Dates(vec![Dates::Between(start, end)]);
        let scope = |start, end| dates.cloned().unwrap_or_else(|| whole(start, end));
        let coordinators = named.map(|job| (job.id.clone(), scope(job.start_at, job.end_at))).collect();
        Ok(BundleRerun { coordinators, notes })
    })
}

/// Opens a bundle for the rerun of its coordinators: a suspension holds it no more. Its status follows when they are rerun.
///
/// # Errors
/// As [`choose`].
pub(crate) fn open(engine: &mut Engine, id: &JobId, when: (Effect, Timestamp)) -> Result<Outcome> {
    let given = Given::new("rerun", when);
    on_bundle(engine, id, &given, |transaction, bundle, surroundings| {
        check(bundle)?;
        let mut job = BundleJob { suspended_at: None, ..bundle.clone() };
        settle_bundle(transaction, &mut job, surroundings.cause)?;
        super::outcome(transaction, bundle, Vec::new())
    })
}

fn check(bundle: &BundleJob) -> Result<()> {
    if transition(bundle.status, JobEvent::Rerun).is_some() {
        return Ok(());
    }
    let BundleJob { id, status, .. } = bundle;
    let error = Error::new(ErrorCode::E1100, format!("{id} is {status}: its coordinators cannot be rerun"));
    Err(error.help("submit the bundle again, or rerun actions of single coordinators"))
}

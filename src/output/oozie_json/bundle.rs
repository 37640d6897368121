//! Bundle jobs.

use serde_json::{Value, json};

use crate::output::oozie_json::{WebStyle, coordinator, list};
use howdah_answers::query::bulk::{BulkActionView, BulkView};
use howdah_answers::query::bundle::{BundleJobView, BundleJobsView};

/// Returns a page of bundle jobs.
pub(crate) fn bundles(view: &BundleJobsView, style: &WebStyle) -> Value {
    let jobs: Vec<Value> = view.bundlejobs.iter().map(|job| listed(job, style)).collect();
    list("bundlejobs", &jobs, view.total, (view.offset, view.len))
}

/// Returns a bundle job as a list shows it.
fn listed(job: &BundleJobView, style: &WebStyle) -> Value {
    json!({
        "bundleJobId": job.bundle_job_id,
        "bundleJobName": job.bundle_job_name,
        "bundleJobPath": job.bundle_job_path,
        "bundleExternalId": job.external_id,
        "status": job.status.as_str(),
        "user": job.user,
        "group": job.group,
        "acl": job.acl,
        "conf": null,
        "kickoffTime": style.date(job.kickoff_time),
        "startTime": style.date(job.start_time),
        "endTime": style.date(job.end_time),
        "pauseTime": style.date(job.pause_time),
        "createdTime": style.date(Some(job.created_time)),
        // A bundle has no timeout, which Oozie writes so.
        "timeUnit": "NONE",
        "timeOut": 0,
        "consoleUrl": style.page(&job.bundle_job_id),
        "bundleCoordJobs": [],
        "toString": format!("Bundle id[{}] status[{}]", job.bundle_job_id, job.status),
    })
}

/// Returns a bundle job with its configuration and its coordinators.
pub(crate) fn bundle(job: &BundleJobView, configuration: Option<&str>, style: &WebStyle) -> Value {
    let mut written = listed(job, style);
    let members = job.bundle_coord_jobs.iter().flatten();
    written["bundleCoordJobs"] = members.map(|member| coordinator::listed(member, style)).collect();
    written["conf"] = configuration.into();
    written
}

/// Returns a page of actions of the coordinators of bundles.
pub(crate) fn bulk(view: &BulkView, style: &WebStyle) -> Value {
    let row = |row: &BulkActionView| {
        json!({
            "bulkbundle": listed(&row.bulkbundle, style),
            "bulkcoord": coordinator::listed(&row.bulkcoord, style),
            "bulkaction": coordinator::action(&row.bulkcoord.coord_job_id, &row.bulkaction, style),
        })
    };
    let rows: Vec<Value> = view.bulkresponses.iter().map(row).collect();
    list("bulkresponses", &rows, view.total, (view.offset, view.len))
}

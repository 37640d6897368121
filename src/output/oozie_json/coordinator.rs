//! Coordinator jobs and their actions.

use serde_json::{Value, json};

use crate::output::oozie_json::{WebStyle, list};
use howdah_answers::query::coordinator::{
    CoordinatorActionView, CoordinatorInfo, CoordinatorJobView, CoordinatorJobsView,
};
use howdah_answers::query::stored::as_xml;

/// Returns a page of coordinator jobs.
pub(crate) fn coordinators(view: &CoordinatorJobsView, style: &WebStyle) -> Value {
    let jobs: Vec<Value> = view.coordinatorjobs.iter().map(|job| listed(job, style)).collect();
    list("coordinatorjobs", &jobs, view.total, (view.offset, view.len))
}

/// Returns a coordinator job as a list shows it.
pub(super) fn listed(job: &CoordinatorJobView, style: &WebStyle) -> Value {
    json!({
        "coordJobId": job.coord_job_id,
        "coordJobName": job.coord_job_name,
        "coordJobPath": job.coord_job_path,
        "coordExternalId": job.external_id,
        "bundleId": job.bundle_id,
        "status": job.status.as_str(),
        "user": job.user,
        "group": job.group,
        "acl": job.acl,
        "conf": null,
        "frequency": job.frequency,
        "timeUnit": job.time_unit,
        "timeZone": job.time_zone,
        "startTime": style.date(Some(job.start_time)),
        "endTime": style.date(Some(job.end_time)),
        "pauseTime": style.date(job.pause_time),
        "nextMaterializedTime": style.date(job.next_materialized_time),
        // Oozie has the time after its last action here.
        "lastAction": style.date(job.last_action.and(job.next_materialized_time)),
        "createdTime": style.date(Some(job.created_time)),
        "concurrency": job.concurrency,
        "executionPolicy": job.execution_policy,
        "mat_throttling": job.mat_throttling,
        "timeOut": job.time_out,
        "total": job.counts.values().sum::<u32>(),
        "consoleUrl": style.page(&job.coord_job_id),
        "actions": [],
        "toString": format!("Coordinator application id[{}] status[{}]", job.coord_job_id, job.status),
    })
}

/// Returns a coordinator job with its configuration and the actions that the view has; `total` counts those that match.
pub(crate) fn coordinator(info: &CoordinatorInfo, configuration: Option<&str>, style: &WebStyle) -> Value {
    let CoordinatorInfo { job, matching, .. } = info;
    let mut written = listed(job, style);
    let actions = job.actions.iter().flatten();
    written["actions"] = actions.map(|found| action(&job.coord_job_id, found, style)).collect();
    written["total"] = (*matching).into();
    written["conf"] = configuration.into();
    written
}

/// Returns an action of a coordinator job.
pub(crate) fn action(job: &str, action: &CoordinatorActionView, style: &WebStyle) -> Value {
    let run = action.detail.as_ref().and_then(|detail| detail.configuration.as_ref()).map(as_xml);
    json!({
        "id": action.id,
        "coordJobId": job,
        "actionNumber": action.action_number,
        "status": action.status.as_str(),
        "type": null,
        "nominalTime": style.date(Some(action.nominal_time)),
        "createdTime": style.date(Some(action.created_time)),
        "lastModifiedTime": style.date(Some(action.last_modified_time)),
        "externalId": action.external_id,
        // Oozie never sets it.
        "externalStatus": null,
        "missingDependencies": action.missing_dependencies.join("#"),
        "pushMissingDependencies": "",
        "createdConf": null,
        "runConf": run,
        "errorCode": action.error_code,
        "errorMessage": action.error_message,
        "trackerUri": null,
        "consoleUrl": null,
        "toString": format!("CoordinatorAction name[{}] status[{}]", action.id, action.status),
    })
}

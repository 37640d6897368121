//! Workflow jobs and their nodes.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::output::oozie_json::{WebStyle, list};
#[cfg(feature = "serve")]
use howdah_answers::query::attempt::AttemptView;
use howdah_answers::query::node_settings::NodeSettings;
use howdah_answers::query::workflow::{NodeView, WorkflowJobView, WorkflowJobsView};
use howdah_oozie::workflow::functions::properties_file;
use howdah_words::model::Properties;

/// Returns a page of workflow jobs.
pub(crate) fn workflows(view: &WorkflowJobsView, style: &WebStyle) -> Value {
    let jobs: Vec<Value> = view.workflows.iter().map(|job| listed(job, style)).collect();
    list("workflows", &jobs, view.total, (view.offset, view.len))
}

/// Returns a workflow job as a list shows it.
fn listed(job: &WorkflowJobView, style: &WebStyle) -> Value {
    json!({
        "id": job.id,
        "appName": job.app_name,
        "appPath": job.app_path,
        "status": job.status.as_str(),
        "user": job.user,
        "group": job.group,
        "acl": job.acl,
        "run": job.run,
        "parentId": job.parent_id,
        "externalId": job.external_id,
        "conf": null,
        "createdTime": style.date(Some(job.created_time)),
        "startTime": style.date(job.start_time),
        "endTime": style.date(job.end_time),
        "lastModTime": style.date(Some(job.last_mod_time)),
        "consoleUrl": style.page(&job.id),
        "actions": [],
        "toString": format!("Workflow id[{}] status[{}]", job.id, job.status),
    })
}

/// Returns a workflow job with its configuration, the nodes that the view has, and their settings.
pub(crate) fn workflow(
    job: &WorkflowJobView,
    configuration: Option<&str>,
    settings: &HashMap<String, NodeSettings>,
    style: &WebStyle,
) -> Value {
    let mut written = listed(job, style);
    let nodes = job.actions.iter().flatten();
    written["actions"] = nodes.map(|found| node(found, settings.get(&found.name), style)).collect();
    written["conf"] = configuration.into();
    written
}

/// Returns a node of a workflow job.
pub(crate) fn node(node: &NodeView, settings: Option<&NodeSettings>, style: &WebStyle) -> Value {
    // Oozie does their work itself, and gives it no id and no page.
    let is_control = node.kind.starts_with(':') || node.kind == "switch";
    let is_inside = is_control || matches!(node.kind.as_str(), "fs" | "email");
    let or_none = |value: Option<&String>| if is_inside { json!("-") } else { json!(value) };
    let console = match &node.console_url {
        _ if is_inside => json!("-"),
        Some(url) => json!(url),
        None => style.page(&node.id),
    };
    json!({
        "id": node.id,
        "name": node.name,
        "type": node.kind,
        "status": node.status.as_str(),
        "conf": if is_control { Some("") } else { node.conf.as_deref() },
        "cred": settings.and_then(|settings| settings.cred.as_deref()),
        "transition": node.transition,
        "startTime": style.date(node.start_time),
        "endTime": style.date(node.end_time),
        "data": data(node),
        "stats": node.stats,
        "externalId": or_none(node.external_id.as_ref()),
        "externalStatus": node.external_status,
        "externalChildIDs": null,
        "trackerUri": or_none(node.tracker_uri.as_ref()),
        "consoleUrl": console,
        "errorCode": node.error_code,
        "errorMessage": node.error_message,
        "retries": node.user_retry_count,
        "userRetryCount": node.user_retry_count,
        "userRetryMax": settings.map_or(0, |settings| settings.retry_max),
        "userRetryInterval": settings.map_or(0, |settings| settings.retry_interval),
        "toString": format!("Action name[{}] status[{}]", node.name, node.status),
    })
}

/// Returns the captured output as a properties file.
fn data(node: &NodeView) -> Option<String> {
    let data: Properties = serde_json::from_str(node.data.as_ref()?).ok()?;
    Some(properties_file(&data, node.end_time.or(node.start_time)?))
}

/// Returns every workflow job that an action has run.
pub(crate) fn runs(jobs: &[WorkflowJobView], style: &WebStyle) -> Value {
    let run = |job: &WorkflowJobView| {
        json!({
            "id": job.id,
            "status": job.status.as_str(),
            "startTime": style.date(job.start_time),
            "endTime": style.date(job.end_time),
        })
    };
    json!({ "workflows": jobs.iter().map(run).collect::<Vec<Value>>() })
}

/// Returns the attempts of a node before the last one.
#[cfg(feature = "serve")]
pub(crate) fn retries(attempts: &[AttemptView], style: &WebStyle) -> Value {
    let earlier = attempts.split_last().map_or(&[][..], |(_, earlier)| earlier);
    let retry = |attempt: &AttemptView| {
        json!({
            "attempt": attempt.attempt.to_string(),
            "startTime": style.date(Some(attempt.start_time)),
            "endTime": style.date(attempt.end_time),
            "consoleUrl": format!("file://{}", attempt.folder.display()),
        })
    };
    json!({ "retries": earlier.iter().map(retry).collect::<Vec<Value>>() })
}

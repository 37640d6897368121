//! The set `selectors`: the texts that choose actions, jobs and lines of a log.

mod filters;

use serde_json::Value;

use super::judge::Answer;
use super::record::text;
use crate::model::id::JobKind;

pub(super) fn answer(input: &Value) -> Answer {
    let given = text(input, "text");
    match text(input, "kind") {
        "job-filter" => filters::actions(given).into(),
        "workflow-jobs" => filters::jobs(given, JobKind::Workflow).into(),
        "coordinator-jobs" => filters::jobs(given, JobKind::Coordinator).into(),
        "bundle-jobs" => filters::jobs(given, JobKind::Bundle).into(),
        "bulk" => filters::bulk(given).into(),
        "log-filter" => filters::log(given).into(),
        _ => Answer::Skipped("unknown kind of selector"),
    }
}

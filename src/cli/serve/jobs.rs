//! `jobs`: lists of jobs.

use serde_json::json;

use crate::cli::oozie_json;
use crate::cli::serve::answered::{Answered, reading};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::style;
use crate::cli::session;
use crate::output::oozie_json as written;
use howdah_answers::query;
use howdah_answers::query::filter::{BulkFilter, JobsFilter};
use howdah_host::web::Request;
use howdah_words::model::id::{JobId, JobKind};

/// Answers a request to `jobs`.
pub(super) fn answer(site: &Site, request: &Request) -> Answered {
    reading(request)?;
    let (page, style) = (style::page(request)?, style::of(request));
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    if let Some(external) = request.parameter("external-id") {
        let id = query::run(&mut engine, now, |query| query.workflow_of_external_id(external))?;
        id.as_deref().and_then(JobId::parse).map_or(Ok(()), |job| site.check_seen(&job))?;
        return Ok(style::json(200, &json!({ "id": id })));
    }
    let document = if let Some(filter) = request.parameter("bulk") {
        let filter = BulkFilter::parse(filter)?;
        let mut selection = filter.matching();
        site.narrow(&mut selection.bundles);
        let view = query::run(&mut engine, now, |query| query.bulk(&selection, page))?;
        written::bulk(&view, &style)
    } else {
        let kind = kind(request)?;
        let mut filter = JobsFilter::parse(request.parameter("filter").unwrap_or_default(), kind)?.matching(now)?;
        site.narrow(&mut filter);
        query::run(&mut engine, now, |query| oozie_json::list(query, kind, (&filter, page), &style))?
    };
    Ok(style::json(200, &document))
}

/// Returns the kind of `jobtype`: a word with `wf`, `coord` or `bundle` in it, or the first letter of one.
pub(super) fn kind(request: &Request) -> Result<JobKind, Refusal> {
    let word = request.parameter("jobtype").unwrap_or("wf").to_lowercase();
    match word.as_str() {
        "w" | "workflow" | "workflows" => Ok(JobKind::Workflow),
        "c" => Ok(JobKind::Coordinator),
        "b" => Ok(JobKind::Bundle),
        _ if word.contains("wf") => Ok(JobKind::Workflow),
        _ if word.contains("coord") => Ok(JobKind::Coordinator),
        _ if word.contains("bundle") => Ok(JobKind::Bundle),
        _ => Err(Refusal::parameter("jobtype", &word)),
    }
}

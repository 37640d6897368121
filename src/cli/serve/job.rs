//! `job/ID`: a job, an action or a node, and what belongs to it.

use serde_json::json;

use crate::cli::oozie_json;
use crate::cli::serve::answered::{Answered, reading};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::{logs, style};
use crate::cli::session;
use crate::output::{graph as picture, oozie_json as written};
use howdah_answers::query;
use howdah_answers::query::coordinator::ActionSelection;
use howdah_answers::query::filter::ActionsFilter;
use howdah_host::web::{Answer, Request};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_store::{ActionOrder, Page};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::id::{JobKind, Target};
use howdah_words::model::secret::masked;

/// How many actions are shown when no number is given (`oozie.coord.actions.default.length`).
const MOST_ACTIONS: u32 = 1000;

/// Answers a request to `job/ID`.
pub(super) fn answer(site: &Site, request: &Request, id: &str) -> Answered {
    reading(request)?;
    let target = site.target(id)?;
    match request.parameter("show").unwrap_or("info") {
        "info" => info(site, request, &target),
        "status" => status(site, &target),
        "definition" => definition(site, &target),
        "log" => logs::log(site, request, &target),
        "errorlog" => logs::error_log(site, request, &target),
        "auditlog" => logs::audit_log(site, request, &target),
        "allruns" => runs(site, request, &target),
        "graph" => graph(site, request, &target),
        "retries" => retries(site, request, &target),
        "missing-dependencies" => missing(site, request, &target),
        "jmstopic" => Err(Error::new(ErrorCode::E1602, "there is no JMS").into()),
        other => Err(Refusal::parameter("show", other)),
    }
}

fn info(site: &Site, request: &Request, target: &Target) -> Answered {
    let (style, now) = (style::of(request), session::clock(&site.global)?.now());
    let selection = selection(request, target)?;
    let mut engine = session::query_engine(&site.global)?;
    let document = query::run(&mut engine, now, |query| oozie_json::info(query, target, &selection, &style))?;
    Ok(style::json(200, &document))
}

/// Returns which actions of a coordinator job, or which nodes of a workflow job, are shown. Version 2 shows no actions
/// of a coordinator job unless it is asked for some.
fn selection(request: &Request, target: &Target) -> Result<ActionSelection, Refusal> {
    let is_coordinator = matches!(target, Target::Job(id) if id.kind() == JobKind::Coordinator);
    let is_new = request.path.get(1).is_some_and(|version| version == "v2");
    let len = match style::number(request, "len")? {
        None | Some(0) if is_coordinator && is_new => 0,
        // A job has as many actions as its times; a workflow job has no more nodes than its definition.
        _ if is_coordinator => style::positive(request, "len", MOST_ACTIONS)?.min(style::LARGEST_PAGE),
        _ => style::positive(request, "len", u32::MAX)?,
    };
    let is_descending = request.parameter("order") == Some("desc");
    let filter = request.parameter("filter").filter(|_| is_coordinator).unwrap_or_default();
    Ok(ActionSelection {
        filter: ActionsFilter::parse(filter)?.matching()?,
        order: if is_descending { ActionOrder::NewestFirst } else { ActionOrder::OldestFirst },
        page: Page { offset: style::positive(request, "offset", 1)? - 1, len },
    })
}

fn status(site: &Site, target: &Target) -> Answered {
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    let state = query::run(&mut engine, now, |query| query.end_state(target))?;
    Ok(style::json(200, &json!({ "status": state.status.to_string() })))
}

fn definition(site: &Site, target: &Target) -> Answered {
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    let text = query::run(&mut engine, now, |query| query.definition_of(target))?;
    Ok(Answer::new(200, "application/xml;charset=UTF-8", masked(&text).into_owned()))
}

/// Answers `show=allruns` of an action, or of a job with `type=action` and `scope`.
fn runs(site: &Site, request: &Request, target: &Target) -> Answered {
    let (style, now) = (style::of(request), session::clock(&site.global)?.now());
    let scope = || request.parameter("scope").and_then(|scope| scope.trim().parse().ok());
    let action = match target {
        Target::CoordinatorAction(id, number) => Some((id, *number)),
        Target::Job(id) if id.kind() == JobKind::Coordinator => scope().map(|number| (id, number)),
        _ => None,
    };
    let Some((id, number)) = action else {
        return Err(Error::new(ErrorCode::E0302, "show=allruns needs one action of a coordinator job").into());
    };
    let mut engine = session::query_engine(&site.global)?;
    let view = query::run(&mut engine, now, |query| query.runs_of_action(id, number))?;
    Ok(style::json(200, &written::runs(&view.workflows, &style)))
}

/// Answers `show=graph`, in the formats `svg` (the default) and `dot`.
fn graph(site: &Site, request: &Request, target: &Target) -> Answered {
    let Target::Job(id) = target else { return Err(Error::new(ErrorCode::E0302, target).into()) };
    if id.kind() != JobKind::Workflow {
        return Err(Error::new(ErrorCode::E0302, format!("graph of {id}, which is no workflow job")).into());
    }
    let with_kills = matches!(request.parameter("show-kill"), Some("1" | "yes" | "true"));
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    let nodes = query::run(&mut engine, now, |query| query.graph(id))?;
    match request.parameter("format").unwrap_or("svg") {
        "svg" => Ok(Answer::new(200, "image/svg+xml", picture::svg(&nodes, with_kills))),
        "dot" => Ok(Answer::new(200, "text/plain;charset=UTF-8", picture::dot(&nodes, with_kills))),
        other => Err(Refusal::parameter("format", other)),
    }
}

fn retries(site: &Site, request: &Request, target: &Target) -> Answered {
    let (style, now) = (style::of(request), session::clock(&site.global)?.now());
    let Target::Node(job, name) = target else {
        return Err(Error::new(ErrorCode::E0302, "show=retries needs a node of a workflow job").into());
    };
    let mut engine = session::query_engine(&site.global)?;
    let node = query::run(&mut engine, now, |query| query.node_info(job, name))?;
    Ok(style::json(200, &written::retries(node.attempts.as_deref().unwrap_or_default(), &style)))
}

fn missing(site: &Site, request: &Request, target: &Target) -> Answered {
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    let dates = |text: &str| Scope::dates(text, engine.settings.submit.processing);
    let (job, scope) = match (target, request.parameter("action-list"), request.parameter("date")) {
        (Target::CoordinatorAction(job, number), ..) => (job, Scope::Numbers(ActionNumbers::one(*number))),
        (Target::Job(job), Some(numbers), _) => (job, Scope::numbers(numbers)?),
        (Target::Job(job), None, Some(text)) => (job, dates(text)?),
        _ => return Err(Error::new(ErrorCode::E0302, "missing-dependencies needs action-list or date").into()),
    };
    let open = query::run(&mut engine, now, |query| query.open_inputs(job, &scope, style::LARGEST_PAGE))?;
    Ok(style::json(200, &written::missing_dependencies(&open)))
}

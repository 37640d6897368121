//! The page for people: which data a page shows.

use crate::cli::explain;
use crate::cli::serve::answered::{Answered, reading};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::{logs, style};
use crate::cli::session;
use crate::output::page::{self, Detail, Links, Month};
use crate::output::table_zone::TableZone;
use howdah_answers::query::coordinator::{ActionSelection, Extent};
use howdah_answers::query::filter::{ActionsFilter, JobsFilter};
use howdah_answers::query::{self, Query};
use howdah_calendar::Zone;
use howdah_host::web::{Answer, Request};
use howdah_store::{ActionFilter, ActionOrder, Page};
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, JobKind, Target};

/// How many actions a page shows.
const MOST_ACTIONS: u32 = 100;
/// How many actions a month of a calendar shows.
const MOST_IN_MONTH: u32 = 1500;

/// Where a browser may take anything from: only the style sheet, from here.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// Answers a request for a page.
pub(super) fn answer(site: &Site, request: &Request, path: &[&str]) -> Answered {
    reading(request)?;
    let html = match path {
        [] => jobs(site, request)?,
        ["job", id] => job(site, id)?,
        ["job", id, "log"] => text(site, "Log", id)?,
        ["job", id, "history"] => text(site, "History", id)?,
        ["job", id, "definition"] => text(site, "Definition", id)?,
        ["job", id, "calendar"] => calendar(site, request, id)?,
        _ => return Err(Refusal::not_found(&path.join("/"))),
    };
    Ok(Answer::new(200, "text/html;charset=UTF-8", html)
        .with("content-security-policy", POLICY)
        .with("referrer-policy", "same-origin"))
}

/// Returns the style sheet of all pages.
pub(super) fn style() -> Answer {
    Answer::new(200, "text/css;charset=UTF-8", page::STYLE)
}

fn jobs(site: &Site, request: &Request) -> Result<String, Refusal> {
    let (now, page, zone) = (session::clock(&site.global)?.now(), style::page(request)?, TableZone::default());
    let (kind, word) = match request.parameter("type") {
        Some("wf") => (JobKind::Workflow, "wf"),
        Some("bundle") => (JobKind::Bundle, "bundle"),
        _ => (JobKind::Coordinator, "coord"),
    };
    let text = request.parameter("filter").unwrap_or_default();
    let mut filter = JobsFilter::parse(text, kind)?.matching(now)?;
    site.narrow(&mut filter);
    let links = |total| Links { kind: word, filter: text.to_owned(), offset: page.offset + 1, len: page.len, total };
    let mut engine = session::query_engine(&site.global)?;
    Ok(query::run(&mut engine, now, |query| {
        Ok(match kind {
            JobKind::Coordinator => {
                let view = query.coordinator_jobs(&filter, page, Extent::LastSuccess)?;
                page::coordinators(&view, &links(view.total), &zone)
            }
            JobKind::Workflow => {
                let view = query.workflow_jobs(&filter, page)?;
                page::workflows(&view, &links(view.total), &zone)
            }
            JobKind::Bundle => {
                let view = query.bundle_jobs(&filter, page)?;
                page::bundles(&view, &links(view.total), &zone)
            }
        })
    })?)
}

fn job(site: &Site, id: &str) -> Result<String, Refusal> {
    let target = site.target(id)?;
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    Ok(query::run(&mut engine, now, |query| {
        let explanation = explain::explanation(query, &target)?;
        Ok(page::job(&explanation, &detail(query, &target)?, &TableZone::default()))
    })?)
}

fn detail(query: &mut Query<'_>, target: &Target) -> Result<Detail> {
    Ok(match target {
        Target::Job(id) => match id.kind() {
            JobKind::Coordinator => Detail::Coordinator(Box::new(query.coordinator_info(id, &latest())?)),
            JobKind::Workflow => Detail::Workflow(Box::new(query.workflow_info(id)?), query.graph(id)?),
            JobKind::Bundle => Detail::Bundle(Box::new(query.bundle_info(id)?)),
        },
        Target::CoordinatorAction(id, number) => {
            // An action that is not created yet is explained too; it has no workflow job.
            let job = query.coordinator_job(id)?;
            let exists = query.coordinator_action(&job, *number).is_ok();
            Detail::Action(if exists { query.runs_of_action(id, *number)?.workflows } else { Vec::new() })
        }
        Target::Node(..) => Detail::Node,
    })
}

/// Returns the selection of the latest actions.
fn latest() -> ActionSelection {
    ActionSelection {
        filter: Some(ActionFilter::default()),
        order: ActionOrder::NewestFirst,
        page: Page { offset: 0, len: MOST_ACTIONS },
    }
}

/// Returns the page of a log, a history or a definition.
fn text(site: &Site, what: &str, id: &str) -> Result<String, Refusal> {
    let target = site.target(id)?;
    let text = match what {
        "Definition" => {
            let now = session::clock(&site.global)?.now();
            let mut engine = session::query_engine(&site.global)?;
            query::run(&mut engine, now, |query| query.definition(target.job()))?
        }
        "History" => logs::text(site, &target, vec!["--audit".to_owned()])?,
        _ => logs::text(site, &target, Vec::new())?,
    };
    Ok(page::text(what, &target.to_string(), &text))
}

/// Returns the page of a month of a coordinator job: that of `month`, else that of its next action.
fn calendar(site: &Site, request: &Request, id: &str) -> Result<String, Refusal> {
    let Target::Job(job) = site.target(id)? else { return Err(Refusal::not_found(&request.path.join("/"))) };
    if job.kind() != JobKind::Coordinator {
        return Err(Refusal::not_found(&request.path.join("/")));
    }
    let wanted = match request.parameter("month") {
        Some(text) => Some(Month::parse(text).ok_or_else(|| Refusal::parameter("month", text))?),
        None => None,
    };
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    Ok(query::run(&mut engine, now, |query| month_of(query, &job, wanted))?)
}

fn month_of(query: &mut Query<'_>, job: &JobId, wanted: Option<Month>) -> Result<String> {
    let row = query.coordinator_job(job)?;
    let next = row.next_materialized_at.unwrap_or(row.start_at);
    let of_next = || Month::parse(&howdah_engine::format::time(next)[..7]);
    let month = wanted.or_else(of_next).unwrap_or(Month { year: 1970, month: 1 });
    let (from, until) = (month.first_day(), month.plus(1).first_day());
    let filter = format!("nominaltime>={from}T00:00Z;nominaltime<{until}T00:00Z");
    let selection = ActionSelection {
        filter: ActionsFilter::parse(&filter)?.matching()?,
        order: ActionOrder::OldestFirst,
        page: Page { offset: 0, len: MOST_IN_MONTH },
    };
    let info = query.coordinator_info(job, &selection)?;
    let actions = info.job.actions.as_deref().unwrap_or_default();
    let is_cut = info.matching > MOST_IN_MONTH;
    Ok(page::calendar(&info.job, month, (actions, is_cut), &Zone::utc()))
}

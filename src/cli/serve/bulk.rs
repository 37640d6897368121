//! `PUT jobs`: a verb on all jobs of a page of a list.

use crate::cli::oozie_json;
use crate::cli::serve::answered::Answered;
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::{jobs, style};
use crate::cli::{runner, session, verb};
use howdah_answers::query;
use howdah_answers::query::filter::JobsFilter;
use howdah_engine::apply::control::Verb;
use howdah_engine::apply::outcome::for_each;
use howdah_engine::verbs::{control, many};
use howdah_host::web::Request;
use howdah_store::{JobFilter, Page};
use howdah_words::model::effect::Effect;

/// Applies `action` to the jobs of the page that match, and lists those that changed.
pub(super) fn answer(site: &Site, request: &Request) -> Answered {
    let verb = match request.parameter("action").unwrap_or_default() {
        "kill" => Verb::Kill,
        "suspend" => Verb::Suspend,
        "resume" => Verb::Resume,
        other => return Err(Refusal::parameter("action", other)),
    };
    let (kind, page, now) = (jobs::kind(request)?, style::page(request)?, session::clock(&site.global)?.now());
    let filter = JobsFilter::parse(request.parameter("filter").unwrap_or_default(), kind)?;
    filter.check_narrow()?;
    let filter = filter.matching(now)?;
    let mut engine = match verb {
        Verb::Resume => runner::engine_for_work(&site.global)?,
        Verb::Suspend | Verb::Kill => session::existing_engine(&site.global)?,
    };
    let mut ids = many::matching(&engine, kind, &filter)?;
    site.narrow_to_acting(&engine, &mut ids)?;
    let ids: Vec<_> = ids.into_iter().skip(page.offset as usize).take(page.len as usize).collect();
    let when = (Effect::Stored, now);
    let outcomes = for_each(&ids, |id| id, |id| control::control(&mut engine, id, verb, when))?;
    verb::start_processes(&engine, &site.global, Effect::Stored)?;
    let changed = outcomes.iter().filter(|outcome| !outcome.has_changed_nothing());
    let mut changed: Vec<String> = changed.map(|outcome| outcome.id.clone()).collect();
    let refused = outcomes.into_iter().find_map(|outcome| outcome.refused);
    if let Some(refused) = refused.filter(|_| changed.is_empty()) {
        return Err(refused.into());
    }
    if changed.is_empty() {
        // Without ids a filter matches every job; no job has an empty one.
        changed.push(String::new());
    }
    let all = Page { offset: 0, len: page.len };
    let filter = JobFilter { ids: changed, order: filter.order, ..JobFilter::default() };
    let style = style::of(request);
    let list = query::run(&mut engine, now, |query| oozie_json::list(query, kind, (&filter, all), &style))?;
    Ok(style::json(200, &list))
}

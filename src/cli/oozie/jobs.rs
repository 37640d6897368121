//! `oozie jobs`: lists of jobs, and commands on all jobs that match.

use crate::cli::oozie::call::{Call, Done, print};
use crate::cli::{runner, session, verb};
use crate::output::oozie::{Style, bundle, coordinator, workflow};
use howdah_answers::query::coordinator::Extent;
use howdah_answers::query::filter::{BulkFilter, JobsFilter};
use howdah_answers::query::{self, Query};
use howdah_engine::apply::control::Verb;
use howdah_engine::apply::outcome::{Outcome, for_each};
use howdah_engine::verbs::{control, many};
use howdah_store::{JobFilter, Page};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobKind;

/// How many jobs are listed when no number is given.
const MOST_JOBS: u32 = 50;

/// Lists jobs, or changes them with `-kill`, `-suspend`, `-resume`.
pub(super) fn jobs(call: &Call<'_>) -> Done {
    let page = Page { offset: call.positive("offset", 1)? - 1, len: call.positive("len", MOST_JOBS)? };
    let verbs = [("kill", Verb::Kill, "killed"), ("suspend", Verb::Suspend, "suspended")];
    let mut verbs = verbs.into_iter().chain([("resume", Verb::Resume, "resumed")]);
    if let Some((_, verb, participle)) = verbs.find(|(name, ..)| call.line.has(name)) {
        return change(call, verb, participle);
    }
    let style = call.style();
    if let Some(filter) = call.line.value("bulk") {
        let filter = BulkFilter::parse(filter)?;
        let mut engine = session::query_engine(call.global)?;
        let view = query::run(&mut engine, call.now, |query| query.bulk(&filter.matching(), page))?;
        return print(bundle::bulk(&view.bulkresponses, &style));
    }
    // The client prints nothing for another word.
    let Some(kind) = kind(call) else { return Ok(()) };
    let filter = JobsFilter::parse(call.line.value("filter").unwrap_or_default(), kind)?.matching(call.now)?;
    let mut engine = session::query_engine(call.global)?;
    let text = query::run(&mut engine, call.now, |query| listing(query, kind, (&filter, page), &style))?;
    print(text)
}

/// Returns the kind of `-jobtype`: a word with `wf` in it, or one that starts with `coord` or `bundle`.
fn kind(call: &Call<'_>) -> Option<JobKind> {
    let word = call.line.value("jobtype").unwrap_or("wf").to_lowercase();
    if word.contains("wf") {
        return Some(JobKind::Workflow);
    }
    let starts = |start| word.starts_with(start);
    if starts("coord") { Some(JobKind::Coordinator) } else { starts("bundle").then_some(JobKind::Bundle) }
}

fn listing(query: &mut Query<'_>, kind: JobKind, (filter, page): (&JobFilter, Page), style: &Style) -> Result<String> {
    Ok(match kind {
        JobKind::Workflow => workflow::jobs(&query.workflow_jobs(filter, page)?.workflows, style),
        JobKind::Coordinator => {
            coordinator::jobs(&query.coordinator_jobs(filter, page, Extent::Oozie)?.coordinatorjobs, style)
        }
        JobKind::Bundle => bundle::jobs(&query.bundle_jobs(filter, page)?.bundlejobs, style),
    })
}

/// Applies a command to every job that matches, and lists those that changed.
fn change(call: &Call<'_>, verb: Verb, participle: &str) -> Done {
    let Some(kind) = kind(call) else { return Ok(()) };
    let filter = JobsFilter::parse(call.line.value("filter").unwrap_or_default(), kind)?;
    filter.check_narrow()?;
    let filter = filter.matching(call.now)?;
    let mut engine = match verb {
        Verb::Resume => runner::engine_for_work(call.global)?,
        Verb::Suspend | Verb::Kill => session::existing_engine(call.global)?,
    };
    let ids = many::matching(&engine, kind, &filter)?;
    let when = (Effect::Stored, call.now);
    let outcomes = for_each(&ids, |id| id, |id| control::control(&mut engine, id, verb, when))?;
    verb::start_processes(&engine, call.global, Effect::Stored)?;
    let changed: Vec<String> =
        outcomes.iter().filter(|outcome| !outcome.has_changed_nothing()).map(|outcome| outcome.id.clone()).collect();
    let refused = outcomes.into_iter().find_map(|Outcome { refused, .. }| refused);
    if changed.is_empty() {
        print("bulk modify command did not modify any jobs\n")?;
    } else {
        let filter = JobFilter { ids: changed, order: filter.order, ..JobFilter::default() };
        let style = Style { verbose: false, ..call.style() };
        let page = Page { offset: 0, len: u32::MAX };
        let text = query::run(&mut engine, call.now, |query| listing(query, kind, (&filter, page), &style))?;
        print(format!("the following jobs have been {participle}\n{text}"))?;
    }
    refused.map_or(Ok(()), |error| Err(error.into()))
}

//! `PUT job/ID` with `action=rerun`, `coord-rerun` and `bundle-rerun`. As in Oozie, outputs are deleted unless
//! `nocleanup` says otherwise.

use crate::cli::runner;
use crate::cli::serve::answered::Answered;
use crate::cli::serve::order::Order;
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::{style, submission};
use crate::cli::session;
use howdah_engine::Engine;
use howdah_engine::apply::outcome::Outcome;
use howdah_engine::verbs::repair::select::named;
use howdah_engine::verbs::repair::{Manner, rerun_unasked};
use howdah_host::web::{Answer, Request};
use howdah_oozie::configuration::{ParsedProperties, check_storable};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::{Error, ErrorCode};

/// Returns the properties in the body; each must be allowed in a job.
pub(super) fn storable(request: &Request) -> Result<ParsedProperties, Refusal> {
    let properties = submission::properties(request)?;
    check_storable(&properties)?;
    Ok(properties)
}

/// Reruns a workflow job with the properties in the body.
pub(super) fn workflow(order: &Order<'_>) -> Answered {
    let manner = Manner { properties: storable(order.request)?, ..Manner::default() };
    let (engine, outcome) = rerun(order, None, (Vec::new(), manner))?;
    order.finish(&engine, outcome)
}

/// Reruns actions of a coordinator job.
pub(super) fn coordinator(order: &Order<'_>) -> Answered {
    let Some(scope) = &order.scope else { return Err(Error::new(ErrorCode::E0305, "scope").into()) };
    let says = |name: &str| style::says_yes(order.request, name);
    let (refresh, failed, nocleanup) = (says("refresh"), says("failed"), says("nocleanup"));
    let manner = Manner { refresh, failed, nocleanup, properties: storable(order.request)?, ..Manner::default() };
    let (mut engine, outcome) = rerun(order, Some(scope), (Vec::new(), manner))?;
    order.finish_with_actions(&mut engine, scope, outcome)
}

/// Reruns the coordinators of a bundle that `coord-scope` names, or their actions of `date-scope`.
pub(super) fn bundle(order: &Order<'_>) -> Answered {
    let given = |name: &str| order.request.parameter(name).filter(|text| !text.is_empty());
    let names = given("coord-scope").unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let coordinators: Vec<String> = names.map(str::to_owned).collect();
    let processing = session::settings(&order.site.global)?.submit.processing;
    let dates = given("date-scope").map(|dates| Scope::dates(dates, processing)).transpose()?;
    if coordinators.is_empty() && dates.is_none() {
        // As in Oozie: a request that chooses nothing reruns nothing.
        return Ok(Answer::empty(200));
    }
    let says = |name: &str| style::says_yes(order.request, name);
    let manner = Manner { refresh: says("refresh"), nocleanup: says("nocleanup"), ..Manner::default() };
    let (engine, outcome) = rerun(order, dates.as_ref(), (coordinators, manner))?;
    order.finish(&engine, outcome)
}

/// Reruns what is chosen of the job; its plan is stored first.
fn rerun(
    order: &Order<'_>,
    actions: Option<&Scope>,
    (coordinators, manner): (Vec<String>, Manner),
) -> Result<(Engine, Outcome), Refusal> {
    let mut engine = runner::engine_for_work(&order.site.global)?;
    let draft = named(&mut engine, (&order.job, actions), coordinators, &manner, order.now)?;
    let outcome = rerun_unasked(&mut engine, &order.job, draft, order.now)?;
    Ok((engine, outcome))
}

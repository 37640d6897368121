//! `PUT job/ID` with `action=rerun`, `coord-rerun` and `bundle-rerun`. As in Oozie, outputs are deleted unless
//! `nocleanup` says otherwise.

use crate::cli::runner;
use crate::cli::serve::answered::Answered;
use crate::cli::serve::order::Order;
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::{style, submission};
use crate::cli::session;
use howdah_engine::verbs::bundle::rerun::{self as together, BundleOrder};
use howdah_engine::verbs::rerun::{self, RerunOrder};
use howdah_host::web::{Answer, Request};
use howdah_oozie::configuration::{ParsedProperties, check_characters};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;

/// Returns the properties in the body; each must be allowed in a job.
pub(super) fn storable(request: &Request) -> Result<ParsedProperties, Refusal> {
    let properties = submission::properties(request)?;
    check_characters(&properties)?;
    Ok(properties)
}

/// Reruns a workflow job with the properties in the body.
pub(super) fn workflow(order: &Order<'_>) -> Answered {
    let properties = storable(order.request)?;
    let mut engine = runner::engine_for_work(&order.site.global)?;
    let outcome = rerun::rerun_workflow(&mut engine, &order.job, &properties, (Effect::Stored, order.now))?;
    order.finish(&engine, outcome)
}

/// Reruns actions of a coordinator job.
pub(super) fn coordinator(order: &Order<'_>) -> Answered {
    let Some(scope) = &order.scope else { return Err(Error::new(ErrorCode::E0305, "scope").into()) };
    let says = |name: &str| style::says_yes(order.request, name);
    let rerun = RerunOrder {
        job: order.job.clone(),
        actions: scope.clone(),
        refresh: says("refresh"),
        failed: says("failed"),
        nocleanup: says("nocleanup"),
        properties: storable(order.request)?,
    };
    let mut engine = runner::engine_for_work(&order.site.global)?;
    let plan = rerun::plan(&mut engine, rerun, order.now)?;
    let outcome = rerun::carry_out(&mut engine, &plan, order.now)?;
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
    let (refresh, nocleanup) = (says("refresh"), says("nocleanup"));
    let mut engine = runner::engine_for_work(&order.site.global)?;
    let rerun = BundleOrder { bundle: order.job.clone(), coordinators, dates, refresh, nocleanup };
    let plan = together::plan(&mut engine, rerun, order.now)?;
    let outcome = together::carry_out(&mut engine, &plan, order.now)?;
    order.finish(&engine, outcome)
}

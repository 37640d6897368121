//! `oozie job -rerun`, which asks nothing: outputs are deleted unless `-nocleanup` is given.

use crate::cli::oozie::call::{Call, Done, Refusal, print};
use crate::cli::oozie::control;
use crate::cli::{changed, runner, session};
use crate::output::oozie::actions;
use howdah_engine::verbs::bundle::rerun::{self as together, BundleOrder};
use howdah_engine::verbs::rerun::{self, RerunOrder};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};

/// `-rerun` of a workflow job, of actions, or of a bundle's coordinators.
pub(super) fn rerun(call: &Call<'_>, id: &str) -> Done {
    let (job, scope) = call.job_and_scope(id)?;
    match job.kind() {
        JobKind::Workflow => workflow(call, &job),
        JobKind::Bundle => bundle(call, &job),
        JobKind::Coordinator => {
            let given = call.properties_if_any()?;
            let Some(actions) = scope else {
                let why = "Invalid options provided for rerun: date or action expected.";
                return Err(Refusal::Client(why.to_owned()));
            };
            let order = RerunOrder {
                job,
                actions,
                refresh: call.line.has("refresh"),
                failed: call.line.has("failed"),
                nocleanup: call.line.has("nocleanup"),
                properties: session::storable(given.config.as_deref(), &given.definitions)?,
            };
            coordinator(call, order)
        }
    }
}

fn coordinator(call: &Call<'_>, order: RerunOrder) -> Done {
    let mut engine = runner::engine_for_work(call.global)?;
    let (job, scope) = (order.job.clone(), order.actions.clone());
    let plan = rerun::plan(&mut engine, order, call.now)?;
    let outcome = rerun::carry_out(&mut engine, &plan, call.now)?;
    let all = changed::all(&engine, (&job, &scope), &outcome)?;
    print(actions::changed(&all, &Call::local_zone()))?;
    control::finish(call, &engine, outcome)
}

fn workflow(call: &Call<'_>, job: &JobId) -> Done {
    let given = call.properties_if_any()?;
    let properties = session::storable(given.config.as_deref(), &given.definitions)?;
    let mut engine = runner::engine_for_work(call.global)?;
    let outcome = rerun::rerun_workflow(&mut engine, job, &properties, (Effect::Stored, call.now))?;
    control::finish(call, &engine, outcome)
}

fn bundle(call: &Call<'_>, bundle: &JobId) -> Done {
    if call.line.has("action") {
        let why = "Invalid options provided for bundle rerun. action is not valid for bundle rerun";
        return Err(Refusal::Client(why.to_owned()));
    }
    let names = call.line.value("coordinator").unwrap_or_default();
    let dates = call.line.value("date");
    let sentence = match names {
        "" => format!("All coordinators of bundle {bundle} are scheduled to rerun on the date ranges"),
        names => format!("Coordinators [{names}] of bundle {bundle} are scheduled to rerun on date ranges"),
    };
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let coordinators: Vec<String> = names.map(str::to_owned).collect();
    if !coordinators.is_empty() || dates.is_some() {
        let mut engine = runner::engine_for_work(call.global)?;
        let (refresh, nocleanup) = (call.line.has("refresh"), call.line.has("nocleanup"));
        let order = BundleOrder { bundle: bundle.clone(), coordinators, dates: call.scope()?, refresh, nocleanup };
        let plan = together::plan(&mut engine, order, call.now)?;
        let outcome = together::carry_out(&mut engine, &plan, call.now)?;
        control::finish(call, &engine, outcome)?;
    }
    print(format!("{sentence} [{}].\n", dates.unwrap_or("null")))
}

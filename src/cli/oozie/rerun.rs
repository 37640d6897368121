//! `oozie job -rerun`, which asks nothing: outputs are deleted unless `-nocleanup` is given.

use crate::cli::oozie::call::{Call, Done, Refusal, print};
use crate::cli::oozie::control;
use crate::cli::{changed, runner, session};
use crate::output::oozie::actions;
use howdah_engine::Engine;
use howdah_engine::apply::outcome::Outcome;
use howdah_engine::verbs::repair::select::named;
use howdah_engine::verbs::repair::{Manner, rerun_unasked};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::model::id::{JobId, JobKind};

/// `-rerun` of a workflow job, of actions, or of a bundle's coordinators.
pub(super) fn rerun(call: &Call<'_>, id: &str) -> Done {
    let (job, scope) = call.job_and_scope(id)?;
    if job.kind() == JobKind::Bundle {
        return bundle(call, &job);
    }
    let given = call.properties_if_any()?;
    let is_workflow = job.kind() == JobKind::Workflow;
    if scope.is_none() && !is_workflow {
        let why = "Invalid options provided for rerun: date or action expected.";
        return Err(Refusal::Client(why.to_owned()));
    }
    let mut manner =
        Manner { properties: session::storable(given.config.as_deref(), &given.definitions)?, ..Manner::default() };
    if is_workflow {
        let (engine, outcome) = again(call, (&job, None), Vec::new(), &manner)?;
        return control::finish(call, &engine, outcome);
    }
    let has = |name: &str| call.line.has(name);
    (manner.refresh, manner.failed, manner.nocleanup) = (has("refresh"), has("failed"), has("nocleanup"));
    let (engine, outcome) = again(call, (&job, scope.as_ref()), Vec::new(), &manner)?;
    if let Some(scope) = &scope {
        let all = changed::all(&engine, (&job, scope), &outcome)?;
        print(actions::changed(&all, &Call::local_zone()))?;
    }
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
        let (refresh, nocleanup) = (call.line.has("refresh"), call.line.has("nocleanup"));
        let manner = Manner { refresh, nocleanup, ..Manner::default() };
        let (engine, outcome) = again(call, (bundle, call.scope()?.as_ref()), coordinators, &manner)?;
        control::finish(call, &engine, outcome)?;
    }
    print(format!("{sentence} [{}].\n", dates.unwrap_or("null")))
}

/// Reruns what is chosen of a job; its plan is stored first.
fn again(
    call: &Call<'_>,
    chosen: (&JobId, Option<&Scope>),
    coordinators: Vec<String>,
    manner: &Manner,
) -> Result<(Engine, Outcome), Refusal> {
    let mut engine = runner::engine_for_work(call.global)?;
    let draft = named(&mut engine, chosen, coordinators, manner, call.now)?;
    let outcome = rerun_unasked(&mut engine, chosen.0, draft, call.now)?;
    Ok((engine, outcome))
}

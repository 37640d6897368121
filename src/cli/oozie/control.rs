//! `oozie job -suspend`, `-resume`, `-kill`, `-ignore`, `-change`, `-update` and the alerts of SLAs.
//!
//! A job whose status does not allow the command stays as it is, and nothing is printed, as in Oozie.

use crate::cli::oozie::call::{Call, Done, Refusal, print};
use crate::cli::{changed, runner, session, verb};
use crate::output::oozie::actions;
use crate::output::update as show;
use howdah_engine::Engine;
use howdah_engine::apply::control::Verb;
use howdah_engine::apply::outcome::Outcome;
use howdah_engine::verbs::sla::{self, Alerts};
use howdah_engine::verbs::update::{self, UpdateOrder};
use howdah_engine::verbs::{bundle, change as changes, control};
use howdah_oozie::coordinator::operation::change_value::{NewBundleValues, NewValues};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind, Target};

/// What was stored is followed by the processes that continue it.
pub(super) fn finish(call: &Call<'_>, engine: &Engine, outcome: Outcome) -> Done {
    verb::start_processes(engine, call.global, Effect::Stored)?;
    match outcome.refused {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

impl Call<'_> {
    /// Returns the whole job, or the actions of it, that an option names.
    pub(super) fn job_and_scope(&self, text: &str) -> Result<(JobId, Option<Scope>), Refusal> {
        let scope = self.scope()?;
        match (self.target(text)?, scope) {
            (Target::CoordinatorAction(id, number), None) => Ok((id, Some(Scope::numbers(&number.to_string())?))),
            (Target::Job(id), scope) => Ok((id, scope)),
            _ => Ok((self.job(text)?, None)),
        }
    }
}

/// `-suspend`, `-resume` and `-kill` of a whole job.
pub(super) fn whole(call: &Call<'_>, id: &str, verb: Verb) -> Done {
    let id = call.job(id)?;
    let mut engine = match verb {
        Verb::Resume => runner::engine_for_work(call.global)?,
        Verb::Suspend | Verb::Kill => session::existing_engine(call.global)?,
    };
    let outcome = control::control(&mut engine, &id, verb, (Effect::Stored, call.now))?;
    finish(call, &engine, outcome)
}

/// `-kill` of a job, or of actions with `-action` or `-date`.
pub(super) fn kill(call: &Call<'_>, id: &str) -> Done {
    let Some(scope) = call.scope()? else { return whole(call, id, Verb::Kill) };
    let job = call.job(id)?;
    if job.kind() != JobKind::Coordinator {
        return whole(call, id, Verb::Kill);
    }
    let mut engine = session::existing_engine(call.global)?;
    let outcome = control::kill_actions(&mut engine, &job, &scope, (Effect::Stored, call.now))?;
    let all = changed::all(&engine, (&job, &scope), &outcome)?;
    print(actions::changed(&all, &Call::local_zone()))?;
    finish(call, &engine, outcome)
}

/// `-ignore` of a job, or of actions with `-action`.
pub(super) fn ignore(call: &Call<'_>, id: &str) -> Done {
    let when = (Effect::Stored, call.now);
    let (job, scope) = call.job_and_scope(id)?;
    let mut engine = session::existing_engine(call.global)?;
    let Some(scope) = scope else {
        let outcome = changes::ignore_job(&mut engine, &job, when)?;
        return finish(call, &engine, outcome);
    };
    let outcome = changes::ignore_actions(&mut engine, &job, &scope, when)?;
    let all = changed::all(&engine, (&job, &scope), &outcome)?;
    print(actions::ignored(&all, &Call::local_zone()))?;
    finish(call, &engine, outcome)
}

/// Refuses an empty value, as Oozie's services do before they look at the job.
///
/// # Errors
/// E1603.
pub(crate) fn not_empty(value: &str) -> Result<&str, Error> {
    if value.is_empty() { Err(Error::plain(ErrorCode::E1603, "value cannot be empty")) } else { Ok(value) }
}

/// `-change` with `-value`.
pub(super) fn change(call: &Call<'_>, id: &str) -> Done {
    let Some(text) = call.line.value("value") else {
        return Err(Refusal::Client("-value option needs to be specified for -change option".to_owned()));
    };
    let text = not_empty(text)?;
    let job = call.job(id)?;
    let when = (Effect::Stored, call.now);
    let processing = session::settings(call.global)?.submit.processing;
    let outcome_of = |engine: &mut Engine| match job.kind() {
        JobKind::Bundle => bundle::change(engine, &job, &NewBundleValues::parse(text, processing)?, when),
        JobKind::Coordinator | JobKind::Workflow => {
            changes::change_job(engine, &job, &NewValues::parse(text, processing)?, when)
        }
    };
    let mut engine = session::existing_engine(call.global)?;
    let outcome = outcome_of(&mut engine)?;
    finish(call, &engine, outcome)
}

/// `-update`, with `-dryrun` and `-diff`.
pub(super) fn update(call: &Call<'_>, id: &str) -> Done {
    let job = call.job(id)?;
    let given = call.properties_if_any()?;
    let file = given.config.as_deref().map(|file| session::storable(Some(file), &[])).transpose()?;
    let defined = Some(session::storable(None, &given.definitions)?).filter(|_| !given.definitions.is_empty());
    let mut engine = session::existing_engine(call.global)?;
    let effect = if call.line.has("dryrun") { Effect::DryRun } else { Effect::Stored };
    let order = UpdateOrder { job: &job, properties: file, definitions: defined, actions: 0, effect };
    let update = update::update(&mut engine, order, call.now).map_err(|errors| Refusal::Failure(errors.into()))?;
    let shows = call.line.value("diff").is_none_or(|word| !word.eq_ignore_ascii_case("false"));
    let differences = if shows { show::differences(&update) } else { String::new() };
    // As the client: the end of a line follows the text, which has its own.
    print(differences + "\n")?;
    Ok(verb::start_processes(&engine, call.global, effect)?)
}

/// `-slaenable` and `-sladisable`.
pub(super) fn set_alerts(call: &Call<'_>, id: &str, alerts: Alerts) -> Done {
    let (job, scope) = call.job_and_scope(id)?;
    let mut engine = session::existing_engine(call.global)?;
    let outcome = sla::set_alerts(&mut engine, &job, (scope.as_ref(), alerts), (Effect::Stored, call.now))?;
    finish(call, &engine, outcome)?;
    print("Done\n")
}

/// `-slachange` with `-value`.
pub(super) fn change_sla(call: &Call<'_>, id: &str) -> Done {
    let Some(text) = call.line.value("value") else {
        return Err(Refusal::Client("-value option needs to be specified for -slachange option".to_owned()));
    };
    let text = not_empty(text)?;
    let (job, scope) = call.job_and_scope(id)?;
    let mut engine = session::existing_engine(call.global)?;
    let outcome = sla::change(&mut engine, &job, (scope.as_ref(), text), (Effect::Stored, call.now))?;
    finish(call, &engine, outcome)?;
    print("Done\n")
}

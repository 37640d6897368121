//! `PUT job/ID?action=...`: the verbs of an operator. Most succeed with an empty body, as in Oozie.

use serde_json::json;

use crate::cli::oozie::not_empty;
use crate::cli::serve::answered::Answered;
use crate::cli::serve::order::Order;
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::{rerun, style};
use crate::cli::{runner, session, verb};
use crate::output::update as show;
use howdah_engine::apply::control::Verb;
use howdah_engine::lookup::Job;
use howdah_engine::tick::kick_off::{self, Start};
use howdah_engine::verbs::sla::{self, Alerts};
use howdah_engine::verbs::update::{self, UpdateOrder};
use howdah_engine::verbs::{self, bundle, change as changes, control};
use howdah_host::web::{Answer, Request};
use howdah_oozie::coordinator::operation::change_value::{NewBundleValues, NewValues};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobKind, Target};
use howdah_words::model::job_status::JobStatus;

/// Answers `PUT job/ID`.
pub(super) fn answer(site: &Site, request: &Request, id: &str) -> Answered {
    let now = session::clock(&site.global)?.now();
    let target = site.target(id)?;
    site.check_acting(target.job())?;
    let (job, scope) = match target {
        Target::Job(job) => (job, scope(site, request)?),
        Target::CoordinatorAction(job, number) => (job, Some(Scope::numbers(&number.to_string())?)),
        Target::Node(..) => return Err(Error::new(ErrorCode::E0302, id).into()),
    };
    let order = Order { site, request, job, scope, now };
    match request.parameter("action").unwrap_or_default() {
        "start" => order.start(),
        "suspend" => order.whole(Verb::Suspend),
        "resume" => order.whole(Verb::Resume),
        "kill" => order.kill(),
        "change" => order.change(),
        "ignore" => order.ignore(),
        "update" => order.update(),
        "rerun" => rerun::workflow(&order),
        "coord-rerun" => rerun::coordinator(&order),
        "bundle-rerun" => rerun::bundle(&order),
        "sla-enable" => order.set_alerts(Alerts::Enabled),
        "sla-disable" => order.set_alerts(Alerts::Disabled),
        "sla-change" => order.change_sla(),
        other => Err(Refusal::parameter("action", other)),
    }
}

/// Returns the actions that a request chooses: `type` and `scope`, or `action-list`, or `date`.
fn scope(site: &Site, request: &Request) -> Result<Option<Scope>, Refusal> {
    let given = |name: &str| request.parameter(name).filter(|text| !text.is_empty());
    let processing = || session::settings(&site.global).map(|settings| settings.submit.processing);
    if let Some(numbers) = given("action-list") {
        return Ok(Some(Scope::numbers(numbers)?));
    }
    if let Some(dates) = given("date") {
        return Ok(Some(Scope::dates(dates, processing()?)?));
    }
    let Some(scope) = given("scope") else { return Ok(None) };
    match given("type") {
        Some("date") => Ok(Some(Scope::dates(scope, processing()?)?)),
        Some("action") => Ok(Some(Scope::numbers(scope)?)),
        other => Err(Refusal::parameter("type", other.unwrap_or_default())),
    }
}

/// The verbs of whole jobs and of actions.
impl Order<'_> {
    /// Starts a workflow job or a bundle in PREP.
    fn start(&self) -> Answered {
        let mut engine = self.engine()?;
        match engine.store.read(|snapshot| Job::of(snapshot, &self.job))? {
            Job::Coordinator(_) => {
                let what = format!("start of {}, which is a coordinator job", self.job);
                return Err(Error::new(ErrorCode::E0302, what).into());
            }
            Job::Bundle(bundle) if bundle.status == JobStatus::PREP => {
                let faults = kick_off::start(&mut engine, &self.job, Start::Now, self.now)?;
                if let Some(fault) = faults.into_iter().next() {
                    return Err(fault.into());
                }
            }
            Job::Workflow(_) => verbs::start::start(&mut engine, &self.job)?,
            Job::Bundle(_) => {}
        }
        verb::start_processes(&engine, &self.site.global, Effect::Stored)?;
        Ok(Answer::empty(200))
    }

    fn whole(&self, verb: Verb) -> Answered {
        let mut engine = match verb {
            Verb::Resume => runner::engine_for_work(&self.site.global)?,
            Verb::Suspend | Verb::Kill => self.engine()?,
        };
        let outcome = control::control(&mut engine, &self.job, verb, self.when())?;
        self.finish(&engine, outcome)
    }

    fn kill(&self) -> Answered {
        let Some(scope) = self.scope.as_ref().filter(|_| self.job.kind() == JobKind::Coordinator) else {
            return self.whole(Verb::Kill);
        };
        let mut engine = self.engine()?;
        let outcome = control::kill_actions(&mut engine, &self.job, scope, self.when())?;
        self.finish_with_actions(&mut engine, scope, outcome)
    }

    fn ignore(&self) -> Answered {
        let mut engine = self.engine()?;
        let Some(scope) = &self.scope else {
            let outcome = changes::ignore_job(&mut engine, &self.job, self.when())?;
            return self.finish(&engine, outcome);
        };
        let outcome = changes::ignore_actions(&mut engine, &self.job, scope, self.when())?;
        self.finish_with_actions(&mut engine, scope, outcome)
    }

    fn value(&self) -> Result<&str, Refusal> {
        let missing = || Error::plain(ErrorCode::E1603, "value cannot be null");
        Ok(not_empty(self.request.parameter("value").ok_or_else(missing)?)?)
    }

    fn change(&self) -> Answered {
        let text = self.value()?;
        let mut engine = self.engine()?;
        let processing = engine.settings.submit.processing;
        let outcome = match self.job.kind() {
            JobKind::Bundle => {
                bundle::change(&mut engine, &self.job, &NewBundleValues::parse(text, processing)?, self.when())?
            }
            JobKind::Coordinator | JobKind::Workflow => {
                changes::change_job(&mut engine, &self.job, &NewValues::parse(text, processing)?, self.when())?
            }
        };
        self.finish(&engine, outcome)
    }

    fn update(&self) -> Answered {
        let given = !self.request.body.is_empty();
        let properties = given.then(|| rerun::storable(self.request)).transpose()?;
        let effect = if style::says_yes(self.request, "dryrun") { Effect::DryRun } else { Effect::Stored };
        let mut engine = self.engine()?;
        let order = UpdateOrder { job: &self.job, properties, definitions: None, actions: 0, effect };
        let update = update::update(&mut engine, order, self.now).map_err(crate::cli::exit::Failure::from)?;
        verb::start_processes(&engine, &self.site.global, effect)?;
        let shows = self.request.parameter("diff").is_none_or(|word| !word.eq_ignore_ascii_case("false"));
        let differences = if shows { show::differences(&update) } else { String::new() };
        Ok(style::json(200, &json!({ "update": { "diff": differences } })))
    }

    fn set_alerts(&self, alerts: Alerts) -> Answered {
        let mut engine = self.engine()?;
        let outcome = sla::set_alerts(&mut engine, &self.job, (self.scope.as_ref(), alerts), self.when())?;
        self.finish(&engine, outcome)
    }

    fn change_sla(&self) -> Answered {
        let text = self.value()?;
        let mut engine = self.engine()?;
        let outcome = sla::change(&mut engine, &self.job, (self.scope.as_ref(), text), self.when())?;
        self.finish(&engine, outcome)
    }
}

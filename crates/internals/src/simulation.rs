//! The engine of the simulated year: on a database of its own, at any time that the test chooses.
//!
//! Every call is one command or one tick, through the functions that the commands use; only workflow jobs are replaced
//! by a script. Decides nothing.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use howdah_answers::query;
use howdah_engine::Engine;
use howdah_engine::apply::control::Verb;
use howdah_engine::runner::scripted;
use howdah_engine::settings::Settings;
use howdah_engine::submit::submission;
use howdah_engine::tick::{self, Clock};
use howdah_engine::verbs::repair::select::named;
use howdah_engine::verbs::repair::{Manner, rerun_unasked};
use howdah_engine::verbs::{change, control};
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_oozie::workflow::job_state::JobEvent;
use howdah_store::{Birth, OpenMode, Store};
use howdah_words::error::Error;
use howdah_words::model::Properties;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::time::Timestamp;

/// An engine whose time the test chooses.
pub struct Simulation {
    engine: Engine,
}

/// A command of an operator; lists of actions are in the notation of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `suspend`
    Suspend,
    /// `resume`
    Resume,
    /// `kill`
    Kill,
    /// `kill --action`
    KillActions(String),
    /// `change`
    Change(String),
    /// `rerun --action`, with `--refresh`, with `--failed`
    Rerun {
        /// The list of `--action`.
        actions: String,
        /// Whether the actions are created again.
        refresh: bool,
        /// Whether their workflow jobs continue.
        failed: bool,
    },
    /// `ignore`
    Ignore,
    /// `ignore --action`
    IgnoreActions(String),
}

/// An event of a workflow job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// A runner starts it.
    Begins,
    /// It reaches its end node.
    Succeeds,
    /// A node of it fails.
    Fails,
    /// It reaches a kill node.
    IsKilled,
}

/// A text for any refusal.
fn told(error: &Error) -> String {
    error.to_string()
}

impl Simulation {
    /// An engine on a new database, with the settings of a site; times are seconds of UTC.
    ///
    /// # Errors
    /// Why the settings or the database cannot be used.
    pub fn create(database: &Path, site: &BTreeMap<String, String>, now: i64) -> Result<Self, String> {
        let site: Properties = site.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let (settings, problems) = Settings::from_site(&site.into());
        if let Some(problem) = problems.first() {
            return Err(told(problem));
        }
        let birth = Birth::at(Timestamp::from_seconds(now), 0);
        let store = Store::open(database, &OpenMode::Create(birth)).map_err(|error| told(&error))?;
        Ok(Self { engine: Engine::new(store, settings, Mounts::default()) })
    }

    /// Submits a coordinator; returns its id.
    ///
    /// # Errors
    /// The refusal.
    pub fn submit(&mut self, properties: &BTreeMap<String, String>, now: i64) -> Result<String, String> {
        let properties: Properties = properties.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let properties = ParsedProperties::from(properties);
        let Engine { mounts, settings, .. } = &self.engine;
        let (prepared, problems) = submission::prepare(mounts, settings, &properties);
        let Some(prepared) = prepared else { return Err(format!("{problems:?}")) };
        let id = submission::submit(&mut self.engine, &prepared, Timestamp::from_seconds(now));
        id.map(|id| id.to_string()).map_err(|error| told(&error))
    }

    /// One tick; returns how many jobs have more past actions than it created.
    ///
    /// # Errors
    /// What stopped it, or the first fault of a job or action.
    pub fn tick(&mut self, now: i64) -> Result<usize, String> {
        let report = tick::tick(&mut self.engine, Timestamp::from_seconds(now), Clock::Checked)
            .and_then(tick::TickEnd::into_report);
        let report = report.map_err(|error| told(&error))?;
        match report.faults.first() {
            Some(fault) => Err(format!("{}: {}", fault.subject, fault.error)),
            None => Ok(report.postponed.len()),
        }
    }

    /// Executes a command about a coordinator job; returns whether its status allowed it.
    ///
    /// # Errors
    /// A refusal, or a failure of the database.
    pub fn command(&mut self, job: &str, command: &Command, now: i64) -> Result<bool, String> {
        let (job, when) = (id(job)?, (Effect::Stored, Timestamp::from_seconds(now)));
        let engine = &mut self.engine;
        let outcome = match command {
            Command::Suspend => control::control(engine, &job, Verb::Suspend, when),
            Command::Resume => control::control(engine, &job, Verb::Resume, when),
            Command::Kill => control::control(engine, &job, Verb::Kill, when),
            Command::KillActions(numbers) => {
                Scope::numbers(numbers).and_then(|scope| control::kill_actions(engine, &job, &scope, when))
            }
            Command::Change(values) => NewValues::parse(values, engine.settings.submit.processing)
                .and_then(|values| change::change_job(engine, &job, &values, when)),
            Command::Rerun { actions, refresh, failed } => {
                let manner = Manner { refresh: *refresh, failed: *failed, ..Manner::default() };
                Scope::numbers(actions)
                    .and_then(|scope| named(engine, (&job, Some(&scope)), Vec::new(), &manner, when.1))
                    .and_then(|draft| rerun_unasked(engine, &job, draft, when.1))
            }
            Command::Ignore => change::ignore_job(engine, &job, when),
            Command::IgnoreActions(numbers) => {
                Scope::numbers(numbers).and_then(|scope| change::ignore_actions(engine, &job, &scope, when))
            }
        };
        outcome.map(|outcome| outcome.not_done.is_none()).map_err(|error| told(&error))
    }

    /// Applies an event to a workflow job; `false` when its status does not allow it.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn answer(&mut self, workflow: &str, script: Script, now: i64) -> Result<bool, String> {
        let event = match script {
            Script::Begins => JobEvent::Start,
            Script::Succeeds => JobEvent::ReachEnd,
            Script::Fails => JobEvent::Fail,
            Script::IsKilled => JobEvent::ReachKill,
        };
        scripted::answer(&mut self.engine, &id(workflow)?, event, Timestamp::from_seconds(now))
            .map_err(|error| told(&error))
    }

    /// Returns the output of `explain --json` about an action.
    ///
    /// # Errors
    /// Why it cannot be explained.
    pub fn explain(&mut self, job: &str, number: u32, now: i64) -> Result<Value, String> {
        let id = id(job)?;
        let looked =
            query::run(&mut self.engine, Timestamp::from_seconds(now), |query| query.explain_action(&id, number));
        looked
            .map_err(|error| told(&error))
            .and_then(|explanation| serde_json::to_value(explanation).map_err(|error| error.to_string()))
    }
}

fn id(text: &str) -> Result<JobId, String> {
    JobId::parse(text).ok_or_else(|| format!("{text} is no id"))
}

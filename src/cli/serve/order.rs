//! A verb of a request, and how it ends.

use serde_json::{Value, json};

use crate::cli::serve::answered::Answered;
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::style;
use crate::cli::{changed, session, verb};
use crate::output::oozie_json;
use howdah_answers::query;
use howdah_engine::Engine;
use howdah_engine::apply::outcome::Outcome;
use howdah_host::web::{Answer, Request};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::time::Timestamp;

/// A verb of a request.
pub(super) struct Order<'a> {
    pub(super) site: &'a Site,
    pub(super) request: &'a Request,
    pub(super) job: JobId,
    pub(super) scope: Option<Scope>,
    pub(super) now: Timestamp,
}

impl Order<'_> {
    /// Returns that what a verb does is stored, now.
    pub(super) fn when(&self) -> (Effect, Timestamp) {
        (Effect::Stored, self.now)
    }

    /// Returns the engine on the database, which must exist.
    pub(super) fn engine(&self) -> Result<Engine, Refusal> {
        Ok(session::existing_engine(&self.site.global)?)
    }

    /// Starts the processes that continue what was stored; a refused job is an error.
    pub(super) fn finish(&self, engine: &Engine, outcome: Outcome) -> Answered {
        verb::start_processes(engine, &self.site.global, Effect::Stored)?;
        match outcome.refused {
            Some(error) => Err(error.into()),
            None => Ok(Answer::empty(200)),
        }
    }

    /// As [`Self::finish`], and returns the actions that changed.
    pub(super) fn finish_with_actions(&self, engine: &mut Engine, scope: &Scope, outcome: Outcome) -> Answered {
        let numbers = changed::all(engine, (&self.job, scope), &outcome)?;
        self.finish(engine, outcome)?;
        let style = style::of(self.request);
        let actions = query::run(engine, self.now, |query| {
            let job = query.coordinator_job(&self.job)?;
            let mut actions: Vec<Value> = Vec::new();
            for change in &numbers {
                let row = query.coordinator_action(&job, change.action_number)?;
                actions.push(oozie_json::action(self.job.as_str(), &query.action_view(&job, &row), &style));
            }
            Ok(actions)
        })?;
        Ok(style::json(200, &json!({ "actions": actions })))
    }
}

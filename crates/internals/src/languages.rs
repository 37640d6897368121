//! What the benchmark of the languages calls: nominal times, cron, the texts of an action, the check of a definition,
//! each through the code that the commands use.

use std::collections::BTreeMap;

use super::submission::{Submission, Submitted};
use howdah_calendar::{self as calendar, ProcessingZone};
use howdah_engine::definition_file::FileIncludes;
use howdah_host::mounts::Mounts;
use howdah_oozie::coordinator::action::{ResolvedAction, ResolvedEvent};
use howdah_oozie::coordinator::phase::ActionFacts;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_words::error::SourceText;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// A coordinator that was submitted.
pub struct Coordinator {
    submitted: Submitted,
}

impl Coordinator {
    /// Reads a definition, checks it by its schema and submits it with the properties of a job.
    ///
    /// # Errors
    /// The first refusal.
    pub fn submit(xml: &str, job: &BTreeMap<String, String>) -> Result<Self, String> {
        let submission = Submission::new(xml, job.clone(), ProcessingZone::UTC);
        submission.submit().map(|submitted| Self { submitted }).map_err(|refusal| refusal.to_string())
    }

    /// Returns the nominal times of all its actions, in seconds of UTC.
    pub fn nominal_times(&self) -> impl Iterator<Item = i64> {
        self.submitted.coordinator.schedule.times().map(Timestamp::seconds)
    }

    /// Materializes the action at a nominal time (seconds of UTC): its instances and its final configuration.
    ///
    /// # Errors
    /// The refusal.
    pub fn action(&self, id: &str, nominal: i64) -> Result<Action, String> {
        let Submitted { coordinator, .. } = &self.submitted;
        let (scope, nominal) = (self.submitted.scope(), Timestamp::from_seconds(nominal));
        let facts = ActionFacts { id, app_name: &coordinator.written_name, nominal, actual: nominal };
        let made = coordinator.resolve(scope, nominal).and_then(|resolved| {
            let configuration = coordinator.action_configuration(scope, &facts, &resolved)?;
            Ok(Action { resolved, configuration })
        });
        made.map_err(|refusal| refusal.to_string())
    }
}

/// A materialized action.
pub struct Action {
    resolved: ResolvedAction,
    configuration: Properties,
}

impl Action {
    /// Every text it has: URI and dependency of each input, then of each output, then names and values of the
    /// configuration in the order of the names.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        let events = self.resolved.inputs.iter().chain(&self.resolved.outputs);
        let instances = events.flat_map(ResolvedEvent::instances);
        let mut texts: Vec<&str> =
            instances.flat_map(|instance| [instance.uri.as_str(), instance.dependency.as_str()]).collect();
        texts.extend(self.configuration.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
        texts
    }
}

/// A cron frequency.
pub struct Cron(calendar::Cron);

impl Cron {
    /// Reads an expression of five fields.
    ///
    /// # Errors
    /// The error of the expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        calendar::Cron::parse(text).map(Self).map_err(|error| error.to_string())
    }

    /// The first firing time after `after`, both in seconds of UTC.
    #[must_use]
    pub fn next(&self, after: i64) -> Option<i64> {
        self.0.next(Timestamp::from_seconds(after), ProcessingZone::UTC).map(Timestamp::seconds)
    }
}

/// Reads a coordinator and checks it as `validate` does without the properties of a job; returns how many problems
/// there are.
#[must_use]
pub fn coordinator_problems(text: &str) -> usize {
    match xml::read(&SourceText::new("coordinator.xml", text)) {
        Err(problems) => problems.len(),
        Ok(document) => {
            let mounts = Mounts::default();
            let found = howdah_oozie::coordinator::check(
                &document,
                &FileIncludes::new(&mounts, ""),
                &SubmitSettings::default(),
                None,
            );
            xml::check(&document, xml::DocumentKind::Coordinator).len() + found.len()
        }
    }
}

//! The action in which an expression is evaluated: one of a coordinator file, or a stand-in.
//!
//! `engine::preview` resolves the action.

use std::sync::Arc;

use crate::check::evaluate::phase::ActionSetting;
use howdah_calendar::Zone;
use howdah_engine::compiled::Application;
use howdah_engine::preview::{Trial, job_id};
use howdah_oozie::coordinator::action::ResolvedAction;
use howdah_oozie::coordinator::definition::{Coordinator, DataEvent};
use howdah_oozie::coordinator::phase::ActionFacts;
use howdah_oozie::coordinator::phase::event::{EventNames, EventTexts};
use howdah_oozie::dataset::Dataset;
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// Identifies an action.
#[derive(Clone, Copy, Debug)]
pub struct ActionChoice<'a> {
    /// Its number, starting at 1.
    pub number: u32,
    /// The data-in or data-out whose dataset is used; `None`: the first.
    pub event: Option<&'a str>,
}

/// Everything that an expression may read of an action.
pub(super) struct Action {
    id: String,
    app_name: String,
    nominal: Timestamp,
    actual: Timestamp,
    inputs: EventTexts,
    outputs: EventTexts,
    dataset: Arc<Dataset>,
    zone: Zone,
}

impl Action {
    /// Creates the scope of a trial action and what it resolves to, for a dataset.
    pub(super) fn of(trial: &Trial<'_>, resolved: &ResolvedAction, (zone, dataset): (&Zone, Arc<Dataset>)) -> Self {
        let facts = trial.facts();
        Self {
            id: facts.id.to_owned(),
            app_name: facts.app_name.to_owned(),
            nominal: facts.nominal,
            actual: facts.actual,
            inputs: resolved.input_texts(),
            outputs: resolved.output_texts(),
            dataset,
            zone: zone.clone(),
        }
    }

    /// Creates a stand-in, for phases without an action.
    pub(super) fn stand_in() -> Self {
        Self {
            id: format!("{}@1", job_id(JobKind::Coordinator)),
            app_name: String::new(),
            nominal: Timestamp::EPOCH,
            actual: Timestamp::EPOCH,
            inputs: EventTexts::new(),
            outputs: EventTexts::new(),
            dataset: Dataset::placeholder(),
            zone: Zone::utc(),
        }
    }

    /// Returns what expressions may read of it.
    pub(super) fn setting(&self) -> ActionSetting<'_> {
        ActionSetting {
            facts: self.facts(),
            inputs: &self.inputs,
            outputs: &self.outputs,
            dataset: &self.dataset,
            zone: &self.zone,
        }
    }

    fn facts(&self) -> ActionFacts<'_> {
        ActionFacts { id: &self.id, app_name: &self.app_name, nominal: self.nominal, actual: self.actual }
    }
}

/// Returns the names that `coord:dataIn` and `coord:dataOut` may use in a coordinator.
pub(super) fn event_names(coordinator: &Coordinator) -> EventNames {
    let names = |events: &[DataEvent]| events.iter().map(|event| event.name.clone()).collect::<Vec<_>>();
    EventNames::new(names(&coordinator.inputs), names(&coordinator.outputs), coordinator.logic.as_ref())
}

/// Returns the action with a number, starting at 1, as it would be created at `now`.
///
/// # Errors
/// E0605 when there is no such action.
pub(super) fn trial(application: &Application, number: u32, now: Timestamp) -> Result<Trial<'_>> {
    let schedule = &application.coordinator.schedule;
    let found = schedule.nominal(number).map(|nominal| Trial::new(application, (number, nominal), now));
    found.ok_or_else(|| {
        let help = match schedule.count() {
            0 => format!("the schedule of {} has no action", application.coordinator.name),
            last => format!("the schedule of {} ends with action {last}", application.coordinator.name),
        };
        Error::new(ErrorCode::E0605, number).help(help)
    })
}

/// Returns the dataset of an event, or of the first; a stand-in when the coordinator has none.
///
/// # Errors
/// H0002 when there is no such event.
pub(super) fn dataset(coordinator: &Coordinator, event: Option<&str>) -> Result<Arc<Dataset>> {
    let mut events = coordinator.inputs.iter().chain(&coordinator.outputs);
    let Some(name) = event else {
        return Ok(events.next().map_or_else(Dataset::placeholder, |event| Arc::clone(&event.dataset)));
    };
    let names: Vec<&str> = events.clone().map(|event| event.name.as_str()).collect();
    let found = events.find(|event| event.name == name).map(|event| Arc::clone(&event.dataset));
    found.ok_or_else(|| {
        let help = match did_you_mean(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the events are [{}]", names.join(", ")),
        };
        Error::new(ErrorCode::H0002, format!("the coordinator has no event [{name}]")).help(help)
    })
}

//! The action that an expression is evaluated in: one of a coordinator file, or a stand-in.
//!
//! What the action resolves to is `engine::preview`.

use std::sync::Arc;

use crate::calendar::Zone;
use crate::check::evaluate::phase::ActionSetting;
use crate::coordinator::action::ResolvedAction;
use crate::coordinator::definition::{Coordinator, DataEvent};
use crate::coordinator::phase::ActionFacts;
use crate::coordinator::phase::event::{EventNames, EventTexts};
use crate::dataset::Dataset;
use crate::engine::compiled::Application;
use crate::engine::preview::{Trial, job_id};
use crate::error::{Error, ErrorCode, Result, did_you_mean};
use crate::model::id::JobKind;
use crate::model::time::Timestamp;

/// Which action is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Which<'a> {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// The data-in or data-out whose dataset counts; `None`: the first.
    pub(crate) event: Option<&'a str>,
}

/// All that an expression may ask of an action.
pub(crate) struct Action {
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
    /// An action on trial and what it resolves to, seen from a dataset.
    pub(crate) fn of(trial: &Trial<'_>, resolved: &ResolvedAction, (zone, dataset): (&Zone, Arc<Dataset>)) -> Self {
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

    /// An action that nobody asks about, for phases without one.
    pub(crate) fn stand_in() -> Self {
        Self {
            id: format!("{}@1", job_id(JobKind::Coordinator)),
            app_name: String::new(),
            nominal: Timestamp::EPOCH,
            actual: Timestamp::EPOCH,
            inputs: EventTexts::new(),
            outputs: EventTexts::new(),
            dataset: Dataset::stand_in(),
            zone: Zone::utc(),
        }
    }

    /// What expressions may ask of it.
    pub(crate) fn setting(&self) -> ActionSetting<'_> {
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

/// The names that `coord:dataIn` and `coord:dataOut` may use in a coordinator.
pub(crate) fn event_names(coordinator: &Coordinator) -> EventNames {
    let names = |events: &[DataEvent]| events.iter().map(|event| event.name.clone()).collect::<Vec<_>>();
    EventNames::new(names(&coordinator.inputs), names(&coordinator.outputs), coordinator.logic.as_ref())
}

/// The action with a number, from 1, as it would be created at `now`.
///
/// # Errors
/// E0605 when there is no such action.
pub(crate) fn trial(application: &Application, number: u32, now: Timestamp) -> Result<Trial<'_>> {
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

/// The dataset of an event, or of the first; a stand-in when the coordinator has none.
///
/// # Errors
/// H0002 when there is no such event.
pub(crate) fn dataset(coordinator: &Coordinator, event: Option<&str>) -> Result<Arc<Dataset>> {
    let mut events = coordinator.inputs.iter().chain(&coordinator.outputs);
    let Some(name) = event else {
        return Ok(events.next().map_or_else(Dataset::stand_in, |event| Arc::clone(&event.dataset)));
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

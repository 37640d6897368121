//! The action that an expression is evaluated in: one of a coordinator file, or a stand-in.
//!
//! The action is made as `dryrun` makes it: it is created now or when it is due, and its inputs are looked for as they
//! are now. Stores nothing.

use std::sync::Arc;

use crate::calendar::{EndOf, Sequence, Unit, Zone};
use crate::coordinator::action::ResolvedAction;
use crate::coordinator::definition::{Coordinator, DataEvent};
use crate::coordinator::phase::{ActionFacts, EventNames, EventTexts};
use crate::coordinator::satisfy::Moment;
use crate::dataset::{Dataset, DoneFlag, UriTemplate};
use crate::engine::application::Application;
use crate::engine::evaluate::phase::ActionSetting;
use crate::engine::input_check::Existing;
use crate::error::{Error, ErrorCode, Result, did_you_mean};
use crate::host::mounts::Mounts;
use crate::host::presence::PresenceCache;
use crate::model::Properties;
use crate::model::id::{JobId, JobKind};
use crate::model::time::Timestamp;

/// Which action is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Which<'a> {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// The data-in or data-out whose dataset counts; `None`: the first.
    pub(crate) event: Option<&'a str>,
}

/// An action with all that an expression may ask of it.
pub(super) struct Action {
    id: String,
    app_name: String,
    nominal: Timestamp,
    actual: Timestamp,
    resolved: ResolvedAction,
    inputs: EventTexts,
    outputs: EventTexts,
    dataset: Arc<Dataset>,
    zone: Zone,
    /// Whether all its inputs are there.
    pub(super) ready: bool,
}

impl Action {
    /// An action of an application, its inputs looked for as they are.
    ///
    /// # Errors
    /// E0605 when there is no such action, H0002 when there is no such event; E1004 and E1010 when it cannot be created.
    pub(super) fn of(application: &Application, which: Which<'_>, mounts: &Mounts, now: Timestamp) -> Result<Self> {
        let coordinator = &application.coordinator;
        let nominal = nominal_time(coordinator, which.number)?;
        let dataset = dataset(coordinator, which.event)?;
        let mut resolved = coordinator.resolve(application.scope(), nominal)?;
        let presence = PresenceCache::new(mounts);
        let waited_minutes = now.minutes_since(nominal.max(now));
        let moment = Moment { nominal, now, waited_minutes };
        let ready = coordinator.satisfy(&mut resolved, moment, &mut Existing(&presence));
        if !ready && let Some(logic) = &coordinator.logic {
            resolved.logic.extend(logic.named().into_iter().map(|(name, _)| (name.to_owned(), None)));
        }
        Ok(Self {
            id: format!("{}@{}", job_id(JobKind::Coordinator), which.number),
            app_name: coordinator.written_name.clone(),
            nominal,
            actual: now.floor_minute(),
            inputs: resolved.input_texts(),
            outputs: resolved.output_texts(),
            resolved,
            dataset: dataset.unwrap_or_else(daily),
            zone: coordinator.schedule.zone.clone(),
            ready,
        })
    }

    /// An action that nobody asks about, for phases without one.
    pub(super) fn stand_in() -> Self {
        Self {
            id: format!("{}@1", job_id(JobKind::Coordinator)),
            app_name: String::new(),
            nominal: Timestamp::EPOCH,
            actual: Timestamp::EPOCH,
            resolved: ResolvedAction::default(),
            inputs: EventTexts::new(),
            outputs: EventTexts::new(),
            dataset: daily(),
            zone: Zone::utc(),
            ready: true,
        }
    }

    /// What expressions may ask of it.
    pub(super) fn setting(&self) -> ActionSetting<'_> {
        ActionSetting {
            facts: self.facts(),
            inputs: &self.inputs,
            outputs: &self.outputs,
            dataset: &self.dataset,
            zone: &self.zone,
        }
    }

    /// The configuration of its workflow job.
    ///
    /// # Errors
    /// E1004 with the place in the definition.
    pub(super) fn workflow_configuration(&self, application: &Application) -> Result<Properties> {
        let coordinator = &application.coordinator;
        let own = coordinator.action_configuration(application.scope(), &self.facts(), &self.resolved)?;
        Ok(coordinator.workflow_configuration(&application.configuration, &own))
    }

    fn facts(&self) -> ActionFacts<'_> {
        ActionFacts { id: &self.id, app_name: &self.app_name, nominal: self.nominal, actual: self.actual }
    }
}

/// The id that expressions see of a job that was never submitted.
pub(super) fn job_id(kind: JobKind) -> JobId {
    JobId::build(0, "000000000000000", kind)
}

/// The names that `coord:dataIn` and `coord:dataOut` may use in a coordinator.
pub(super) fn event_names(coordinator: &Coordinator) -> EventNames {
    let names = |events: &[DataEvent]| events.iter().map(|event| event.name.clone()).collect::<Vec<_>>();
    let logic = coordinator.logic.iter().flat_map(|logic| logic.named().into_iter().map(|(name, _)| name.to_owned()));
    EventNames {
        inputs: names(&coordinator.inputs).into_iter().chain(logic).collect(),
        outputs: names(&coordinator.outputs).into_iter().collect(),
    }
}

fn nominal_time(coordinator: &Coordinator, number: u32) -> Result<Timestamp> {
    let before = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut times = coordinator.schedule.times();
    let exist = times.by_ref().take(before).count();
    times.next().filter(|_| number > 0).ok_or_else(|| {
        let help = match exist {
            0 => "the actions are counted from 1".to_owned(),
            _ => format!("the schedule of {} ends with action {exist}", coordinator.name),
        };
        Error::new(ErrorCode::E0605, number).help(help)
    })
}

/// The dataset of an event; `None` when the coordinator has no events.
fn dataset(coordinator: &Coordinator, event: Option<&str>) -> Result<Option<Arc<Dataset>>> {
    let mut events = coordinator.inputs.iter().chain(&coordinator.outputs);
    let Some(name) = event else { return Ok(events.next().map(|event| Arc::clone(&event.dataset))) };
    let names: Vec<&str> = events.clone().map(|event| event.name.as_str()).collect();
    let found = events.find(|event| event.name == name).map(|event| Arc::clone(&event.dataset));
    found.map(Some).ok_or_else(|| {
        let help = match did_you_mean(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the events are [{}]", names.join(", ")),
        };
        Error::new(ErrorCode::H0002, format!("the coordinator has no event [{name}]")).help(help)
    })
}

/// Any dataset.
fn daily() -> Arc<Dataset> {
    let every_day = Sequence::new(Timestamp::EPOCH, (1, Unit::Day), EndOf::None, Zone::utc());
    Arc::new(Dataset {
        name: String::new(),
        sequence: every_day.expect("a day after the epoch is within the years that count"),
        uri_template: UriTemplate::parse("/").expect("a path is a template"),
        done_flag: DoneFlag::Directory,
    })
}

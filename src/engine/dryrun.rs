//! What a job would do, without a database (`CoordSubmitXCommand` with dryrun).
//!
//! Looks at the inputs as they are now and shows every action from the start on, whatever the time is. Deviation:
//! Oozie stops after its materialization window of an hour; here the throttle alone bounds what is shown by default.
//! Holds one action at a time.

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::Serialize;

use crate::calendar::ProcessingZone;
use crate::coordinator::action::{Instance, ResolvedAction, ResolvedEvent, Slot};
use crate::coordinator::definition::DataEvent;
use crate::coordinator::phase::ActionFacts;
use crate::coordinator::satisfy::Moment;
use crate::engine::input_check::Existing;
use crate::engine::submit::{PreparedCoordinator, coordinator_row};
use crate::error::Result;
use crate::host::mounts::{Mounts, Resolved};
use crate::host::presence::{Presence, PresenceCache, State};
use crate::model::Properties;
use crate::model::id::{JobId, JobKind};
use crate::model::time::Timestamp;

/// Actions whose inputs share what is known of the files; bounds memory however many actions there are.
const ACTIONS_PER_CACHE: u64 = 1000;

/// How many actions are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// As many as may wait at a time.
    Throttle,
    /// So many at most.
    First(u32),
    /// Every action to the end of the job.
    All,
}

/// An action as it would be created now.
#[derive(Clone, Debug)]
pub(crate) struct DryAction {
    pub(crate) number: u32,
    /// Its nominal time, in the processing time zone.
    pub(crate) nominal: String,
    /// Whether every input is there.
    pub(crate) ready: bool,
    pub(crate) inputs: Vec<DryEvent>,
    pub(crate) outputs: Vec<DryEvent>,
    /// The values of the action's configuration; what needs a search without result stays an expression.
    pub(crate) configuration: Properties,
}

/// An event of an action.
#[derive(Clone, Debug)]
pub(crate) struct DryEvent {
    pub(crate) name: String,
    pub(crate) dataset: String,
    /// Instances that are left out because they lie before the dataset's initial instance.
    pub(crate) before_initial: usize,
    pub(crate) instances: Vec<DryInstance>,
}

/// An instance of an event.
#[derive(Clone, Debug)]
pub(crate) struct DryInstance {
    /// `None` for a search without result.
    pub(crate) nominal: Option<String>,
    /// The URI, or the search as it would be written in a definition.
    pub(crate) uri: String,
    /// Where the URI leads on this machine.
    pub(crate) path: Option<PathBuf>,
    /// What must exist: the URI with its done-flag.
    pub(crate) dependency: String,
    pub(crate) state: InstanceState,
}

/// What is known of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstanceState {
    Present,
    Missing,
    /// The system cannot say; the text is its reason.
    Unreadable(String),
    /// No mount covers the URI.
    Unmapped,
    /// A search that finds nothing yet.
    Unresolved,
}

impl InstanceState {
    /// The word for it.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::Unreadable(_) => "unreadable",
            Self::Unmapped => "unmapped",
            Self::Unresolved => "unresolved",
        }
    }
}

impl From<State> for InstanceState {
    fn from(state: State) -> Self {
        match state {
            State::Present => Self::Present,
            State::Missing => Self::Missing,
            State::Unreadable(why) => Self::Unreadable(why),
            State::Unmapped(_) => Self::Unmapped,
        }
    }
}

/// A job as it would be stored, without id and state; under Oozie's names for other programs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DryJob {
    #[serde(rename = "coordJobName")]
    pub(crate) name: String,
    #[serde(rename = "coordJobPath")]
    pub(crate) path: String,
    pub(crate) user: String,
    pub(crate) frequency: String,
    #[serde(rename = "timeUnit")]
    pub(crate) time_unit: String,
    #[serde(rename = "timeZone")]
    pub(crate) time_zone: String,
    #[serde(rename = "startTime")]
    pub(crate) start: String,
    #[serde(rename = "endTime")]
    pub(crate) end: String,
    #[serde(rename = "pauseTime")]
    pub(crate) pause: Option<String>,
    /// Actions that may run at a time; below zero: any number.
    pub(crate) concurrency: i32,
    #[serde(rename = "executionPolicy")]
    pub(crate) execution: &'static str,
    #[serde(rename = "matThrottling")]
    pub(crate) throttle: i32,
    /// Minutes; below zero: none.
    #[serde(rename = "timeOut")]
    pub(crate) timeout_minutes: i32,
}

/// The job as it would be stored.
pub(crate) fn job(prepared: &PreparedCoordinator, now: Timestamp) -> DryJob {
    let row = coordinator_row(placeholder_id(), prepared, now);
    let processing = prepared.application.coordinator.schedule.processing;
    DryJob {
        name: row.name,
        path: row.app_path,
        user: row.user,
        frequency: row.frequency,
        time_unit: row.time_unit,
        time_zone: row.time_zone,
        start: processing.format(row.start_at),
        end: processing.format(row.end_at),
        pause: row.pause_at.map(|at| processing.format(at)),
        concurrency: row.concurrency,
        execution: row.execution.as_str(),
        throttle: row.throttle,
        timeout_minutes: row.timeout_minutes,
    }
}

/// The id that expressions see in a dry run.
fn placeholder_id() -> JobId {
    JobId::build(0, "000000000000000", JobKind::Coordinator)
}

/// Creates the actions one after the other and hands each to `see` until that breaks.
///
/// # Errors
/// E1004 and E1010 for an action that cannot be created; what `see` answers.
pub(crate) fn actions(
    prepared: &PreparedCoordinator,
    mounts: &Mounts,
    now: Timestamp,
    extent: Extent,
    see: &mut dyn FnMut(&DryAction) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let coordinator = &prepared.application.coordinator;
    let most = match extent {
        Extent::Throttle => coordinator.controls.throttle,
        Extent::First(most) => most,
        Extent::All => u32::MAX,
    };
    let mut presence = PresenceCache::new(mounts);
    for (number, nominal) in (1..=most).zip(coordinator.schedule.times()) {
        if u64::from(number) % ACTIONS_PER_CACHE == 0 {
            presence = PresenceCache::new(mounts);
        }
        let run = DryRun { prepared, mounts, now, presence: &presence };
        let action = run
            .action(number, nominal)
            .map_err(|error| error.help(format!("action {number} at {}", run.time(nominal))))?;
        if see(&action)?.is_break() {
            break;
        }
    }
    Ok(())
}

struct DryRun<'a> {
    prepared: &'a PreparedCoordinator,
    mounts: &'a Mounts,
    now: Timestamp,
    presence: &'a PresenceCache<'a>,
}

impl DryRun<'_> {
    fn action(&self, number: u32, nominal: Timestamp) -> Result<DryAction> {
        let application = &self.prepared.application;
        let coordinator = &application.coordinator;
        let mut resolved = coordinator.resolve(application.scope(), nominal)?;
        let ready = self.satisfy(&mut resolved, nominal);
        let configuration = self.configuration(number, nominal, &resolved)?;
        let events = |resolved: &[ResolvedEvent], declared: &[DataEvent]| -> Vec<DryEvent> {
            resolved.iter().zip(declared).map(|(resolved, declared)| self.event(resolved, declared)).collect()
        };
        Ok(DryAction {
            number,
            nominal: self.time(nominal),
            ready,
            inputs: events(&resolved.inputs, &coordinator.inputs),
            outputs: events(&resolved.outputs, &coordinator.outputs),
            configuration,
        })
    }

    /// Whether the inputs are there; what stays open is left as an expression.
    fn satisfy(&self, action: &mut ResolvedAction, nominal: Timestamp) -> bool {
        let coordinator = &self.prepared.application.coordinator;
        let mut existing = Existing(self.presence);
        // The action would be created now, or when it is due.
        let waited_minutes = self.now.minutes_since(nominal.max(self.now));
        let moment = Moment { nominal, now: self.now, waited_minutes };
        if coordinator.satisfy(action, moment, &mut existing) {
            return true;
        }
        match &coordinator.logic {
            Some(logic) => action.logic.extend(logic.named().into_iter().map(|(name, _)| (name.to_owned(), None))),
            // What can be found is shown although something else is missing.
            None => drop(coordinator.search(action, moment, &mut existing)),
        }
        false
    }

    fn configuration(&self, number: u32, nominal: Timestamp, action: &ResolvedAction) -> Result<Properties> {
        let application = &self.prepared.application;
        let id = format!("{}@{number}", placeholder_id());
        let facts = ActionFacts {
            id: &id,
            app_name: &application.coordinator.written_name,
            nominal,
            actual: self.now.floor_minute(),
        };
        application.coordinator.action_configuration(application.scope(), &facts, action)
    }

    fn event(&self, resolved: &ResolvedEvent, declared: &DataEvent) -> DryEvent {
        let instance = |slot: &Slot| match slot {
            Slot::Instance(instance) => self.instance(instance),
            Slot::Search(search) => DryInstance {
                nominal: None,
                uri: search.text(),
                path: None,
                dependency: String::new(),
                state: InstanceState::Unresolved,
            },
        };
        DryEvent {
            name: resolved.name.clone(),
            dataset: declared.dataset.name.clone(),
            before_initial: resolved.before_initial,
            instances: resolved.slots.iter().map(instance).collect(),
        }
    }

    fn instance(&self, instance: &Instance) -> DryInstance {
        let path = match self.mounts.resolve(&instance.uri) {
            Resolved::Local(path) => Some(path.into_owned()),
            Resolved::Unmapped(_) | Resolved::Invalid(_) => None,
        };
        DryInstance {
            nominal: Some(self.time(instance.nominal)),
            uri: instance.uri.clone(),
            path,
            dependency: instance.dependency.clone(),
            state: self.presence.check(&instance.dependency).into(),
        }
    }

    fn processing(&self) -> ProcessingZone {
        self.prepared.application.coordinator.schedule.processing
    }

    fn time(&self, at: Timestamp) -> String {
        self.processing().format(at)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own folders")]
mod tests;

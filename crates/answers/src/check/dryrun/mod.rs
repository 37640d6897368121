//! Computes what a job would do, without a database (`CoordSubmitXCommand` with dryrun).
//!
//! Checks the inputs as they are now, or not at all, and shows any action, whatever the time is. Deviation: Oozie stops
//! after its materialization window of an hour; here only the throttle limits the default output. Keeps one action at a
//! time in memory, and jumps to a later one without creating those before it.

mod bundle;
pub mod job;
mod view;
mod workflow;

use std::ops::ControlFlow;

use howdah_engine::compiled::Application;
use howdah_engine::preview::Trial;
use howdah_engine::run_as;
use howdah_engine::submit::coordinator::PreparedCoordinator;
use howdah_engine::submit::warnings::DataCheck;
use howdah_host::located::{Base, Qualified};
use howdah_host::mounts::Mounts;
use howdah_host::presence::{Presence, PresenceCache};
use howdah_oozie::configuration::resolve;
use howdah_oozie::coordinator::action::{ResolvedEvent, Slot};
use howdah_oozie::coordinator::definition::{Coordinator, DataEvent};
use howdah_oozie::coordinator::instance::Instance;
use howdah_words::error::Result;
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::time::Timestamp;

pub use bundle::{DryBundle, DryBundleCoordinator, bundle};
pub use view::{DryAction, DryEvent, DryInstance, DryJob, InstanceState};
pub use workflow::{DryNode, DryWorkflow, Setup, workflow};

/// How many actions share one cache of file presence; limits memory for any number of actions.
const ACTIONS_PER_CACHE: u64 = 1000;

/// The actions to show: those that meet all three conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Their numbers; when empty, as many as may wait at a time, or all when `until` is set.
    pub numbers: Option<ActionNumbers>,
    /// The first nominal time.
    pub from: Option<Timestamp>,
    /// The last nominal time, inclusive.
    pub until: Option<Timestamp>,
}

impl Selection {
    /// Returns number and nominal time of the actions, without computing those before them.
    fn actions(&self, coordinator: &Coordinator) -> impl Iterator<Item = (u32, Timestamp)> {
        let schedule = &coordinator.schedule;
        let (first, last) = self.numbers.as_ref().map_or((1, u32::MAX), |numbers| (numbers.first(), numbers.last()));
        let most = match self {
            Self { numbers: None, until: None, .. } => coordinator.controls.throttle,
            _ => u32::MAX,
        };
        schedule
            .actions_from(first, self.from.unwrap_or(schedule.start))
            .take_while(move |(number, nominal)| *number <= last && self.until.is_none_or(|until| *nominal <= until))
            .filter(|(number, _)| self.numbers.as_ref().is_none_or(|numbers| numbers.contains(*number)))
            .take(most as usize)
    }
}

/// Creates the actions of a dry run.
pub struct DryRun<'a> {
    pub prepared: &'a PreparedCoordinator,
    pub mounts: &'a Mounts,
    pub now: Timestamp,
    pub data: DataCheck,
}

impl DryRun<'_> {
    /// Returns whether something exists that the job's user can see.
    fn state_of(&self, presence: &PresenceCache<'_>, dependency: &Qualified<'_>) -> InstanceState {
        let reader = run_as::reader(&run_as::user(&self.prepared.application.configuration));
        reader
            .act(|| presence.check(dependency))
            .map_or_else(|refused| InstanceState::Unreadable(refused.message().to_owned()), Into::into)
    }

    /// Creates the selected actions one after the other and passes each to `emit` until that breaks.
    ///
    /// # Errors
    /// E1004, E1010 and E0303 for an action that cannot be created; any error of `emit`.
    pub fn actions(
        &self,
        selection: &Selection,
        emit: &mut dyn FnMut(&DryAction) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let coordinator = &self.prepared.application.coordinator;
        let mut files = PresenceCache::new(self.mounts);
        for (shown, (number, nominal)) in (1_u64..).zip(selection.actions(coordinator)) {
            if shown % ACTIONS_PER_CACHE == 0 {
                files = PresenceCache::new(self.mounts);
            }
            let presence = (self.data == DataCheck::Check).then_some(&files);
            let creation = DryCreation { run: self, number, nominal, presence };
            let time = coordinator.schedule.processing.format(nominal);
            let action = creation.action().map_err(|error| error.more_help(&format!("action {number} at {time}")))?;
            if emit(&action)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The creation of one action.
struct DryCreation<'a> {
    run: &'a DryRun<'a>,
    number: u32,
    nominal: Timestamp,
    /// The files, when inputs are checked.
    presence: Option<&'a PresenceCache<'a>>,
}

impl DryCreation<'_> {
    fn action(&self) -> Result<DryAction> {
        let application = self.application();
        let coordinator = &application.coordinator;
        let trial = Trial::new(application, (self.number, self.nominal), self.run.now);
        let (resolved, ready) = trial.resolve(self.presence)?;
        let own = trial.own_configuration(&resolved)?;
        let events = |resolved: &[ResolvedEvent], declared: &[DataEvent]| -> Vec<DryEvent> {
            resolved.iter().zip(declared).map(|(resolved, declared)| self.event(resolved, declared)).collect()
        };
        Ok(DryAction {
            number: self.number,
            nominal: self.time(self.nominal),
            ready,
            inputs: events(&resolved.inputs, &coordinator.inputs),
            outputs: events(&resolved.outputs, &coordinator.outputs),
            // A workflow job resolves the values of its properties again.
            configuration: resolve(&trial.workflow_configuration(&own))?,
            own: own.into_keys().collect(),
        })
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
            initial: self.time(declared.dataset.initial()),
            before_initial: resolved.before_initial,
            left_out: resolved.left_out.iter().map(|at| self.time(*at)).collect(),
            instances: resolved.slots.iter().map(instance).collect(),
        }
    }

    fn instance(&self, instance: &Instance) -> DryInstance {
        let store = self.application().store();
        let located = self.run.mounts.locate(&instance.uri, &Base::store(store.clone()));
        DryInstance {
            nominal: Some(self.time(instance.nominal)),
            uri: instance.uri.clone(),
            path: located.ok().map(|place| place.place().into_owned()),
            dependency: instance.dependency.clone(),
            state: match self.presence {
                Some(presence) => self.run.state_of(presence, &store.qualify(&instance.dependency)),
                None => InstanceState::Unchecked,
            },
        }
    }

    fn application(&self) -> &Application {
        &self.run.prepared.application
    }

    /// Formats a time in the processing time zone.
    fn time(&self, at: Timestamp) -> String {
        self.application().coordinator.schedule.processing.format(at)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests create their own folders")]
mod tests;

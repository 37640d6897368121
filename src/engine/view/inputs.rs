//! What an action's inputs resolve to, and which of them are there now.

use serde::Serialize;

use crate::calendar::ProcessingZone;
use crate::coordinator::action::{Instance, ResolvedEvent, Slot};
use crate::coordinator::satisfy::Moment;
use crate::dataset::{Dataset, Search, SearchResult};
use crate::engine::application::Application;
use crate::engine::input_check::Existing;
use crate::engine::view::producer::ProducerView;
use crate::engine::view::{Look, time};
use crate::error::Result;
use crate::host::mounts::Resolved;
use crate::host::presence::{Presence as _, State};
use crate::model::time::Timestamp;

/// What is known of an instance now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InstanceState {
    Present,
    Missing,
    /// The system cannot say.
    Unreadable,
    /// No mount covers its store.
    Unmapped,
    /// A search has not found enough instances.
    Unresolved,
}

impl InstanceState {
    /// The word that is printed.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::Unmapped => "unmapped",
            Self::Unresolved => "unresolved",
        }
    }
}

/// An instance of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstanceView {
    /// `None` for a search.
    pub(crate) nominal_time: Option<String>,
    /// What must exist, with its done-flag; for a search, the function and the template.
    pub(crate) uri: String,
    /// Where that is on this machine; `None` when no mount covers it.
    pub(crate) path: Option<String>,
    pub(crate) state: InstanceState,
    /// Why it cannot be read or found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    /// Which other action writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) producer: Option<ProducerView>,
    /// The same instant as `nominal_time`.
    #[serde(skip)]
    pub(crate) nominal_at: Option<Timestamp>,
    /// The URI without its done-flag.
    #[serde(skip)]
    pub(crate) folder: String,
}

/// The instances of one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputView {
    pub(crate) name: String,
    pub(crate) dataset: String,
    /// Instances that are ignored because they lie before the dataset's initial instance.
    pub(crate) before_initial_instance: usize,
    pub(crate) instances: Vec<InstanceView>,
}

/// The inputs of an action, and what they come to.
#[derive(Clone, Debug, Default)]
pub(super) struct ActionInputs {
    pub(super) views: Vec<InputView>,
    /// Whether the action could become READY with them.
    pub(super) complete: bool,
    /// Whether input logic decides that.
    pub(super) by_logic: bool,
}

impl Look<'_> {
    /// The inputs of the action at a nominal time, as they are now; `created` is `None` before its creation.
    ///
    /// # Errors
    /// E1004, E1010 when an instance cannot be computed.
    pub(super) fn inputs(
        &self,
        application: &Application,
        nominal: Timestamp,
        created: Option<Timestamp>,
    ) -> Result<ActionInputs> {
        let coordinator = &application.coordinator;
        let mut resolved = coordinator.resolve(application.scope(), nominal)?;
        let since = created.map_or(nominal, |created| created.max(nominal));
        let moment = Moment {
            nominal,
            // `latest` looks back from now, or from the action's creation (decision C5).
            now: created.filter(|_| self.settings.latest_from_creation).unwrap_or(self.now),
            waited_minutes: self.now.minutes_since(since),
        };
        let views = resolved.inputs.iter().zip(&coordinator.inputs).map(|(input, event)| InputView {
            name: input.name.clone(),
            dataset: event.dataset.name.clone(),
            before_initial_instance: input.before_initial,
            instances: self.slots(input, &event.dataset, moment, coordinator.schedule.processing),
        });
        let views = views.collect();
        let complete = coordinator.satisfy(&mut resolved, moment, &mut Existing(self.presence));
        Ok(ActionInputs { views, complete, by_logic: coordinator.logic.is_some() })
    }

    fn slots(
        &self,
        input: &ResolvedEvent,
        dataset: &Dataset,
        moment: Moment,
        processing: ProcessingZone,
    ) -> Vec<InstanceView> {
        let views = input.slots.iter().map(|slot| match slot {
            Slot::Instance(instance) => vec![self.instance(instance)],
            Slot::Search(search) => self.search(dataset, *search, moment, processing),
        });
        views.flatten().collect()
    }

    fn instance(&self, instance: &Instance) -> InstanceView {
        let (state, detail) = match self.presence.check(&instance.dependency) {
            State::Present => (InstanceState::Present, None),
            State::Missing => (InstanceState::Missing, None),
            State::Unreadable(why) => (InstanceState::Unreadable, Some(why)),
            State::Unmapped(store) => (InstanceState::Unmapped, Some(format!("no mount for {store}"))),
        };
        InstanceView {
            nominal_time: Some(time(instance.nominal)),
            uri: instance.dependency.clone(),
            path: match self.mounts.resolve(&instance.dependency) {
                Resolved::Local(path) => Some(path.display().to_string()),
                Resolved::Unmapped(_) | Resolved::Invalid(_) => None,
            },
            state,
            detail,
            producer: None,
            nominal_at: Some(instance.nominal),
            folder: instance.uri.clone(),
        }
    }

    /// What a search means now: the instances it finds, or one entry that says that it finds too few.
    fn search(
        &self,
        dataset: &Dataset,
        search: Search,
        moment: Moment,
        processing: ProcessingZone,
    ) -> Vec<InstanceView> {
        let found =
            match search.resolve(dataset, (moment.nominal, moment.now), processing, &mut Existing(self.presence)) {
                SearchResult::Found(times) => {
                    let found = Instance::found(dataset, times, processing);
                    return found.map(|instance| self.instance(&instance)).collect();
                }
                SearchResult::Unresolved(times) => times.len(),
            };
        vec![InstanceView {
            nominal_time: None,
            uri: format!("{} -> {}", search.text(), dataset.done_flag.dependency(&dataset.uri_template.text())),
            path: None,
            state: InstanceState::Unresolved,
            detail: Some(match found {
                0 => "no such instance exists yet".to_owned(),
                found => format!("only {found} of the wanted instances exist yet"),
            }),
            producer: None,
            nominal_at: None,
            folder: String::new(),
        }]
    }
}

/// What is not there, in the order in which it is asked for.
pub(super) fn missing(inputs: &[InputView]) -> impl Iterator<Item = &InstanceView> {
    inputs.iter().flat_map(|input| &input.instances).filter(|instance| instance.state != InstanceState::Present)
}

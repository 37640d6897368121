//! What an action's inputs resolve to, and which of them are there now.
//!
//! Looks as the input check looks, through the same functions; whether the action could become READY is never decided
//! here a second time.

use serde::Serialize;

use crate::query::context::Query;
use crate::query::instance::{InstanceState, InstanceView};
use howdah_engine::apply::selection::{choose, refuse_many};
use howdah_engine::compiled::Application;
use howdah_engine::inputs::check::{Existing, Open};
use howdah_engine::inputs::decision::{CheckedAction, Decision};
use howdah_engine::inputs::logic::{LogicState, LogicView};
use howdah_engine::inputs::search::SearchView;
use howdah_engine::run_as;
use howdah_host::located::{Base, DefaultStore};
use howdah_host::presence::{Presence as _, State};
use howdah_oozie::coordinator::action::{ResolvedAction, ResolvedEvent, Slot};
use howdah_oozie::coordinator::instance::Instance;
use howdah_oozie::coordinator::operation::scope::{Period, Scope};
use howdah_oozie::coordinator::satisfy::{Moment, Searched};
use howdah_words::error::{Error, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::CoordinatorAction;
use howdah_words::model::time::{MINUTE, Timestamp};

/// The instances of one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InputView {
    pub name: String,
    pub dataset: String,
    /// Whether the action waits for what of it is not there; an input logic may do without.
    pub needed: bool,
    /// Instances that are ignored because they lie before the dataset's initial instance.
    pub before_initial_instance: usize,
    pub instances: Vec<InstanceView>,
}

/// The inputs of an action, and what they come to.
#[derive(Clone, Debug, Default)]
pub struct ActionInputs {
    pub views: Vec<InputView>,
    /// What would be decided now: every search, and the input logic.
    pub decision: Decision,
    /// Whether the action could become READY with them.
    pub complete: bool,
    /// What the machine cannot tell of them (H0113); then nothing is decided.
    pub unknown: Option<Error>,
    /// When the waits of the input logic are over with which what is there suffices.
    pub(crate) suffices_at: Option<Timestamp>,
}

impl Query<'_> {
    /// The inputs of each open action in a scope, with its number.
    ///
    /// # Errors
    /// E0604 when there is no such job, E0302 for more than `most` actions, and as [`Self::inputs_of`].
    pub fn open_inputs(&mut self, job: &JobId, scope: &Scope, most: u32) -> Result<Vec<(u32, Vec<InputView>)>> {
        let job = self.coordinator_job(job)?;
        refuse_many(self.snapshot, &job, (scope, Some(Period::Active)), most)?;
        let mut found = Vec::new();
        for action in choose(self.snapshot, &job, scope, Period::Active)?.actions {
            let application = self.application(&job, action.definition_version)?;
            found.push((action.number, self.inputs_of(&application, &action)?.views));
        }
        Ok(found)
    }

    /// What an action waits for: nothing when its inputs were decided before it was rerun, for then it starts with
    /// those.
    ///
    /// # Errors
    /// As [`Self::inputs`]; E0603 when what is stored is no decision.
    pub(crate) fn inputs_of(&self, application: &Application, action: &CoordinatorAction) -> Result<ActionInputs> {
        if is_decided(action) {
            let decision = self.decision(action)?.unwrap_or_default();
            return Ok(ActionInputs { decision, complete: true, ..ActionInputs::default() });
        }
        self.inputs(application, action.nominal_at, Some(action.created_at))
    }

    /// The inputs of the action at a nominal time, as they are now; `created` is `None` before its creation.
    ///
    /// # Errors
    /// E1004, E1010 when an instance cannot be computed.
    pub fn inputs(
        &self,
        application: &Application,
        nominal: Timestamp,
        created: Option<Timestamp>,
    ) -> Result<ActionInputs> {
        let reader = run_as::reader(&run_as::user(&application.configuration));
        reader.act(|| self.inputs_as_reader(application, nominal, created))?
    }

    fn inputs_as_reader(
        &self,
        application: &Application,
        nominal: Timestamp,
        created: Option<Timestamp>,
    ) -> Result<ActionInputs> {
        let created = created.unwrap_or(self.now);
        let subject = CheckedAction { application, settings: self.settings, nominal, created, now: self.now };
        let coordinator = &application.coordinator;
        let mut action = coordinator.resolve(application.scope(), nominal)?;
        let before = action.clone();
        let mut existing = Existing::of(subject.application, self.presence);
        let mut sight = coordinator.satisfy(&mut action, subject.moment(), &mut existing);
        if coordinator.logic.is_none() {
            // Without a logic every search is needed, whatever else is missing.
            sight.searches = self.searches(&subject, &before.inputs);
        }
        let complete = sight.is_complete;
        let decision = subject.describe(&sight, &action);
        let views =
            coordinator.inputs.iter().zip(&before.inputs).enumerate().map(|(place, (event, input))| InputView {
                name: input.name.clone(),
                dataset: event.dataset.name.clone(),
                needed: !complete && decision.logic.as_ref().is_none_or(|logic| wants(logic, &input.name)),
                before_initial_instance: input.before_initial,
                instances: self.slots(&subject, input, sight.searches.iter().filter(|search| search.event == place)),
            });
        let views = views.collect();
        let suffices_at = if complete { None } else { self.suffices_at(&subject, &before) };
        Ok(ActionInputs { views, decision, complete, unknown: existing.open().and_then(Open::error), suffices_at })
    }

    /// What was decided when an action became READY; `None` when there was nothing to decide.
    ///
    /// # Errors
    /// E0603 when what is stored is no decision.
    pub fn decision(&self, action: &CoordinatorAction) -> Result<Option<Decision>> {
        let Some(document) = action.decided else { return Ok(None) };
        Decision::read(&self.snapshot.document(document)?).map(Some)
    }

    /// Every search of an action, whatever else is missing.
    fn searches(&self, subject: &CheckedAction<'_>, inputs: &[ResolvedEvent]) -> Vec<Searched> {
        let coordinator = &subject.application.coordinator;
        let (reach, processing) = (subject.moment().reach, coordinator.schedule.processing);
        let mut searched = Vec::new();
        for (event, input) in inputs.iter().enumerate() {
            for search in input.searches() {
                let dataset = &coordinator.inputs[event].dataset;
                let sought =
                    search.resolve(dataset, reach, processing, &mut Existing::of(subject.application, self.presence));
                searched.push(Searched { event, search, sought });
            }
        }
        searched
    }

    /// When the first wait of the input logic is over with which what is there now would do.
    fn suffices_at(&self, subject: &CheckedAction<'_>, action: &ResolvedAction) -> Option<Timestamp> {
        let coordinator = &subject.application.coordinator;
        let moment = subject.moment();
        let waits = coordinator.logic.as_ref()?.root.waits();
        let mut ahead = waits.into_iter().filter(|minutes| *minutes > moment.waited_minutes);
        let suffices = |minutes: &i64| {
            let then = Moment { waited_minutes: *minutes, ..moment };
            coordinator
                .satisfy(&mut action.clone(), then, &mut Existing::of(subject.application, self.presence))
                .is_complete
        };
        let minutes = ahead.find(suffices)?;
        Some(subject.since() + minutes.saturating_mul(MINUTE))
    }

    fn slots<'s>(
        &self,
        subject: &CheckedAction<'_>,
        input: &ResolvedEvent,
        mut searched: impl Iterator<Item = &'s Searched>,
    ) -> Vec<InstanceView> {
        let coordinator = &subject.application.coordinator;
        let store = subject.application.store();
        let mut views = Vec::new();
        for slot in &input.slots {
            let search = match slot {
                Slot::Instance(instance) => {
                    views.push(self.instance(instance, &store));
                    continue;
                }
                Slot::Search(_) => searched.next(),
            };
            let Some(search) = search else { continue };
            let dataset = &coordinator.inputs[search.event].dataset;
            let found = Instance::found(dataset, search.sought.found.clone(), coordinator.schedule.processing);
            views.extend(found.map(|instance| self.instance(&instance, &store)));
            if !search.sought.is_complete {
                let template = dataset.done_flag.dependency(&dataset.uri_template.text());
                views.push(open(&SearchView::of(coordinator, search), &template));
            }
        }
        views
    }

    /// An instance, and whether it is there now.
    pub(super) fn instance(&self, instance: &Instance, store: &DefaultStore) -> InstanceView {
        let located = self.mounts.locate(&instance.dependency, &Base::store(store.clone()));
        let (state, detail) = match self.presence.check(&store.qualify(&instance.dependency)) {
            State::Present => (InstanceState::Present, None),
            State::Missing if instance.nominal > self.now => (InstanceState::NotYetDue, None),
            State::Missing => (InstanceState::Missing, None),
            State::Unreadable(why) => (InstanceState::Unreadable, Some(why)),
            State::Unknown(why) => (InstanceState::Unknown, Some(why)),
            State::Deferred => (InstanceState::Unknown, Some(State::NOT_ASKED.to_owned())),
            State::Unmapped(store) => (InstanceState::Unmapped, Some(format!("no mount for {store}"))),
        };
        InstanceView {
            nominal_time: Some(instance.nominal),
            uri: instance.dependency.clone(),
            path: located.ok().map(|place| place.place().into_owned()),
            state,
            detail,
            producer: None,
            folder: instance.uri.clone(),
        }
    }
}

/// Whether an action keeps what was decided about its inputs: it was rerun without a refresh.
pub(crate) fn is_decided(action: &CoordinatorAction) -> bool {
    action.configuration.is_some()
}

/// A search that found too little, as an entry of the list.
fn open(search: &SearchView, template: &str) -> InstanceView {
    InstanceView {
        nominal_time: None,
        uri: format!("{} -> {template}", search.function),
        path: None,
        state: InstanceState::Unresolved,
        detail: [search.outcome(), search.bound()].into_iter().flatten().reduce(|one, other| format!("{one}; {other}")),
        producer: None,
        folder: String::new(),
    }
}

/// Whether an element of the logic would take more of an input than is there.
fn wants(logic: &LogicView, input: &str) -> bool {
    let open = matches!(logic.state, LogicState::Missing | LogicState::Waiting);
    open && (logic.inputs.iter().any(|name| name == input) || logic.children.iter().any(|child| wants(child, input)))
}

/// What is needed and not there, in the order in which it is asked for.
pub fn missing(inputs: &[InputView]) -> impl Iterator<Item = &InstanceView> {
    let needed = inputs.iter().filter(|input| input.needed);
    needed.flat_map(|input| &input.instances).filter(|instance| instance.state != InstanceState::Present)
}

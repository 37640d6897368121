//! Checks the inputs of one waiting action: finds the first missing one, or decides what the action starts with
//! (specification 6.1.3.2).
//!
//! Must not depend on the database: the step of the tick stores the result.

use crate::compiled::Application;
use crate::inputs::decision::{CheckedAction, Decided};
use crate::settings::Settings;
use howdah_host::found;
use howdah_host::located::DefaultStore;
use howdah_host::presence::{Presence, State};
use howdah_oozie::coordinator::action::ResolvedAction;
use howdah_oozie::coordinator::instance::Instance;
use howdah_oozie::coordinator::readiness::{Inputs, Wait};
use howdah_oozie::dataset;
use howdah_words::error::{Error, Result};
use howdah_words::model::missing_input::MissingInput;
use howdah_words::model::row::{ActionKey, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// The check of the inputs of one action.
pub struct InputCheck<'a> {
    pub application: &'a Application,
    pub job: &'a CoordinatorJob,
    pub candidate: &'a Candidate,
    pub now: Timestamp,
    pub presence: &'a dyn Presence,
    pub settings: &'a Settings,
}

/// The result of a check.
pub enum Found {
    /// The first input that is missing, or a search without result; `place` is where the next check starts.
    Missing {
        input: MissingInput,
        place: u32,
    },
    /// The input logic is not satisfied.
    Unsatisfied,
    Ready(Decided),
    /// No input is checked: the configuration is known.
    Decided,
    /// The machine cannot read whether an input is present (H0113): nothing is decided.
    Unknown(Error),
    /// A server is asked later in this tick: nothing is decided.
    Deferred,
    /// The final configuration cannot be computed.
    Failed(Error),
}

impl Found {
    /// Returns whether all inputs are present; a configuration that fails counts as present, because waiting would not
    /// help.
    pub const fn inputs(&self) -> Inputs {
        match self {
            Self::Missing { .. } | Self::Unsatisfied => Inputs::Missing,
            Self::Unknown(_) | Self::Deferred => Inputs::Unknown,
            Self::Ready(_) | Self::Decided | Self::Failed(_) => Inputs::Present,
        }
    }

    /// Returns the missing input and its place; `None` for every other result.
    pub fn missing(self) -> Option<(MissingInput, u32)> {
        match self {
            Self::Missing { input, place } => Some((input, place)),
            Self::Unsatisfied
            | Self::Ready(_)
            | Self::Decided
            | Self::Unknown(_)
            | Self::Deferred
            | Self::Failed(_) => None,
        }
    }
}

impl InputCheck<'_> {
    /// Checks the inputs.
    pub fn run(&self) -> Found {
        self.find().unwrap_or_else(Found::Failed)
    }

    fn find(&self) -> Result<Found> {
        if let Some(input) = &self.candidate.missing {
            return Ok(Found::Missing { input: input.clone(), place: self.candidate.from });
        }
        if self.candidate.decided {
            return Ok(Found::Decided);
        }
        let coordinator = &self.application.coordinator;
        let subject = self.subject();
        let mut action = coordinator.resolve(self.application.scope(), subject.nominal)?;
        let mut presence = Existing::of(self.application, self.presence);
        let report = if coordinator.logic.is_some() {
            // Any input may be the one that is still needed, so none is stored as missing.
            coordinator.satisfy(&mut action, subject.moment(), &mut presence)
        } else {
            if let Some(missing) = self.first_missing(&action) {
                return Ok(missing);
            }
            coordinator.search(&mut action, subject.moment().reach, &mut presence)
        };
        match presence.open() {
            Some(Open::Unknown(error)) => return Ok(Found::Unknown(error)),
            Some(Open::Deferred) => return Ok(Found::Deferred),
            None => {}
        }
        if report.is_complete {
            return subject.decide((&self.job.id, self.candidate.key.number), &report, &action).map(Found::Ready);
        }
        if coordinator.logic.is_some() {
            return Ok(Found::Unsatisfied);
        }
        // Every check makes the search again; all inputs before it are present.
        let place = u32::try_from(action.dependencies().count()).unwrap_or(u32::MAX);
        let call = report.searches.last().map(|search| search.search.text()).unwrap_or_default();
        Ok(Found::Missing { input: MissingInput::Search(call), place })
    }

    /// Returns the first missing dependency, starting at the place of the one that was missing last time.
    fn first_missing(&self, action: &ResolvedAction) -> Option<Found> {
        let store = self.application.store();
        let mut is_deferred = false;
        let absent = |(place, instance): (usize, &Instance)| {
            let uri = &instance.dependency;
            match self.presence.check(&store.qualify(uri)) {
                State::Present => None,
                // The next ones are asked for together with it.
                State::Deferred => {
                    is_deferred = true;
                    None
                }
                State::Unknown(why) => Some(Found::Unknown(found::unknown(uri, &why))),
                State::Missing | State::Unreadable(_) | State::Unmapped(_) => {
                    let place = u32::try_from(place).unwrap_or(u32::MAX);
                    Some(Found::Missing { input: MissingInput::Path(uri.clone()), place })
                }
            }
        };
        let missing = action.dependencies().enumerate().skip(self.candidate.from as usize).find_map(absent);
        // What is missing after it is not the first.
        if is_deferred { Some(Found::Deferred) } else { missing }
    }

    fn subject(&self) -> CheckedAction<'_> {
        let Wait { nominal, created, .. } = self.candidate.wait;
        CheckedAction { application: self.application, settings: self.settings, nominal, created, now: self.now }
    }
}

/// The host's presence for the pure modules, which know only present and absent. An unknown state is kept here: the
/// caller must check [`Existing::open`] before it uses an answer.
pub struct Existing<'a> {
    presence: &'a dyn Presence,
    /// The store of paths without scheme.
    store: DefaultStore,
    open: Option<Open>,
}

/// Why an answer is not known.
pub enum Open {
    /// The machine could not read it (H0113).
    Unknown(Error),
    /// A server is asked later in this tick.
    Deferred,
}

impl Open {
    /// Returns the error of what could not be read.
    pub fn error(self) -> Option<Error> {
        if let Self::Unknown(error) = self { Some(error) } else { None }
    }
}

impl<'a> Existing<'a> {
    /// Creates the presence for a job of this application.
    pub fn of(application: &Application, presence: &'a dyn Presence) -> Self {
        Self { presence, store: application.store(), open: None }
    }

    /// Returns why the first state is not known that is not; then all answers are invalid.
    pub fn open(self) -> Option<Open> {
        self.open
    }
}

impl dataset::Presence for Existing<'_> {
    fn is_present(&mut self, dependency: &str) -> bool {
        match self.presence.check(&self.store.qualify(dependency)) {
            State::Present => true,
            State::Missing | State::Unreadable(_) | State::Unmapped(_) => false,
            State::Unknown(why) => {
                self.open.get_or_insert_with(|| Open::Unknown(found::unknown(dependency, &why)));
                false
            }
            // Ends a search: where it leads to is known later.
            State::Deferred => {
                self.open.get_or_insert(Open::Deferred);
                true
            }
        }
    }
}

/// An action that needs more than a check of its first missing input.
pub struct Candidate {
    pub key: ActionKey,
    pub wait: Wait,
    pub version: u32,
    /// The place of the input that was missing last time.
    pub from: u32,
    /// That input.
    pub known: Option<MissingInput>,
    /// The same, when it is known to be still missing.
    pub missing: Option<MissingInput>,
    /// Whether it was READY before and is rerun: its earlier decision counts, and no input is checked.
    pub decided: bool,
}

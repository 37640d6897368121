//! An action that is created for a preview and never stored, for `dryrun` and `eval`.
//!
//! It is created now or when it is due, whichever is later, and its inputs are checked as they are now. Must not write
//! anything.

use crate::compiled::{self, Application};
use crate::inputs::check::Existing;
use crate::run_as;
use crate::settings::MOST_TRIED;
use howdah_host::presence::PresenceCache;
use howdah_oozie::coordinator::action::ResolvedAction;
use howdah_oozie::coordinator::input_logic::InputLogic;
use howdah_oozie::coordinator::phase::ActionFacts;
use howdah_oozie::coordinator::satisfy::Moment;
use howdah_oozie::dataset::Reach;
use howdah_words::error::Result;
use howdah_words::model::Properties;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::time::Timestamp;

/// Returns the id of a job that was never submitted, for expressions.
pub fn job_id(kind: JobKind) -> JobId {
    JobId::build(0, &format!("000000000000000-{}", JobId::SYSTEM), kind)
}

/// One action of an application, in a preview.
pub struct Trial<'a> {
    application: &'a Application,
    nominal: Timestamp,
    now: Timestamp,
    /// Its id, as expressions see it.
    id: String,
}

impl<'a> Trial<'a> {
    /// Returns the action with a number and its nominal time, as it would be created at `now`.
    pub fn new(application: &'a Application, (number, nominal): (u32, Timestamp), now: Timestamp) -> Self {
        Self { application, nominal, now, id: format!("{}@{number}", job_id(JobKind::Coordinator)) }
    }

    /// Returns the instances of its events, and whether its inputs exist: `None` without `presence`, when they are not
    /// checked.
    ///
    /// What is not known yet stays an expression.
    ///
    /// # Errors
    /// E1004 and E1010 when the action cannot be created.
    pub fn resolve(&self, presence: Option<&PresenceCache<'_>>) -> Result<(ResolvedAction, Option<bool>)> {
        let mut action = self.application.coordinator.resolve(self.application.scope(), self.nominal)?;
        let ready = match presence {
            Some(presence) => {
                let reader = run_as::reader(&run_as::user(&self.application.configuration));
                Some(reader.act(|| self.satisfy(&mut action, presence))?)
            }
            None => self.application.coordinator.inputs.is_empty().then_some(true),
        };
        if ready != Some(true) {
            let named = self.application.coordinator.logic.iter().flat_map(InputLogic::named);
            action.logic.extend(named.map(|(name, _)| (name.to_owned(), None)));
        }
        Ok((action, ready))
    }

    fn satisfy(&self, action: &mut ResolvedAction, presence: &PresenceCache<'_>) -> bool {
        let coordinator = &self.application.coordinator;
        let mut existing = Existing::of(self.application, presence);
        let waited_minutes = self.now.minutes_since(self.nominal.max(self.now));
        let reach = Reach { nominal: self.nominal, latest_from: self.now, most_tried: MOST_TRIED };
        let ready = coordinator.satisfy(action, Moment { reach, waited_minutes }, &mut existing).is_complete;
        if !ready && coordinator.logic.is_none() {
            // Found inputs are shown even when others are missing.
            coordinator.search(action, reach, &mut existing);
        }
        ready
    }

    /// Returns the values of the action's own configuration.
    ///
    /// # Errors
    /// E1004 with the place in the definition.
    pub fn own_configuration(&self, action: &ResolvedAction) -> Result<Properties> {
        let coordinator = &self.application.coordinator;
        coordinator.action_configuration(self.application.scope(), &self.facts(), action)
    }

    /// Returns the configuration of the workflow job; `own` are the action's own values.
    pub fn workflow_configuration(&self, own: &Properties) -> Properties {
        compiled::workflow_configuration(self.application, own, self.nominal)
    }

    /// Returns the facts about the action itself for expressions.
    pub fn facts(&self) -> ActionFacts<'_> {
        ActionFacts {
            id: &self.id,
            app_name: &self.application.coordinator.written_name,
            nominal: self.nominal,
            actual: self.now.floor_minute(),
        }
    }
}

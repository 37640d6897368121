//! The decision about the inputs of an action when it becomes READY, or as it would be now.
//!
//! Only what depends on the moment is stored, as JSON: the instances that `latest` and `future` checked and took
//! (specification 6.6.6, 6.6.7), and what input logic took for each of its names (specification 6.10). The same structs
//! show a waiting action. Must not decide whether an action is ready: `coordinator::satisfy` does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::compiled::Application;
use crate::format::stored_time;
use crate::inputs::logic::LogicView;
use crate::inputs::search::SearchView;
use crate::settings::Settings;
use crate::stored_properties::properties_text;
use howdah_oozie::coordinator::action::ResolvedAction;
use howdah_oozie::coordinator::phase::ActionFacts;
use howdah_oozie::coordinator::satisfy::{InputReport, Moment};
use howdah_oozie::dataset::Reach;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_words::model::row::CoordinatorAction;
use howdah_words::model::time::Timestamp;

/// An action whose inputs are checked at a moment.
#[derive(Clone, Copy)]
pub struct CheckedAction<'a> {
    pub application: &'a Application,
    pub settings: &'a Settings,
    pub nominal: Timestamp,
    /// When it was created; `now` for one that does not exist yet.
    pub created: Timestamp,
    pub now: Timestamp,
}

impl CheckedAction<'_> {
    /// Returns where its searches start, and how long it has waited.
    pub fn moment(&self) -> Moment {
        // `latest` searches back from now, or from the action's creation (decision C5).
        let latest_from = if self.settings.latest_from_creation { self.created } else { self.now };
        let reach = Reach { nominal: self.nominal, latest_from, most_tried: self.settings.most_tried };
        Moment { reach, waited_minutes: self.now.minutes_since(self.since()) }
    }

    /// Returns the start of its wait: the later of nominal and created time.
    pub fn since(&self) -> Timestamp {
        self.nominal.max(self.created)
    }

    /// Returns the result of a check as it is printed.
    pub fn describe(&self, report: &InputReport, action: &ResolvedAction) -> Decision {
        let coordinator = &self.application.coordinator;
        let logic = coordinator.logic.as_ref().zip(report.logic.as_ref());
        Decision {
            decided_time: None,
            searches: report.searches.iter().map(|search| SearchView::of(coordinator, search)).collect(),
            logic: logic.map(|(logic, judged)| LogicView::of(coordinator, (&logic.root, judged), self.since())),
            names: action.logic.iter().map(|(name, text)| (name.clone(), text.clone())).collect(),
        }
    }

    /// Decides what an action starts with, when a check found everything that it needs.
    ///
    /// # Errors
    /// E1004 with the place in the definition when its final configuration cannot be computed.
    pub fn decide(
        &self,
        (job, number): (&JobId, u32),
        report: &InputReport,
        action: &ResolvedAction,
    ) -> Result<Decided> {
        let coordinator = &self.application.coordinator;
        let id = format!("{job}@{number}");
        let facts = ActionFacts {
            id: &id,
            app_name: &coordinator.written_name,
            nominal: self.nominal,
            actual: self.created.floor_minute(),
        };
        let configuration = coordinator.action_configuration(self.application.scope(), &facts, action)?;
        let decision = Decision { decided_time: Some(stored_time(self.now)), ..self.describe(report, action) };
        Ok(Decided { configuration, decision: (!decision.is_empty()).then(|| Box::new(decision)) })
    }
}

/// What an action starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    configuration: Properties,
    /// `None` when there was nothing to decide: the definition determines every input.
    decision: Option<Box<Decision>>,
}

impl Decided {
    /// Stores the documents and sets them in an action that is about to be written.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn put(&self, transaction: &Transaction<'_>, action: &mut CoordinatorAction) -> Result<()> {
        action.configuration = Some(transaction.store_document(&properties_text(&self.configuration))?);
        let text = self.decision.as_ref().map(|decision| decision.text());
        action.decided = text.map(|text| transaction.store_document(&text)).transpose()?;
        Ok(())
    }
}

/// What was decided about the inputs of an action, or would be now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// `None` before the decision: the rest is the state now.
    pub decided_time: Option<String>,
    /// The searches that were made, in document order.
    pub searches: Vec<SearchView>,
    pub logic: Option<LogicView>,
    /// The URIs that `coord:dataIn` gives for each name of the input logic, joined by commas; `None` for an element
    /// that was not needed.
    pub names: BTreeMap<String, Option<String>>,
}

impl Decision {
    /// Reads what was stored.
    ///
    /// # Errors
    /// E0603 when it is not a decision: another program wrote to the database.
    pub fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| Error::new(ErrorCode::E0603, format!("a stored decision: {error}")))
    }

    /// Checks whether nothing depended on the moment.
    pub fn is_empty(&self) -> bool {
        self.searches.is_empty() && self.logic.is_none()
    }

    /// Checks whether `latest` is among the searches: they are made again when the job is resumed (specification
    /// 6.6.6).
    pub(crate) fn has_latest(&self) -> bool {
        self.searches.iter().any(SearchView::is_latest)
    }

    fn text(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are always JSON")
    }
}

#[cfg(test)]
mod tests;

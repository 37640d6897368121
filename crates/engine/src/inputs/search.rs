//! The stored and printed form of a search (`latest`, `future`) and its result.

use serde::{Deserialize, Serialize};

use crate::format::{shown_time, stored_time};
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_oozie::coordinator::satisfy::Searched;
use howdah_words::model::time::Timestamp;

/// The start of every call of `latest` and `latestRange`.
const LATEST: &str = "${coord:latest";

/// A search that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchView {
    /// The name of the input event.
    pub input: String,
    pub dataset: String,
    /// The call, such as `${coord:latest(0)}`.
    pub function: String,
    /// Whether it found all wanted instances.
    pub complete: bool,
    /// The wanted instances that exist, oldest first.
    pub found: Vec<FoundInstance>,
    /// The first instances that it checked, in that order.
    pub tried: Vec<TriedInstance>,
    /// How many it checked in all.
    pub tried_in_all: u64,
    /// The instance at which it gave up because of `howdah.latest.instances`; it did not check further ones.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gave_up_at: Option<String>,
}

/// An instance that a search took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundInstance {
    pub nominal_time: String,
    pub uri: String,
}

/// An instance that a search checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedInstance {
    pub nominal_time: String,
    /// The checked URI, with the done-flag.
    pub uri: String,
    pub present: bool,
}

impl SearchView {
    /// Creates the view of a search of a coordinator's action.
    pub fn of(coordinator: &Coordinator, made: &Searched) -> Self {
        let event = &coordinator.inputs[made.event];
        let dataset = &event.dataset;
        let uri = |at: Timestamp| dataset.uri(at, coordinator.schedule.processing).unwrap_or_default();
        let sought = &made.sought;
        Self {
            input: event.name.clone(),
            dataset: dataset.name.clone(),
            function: made.search.text(),
            complete: sought.is_complete,
            found: sought
                .found
                .iter()
                .map(|at| FoundInstance { nominal_time: stored_time(*at), uri: uri(*at) })
                .collect(),
            tried: sought
                .tried
                .iter()
                .map(|tried| TriedInstance {
                    nominal_time: stored_time(tried.nominal),
                    uri: dataset.done_flag.dependency(&uri(tried.nominal)),
                    present: tried.is_present,
                })
                .collect(),
            tried_in_all: sought.tried_in_all,
            gave_up_at: sought.gave_up_at.map(stored_time),
        }
    }

    /// Checks whether it searches back from the moment of the decision.
    pub(crate) fn is_latest(&self) -> bool {
        self.function.starts_with(LATEST)
    }

    /// Returns what is missing; `None` when it found all.
    pub fn outcome(&self) -> Option<String> {
        (!self.complete).then(|| match self.found.len() {
            0 => "no such instance exists yet".to_owned(),
            found => format!("only {found} of the wanted instances exist yet"),
        })
    }

    /// Returns where it gave up, if it did.
    pub fn bound(&self) -> Option<String> {
        let at = self.gave_up_at.as_ref()?;
        let tried = self.tried_in_all;
        Some(format!("it gave up at {} after {tried} instances, as howdah.latest.instances says", shown_time(at)))
    }
}

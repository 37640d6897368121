//! The data events that expressions may name, and their texts.

use std::collections::{BTreeMap, BTreeSet};

use crate::coordinator::input_logic::InputLogic;
use crate::coordinator::phase::result::CallResult;
use howdah_el::CallError;
use howdah_words::error::{Error, ErrorCode, did_you_mean};

/// The values of `coord:dataIn` and `coord:dataOut`, by the name of the event; `None` while a search is open.
pub type EventTexts = BTreeMap<String, Option<String>>;

/// How many events a help line names.
pub const MOST_LISTED: usize = 12;

/// The names that `coord:dataIn` and `coord:dataOut` may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventNames {
    pub inputs: BTreeSet<String>,
    pub outputs: BTreeSet<String>,
}

impl EventNames {
    /// The names of the declared events and, for inputs, the names in the input logic.
    pub fn new(
        inputs: impl IntoIterator<Item = String>,
        outputs: impl IntoIterator<Item = String>,
        logic: Option<&InputLogic>,
    ) -> Self {
        let named = logic.into_iter().flat_map(InputLogic::named).map(|(name, _)| name.to_owned());
        Self { inputs: inputs.into_iter().chain(named).collect(), outputs: outputs.into_iter().collect() }
    }

    /// Returns whether any event has that name.
    pub fn contains(&self, name: &str) -> bool {
        self.inputs.contains(name) || self.outputs.contains(name)
    }
}

/// Builds the refusal of a name that no event of its kind has.
pub fn undeclared<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> CallResult {
    let error = Error::new(ErrorCode::E1004, format!("{kind} {name} is not valid"));
    let help = match did_you_mean(name, names.clone()) {
        Some(near) => format!("did you mean [{near}]?"),
        None if names.clone().next().is_none() => "the application declares no such event".to_owned(),
        None => {
            let shown: Vec<&str> = names.clone().take(MOST_LISTED).collect();
            let more = if names.count() > shown.len() { ", ..." } else { "" };
            format!("no event has this name; there are [{}{more}]", shown.join(", "))
        }
    };
    Err(CallError::Coded(error.help(help)))
}

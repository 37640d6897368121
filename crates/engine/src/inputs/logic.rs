//! The stored and printed form of an input logic, with the state of every element (specification 6.10).

use serde::{Deserialize, Serialize};

use crate::format::stored_time;
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_oozie::coordinator::input_logic::{Enough, LogicNode, LogicResult, Rule, Satisfaction};
use howdah_words::model::time::{MINUTE, Timestamp};

/// The state of an element of the logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LogicState {
    Satisfied,
    /// Its `wait` is not over: it may take more instances.
    Waiting,
    Missing,
    /// An earlier element has decided the result.
    NotLookedAt,
}

/// An element of the logic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogicView {
    /// `and`, `or`, `combine` or `data-in`.
    pub operator: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The input events of `data-in` and `combine`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inputs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub min: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wait_minutes: Option<i64>,
    pub state: LogicState,
    /// How many instances of `data-in` or `combine` are there; `None` when they were not checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub present: Option<usize>,
    /// How many there can be; `None` while a search is incomplete.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<usize>,
    /// When its wait ends, while it is waiting.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_until: Option<String>,
    /// Why it was not checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
    /// The URIs that `data-in` or `combine` took.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub took: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub children: Vec<Self>,
}

impl LogicView {
    /// Creates the view of an element for an action whose wait starts at `since`.
    pub fn of(coordinator: &Coordinator, (node, judged): (&LogicNode, &LogicResult), since: Timestamp) -> Self {
        let event = |place: &usize| coordinator.inputs[*place].name.clone();
        let (operator, inputs, enough) = match &node.rule {
            Rule::Event(place, enough) => ("data-in", vec![event(place)], *enough),
            Rule::Combine(places, enough) => ("combine", places.iter().map(event).collect(), *enough),
            Rule::All(_) => ("and", Vec::new(), Enough::default()),
            Rule::Any(_) => ("or", Vec::new(), Enough::default()),
        };
        let state = match &judged.outcome {
            Some(Satisfaction::Satisfied(_)) => LogicState::Satisfied,
            Some(Satisfaction::Waiting) => LogicState::Waiting,
            Some(Satisfaction::Unsatisfied) => LogicState::Missing,
            None => LogicState::NotLookedAt,
        };
        let is_waiting = judged.tally.is_some() && state == LogicState::Waiting;
        let took = judged.tally.and_then(|_| judged.taken()).unwrap_or_default();
        Self {
            operator: operator.to_owned(),
            name: node.name.clone(),
            inputs,
            min: enough.min,
            wait_minutes: Some(enough.wait_minutes).filter(|minutes| *minutes > 0),
            state,
            present: judged.tally.map(|tally| tally.present),
            of: judged.tally.and_then(|tally| tally.all),
            waits_until: is_waiting.then(|| stored_time(since + enough.wait_minutes.saturating_mul(MINUTE))),
            detail: None,
            took: took.iter().map(|instance| instance.uri.clone()).collect(),
            children: children(coordinator, (node, judged), since),
        }
    }
}

/// Creates the views of the child elements; each one that was not checked has a reason.
fn children(coordinator: &Coordinator, (node, judged): (&LogicNode, &LogicResult), since: Timestamp) -> Vec<LogicView> {
    let (Rule::All(nodes) | Rule::Any(nodes)) = &node.rule else { return Vec::new() };
    let part = if matches!(node.rule, Rule::Any(_)) { "alternative" } else { "part" };
    let decided_by = judged.children.iter().map_while(|child| child.outcome.as_ref()).last();
    let reason = match decided_by {
        Some(Satisfaction::Satisfied(_)) => format!("an earlier {part} is satisfied"),
        Some(Satisfaction::Waiting) => format!("an earlier {part} still waits"),
        Some(Satisfaction::Unsatisfied) => format!("an earlier {part} is missing"),
        // The parts of an element that was not checked need no reason of their own.
        None => String::new(),
    };
    let view = |pair| {
        let child = LogicView::of(coordinator, pair, since);
        let unseen = child.state == LogicState::NotLookedAt && !reason.is_empty();
        LogicView { detail: unseen.then(|| reason.clone()), ..child }
    };
    nodes.iter().zip(&judged.children).map(view).collect()
}

//! A stored decision can be read again, and is empty when nothing was decided.

use super::*;
use crate::inputs::logic::LogicState;
use crate::inputs::search::{FoundInstance, TriedInstance};

fn search(function: &str) -> SearchView {
    let at = "2026-03-01T05:00Z".to_owned();
    SearchView {
        input: "i".to_owned(),
        dataset: "d".to_owned(),
        function: function.to_owned(),
        complete: true,
        found: vec![FoundInstance { nominal_time: at.clone(), uri: "/d/05".to_owned() }],
        tried: vec![TriedInstance { nominal_time: at, uri: "/d/05/_SUCCESS".to_owned(), present: true }],
        tried_in_all: 1,
        gave_up_at: None,
    }
}

fn leaf(state: LogicState) -> LogicView {
    LogicView {
        operator: "data-in".to_owned(),
        name: Some("x".to_owned()),
        inputs: vec!["i".to_owned()],
        min: Some(1),
        wait_minutes: None,
        state,
        present: Some(1),
        of: None,
        waits_until: None,
        detail: None,
        took: Vec::new(),
        children: Vec::new(),
    }
}

/// Stores and reads a decision; `expect`: whether it is empty, and whether it has `latest`.
fn check(decision: &Decision, expect: (bool, bool)) {
    assert_eq!(Decision::read(&decision.text()).as_ref(), Ok(decision));
    assert_eq!((decision.is_empty(), decision.has_latest()), expect, "{decision:?}");
}

#[test]
fn a_decision_is_read_as_it_was_stored() {
    check(&Decision::default(), (true, false));
    let with = |function: &str| Decision { searches: vec![search(function)], ..Decision::default() };
    check(&with("${coord:latest(0)}"), (false, true));
    check(&with("${coord:latestRange(-1, 0)}"), (false, true));
    check(&with("${coord:future(0, 10)}"), (false, false));
    let logic = LogicView { children: vec![leaf(LogicState::NotLookedAt)], ..leaf(LogicState::Satisfied) };
    let names = BTreeMap::from([("x".to_owned(), Some("/d/05".to_owned())), ("y".to_owned(), None)]);
    check(&Decision { logic: Some(logic), names, ..Decision::default() }, (false, false));
    let broken = Decision::read("{\"searches\": 1}").unwrap_err();
    assert_eq!(broken.code(), ErrorCode::E0603);
}

//! Conditional input logic: which inputs an action has to wait for (coordinator specification 6.10;
//! decisions C18 to C22).
//!
//! Must never know files: what is there is asked through [`Inputs`].

use crate::coordinator::action::Instance;

/// The logic of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputLogic {
    /// Several elements directly below `input-logic` are joined by "and" (decision C21).
    pub(crate) root: LogicNode,
}

/// One element of the logic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogicNode {
    /// The name under which `coord:dataIn` gives what the element took.
    pub(crate) name: Option<String>,
    pub(crate) rule: Rule,
}

/// What an element asks for; events are given by their place among the input events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// `data-in`: the instances of one event.
    Event(usize, Enough),
    /// `and`: all of the elements.
    All(Vec<LogicNode>),
    /// `or`: the first of the elements that is satisfied.
    Any(Vec<LogicNode>),
    /// `combine`: each instance from the first event that has it.
    Combine(Vec<usize>, Enough),
}

/// When an incomplete list of instances will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Enough {
    /// How many instances suffice.
    pub(crate) min: Option<usize>,
    /// Minutes during which the rest is waited for.
    pub(crate) wait_minutes: i64,
}

/// What an element of the logic came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is satisfied with these instances.
    Satisfied(Vec<Instance>),
    /// It may take more instances until its wait is over, so alternatives are not tried yet.
    Waiting,
    /// Too little is there.
    Unsatisfied,
}

/// The instances of one event and which of them are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Availability {
    pub(crate) instances: Vec<(Instance, bool)>,
    /// Whether a search (`latest`, `future`) did not find all it looks for.
    pub(crate) search_open: bool,
}

/// Tells what is there.
pub(crate) trait Inputs {
    /// The availability of the event at a place among the input events.
    fn availability(&mut self, event: usize) -> Availability;
}

impl InputLogic {
    /// Every named element, outer ones first.
    pub(crate) fn named(&self) -> Vec<(&str, &LogicNode)> {
        let mut found = Vec::new();
        self.root.collect_named(&mut found);
        found
    }
}

impl LogicNode {
    fn collect_named<'a>(&'a self, found: &mut Vec<(&'a str, &'a LogicNode)>) {
        if let Some(name) = &self.name {
            found.push((name, self));
        }
        if let Rule::All(children) | Rule::Any(children) = &self.rule {
            for child in children {
                child.collect_named(found);
            }
        }
    }

    /// Judges the element when the action has waited for `waited_minutes`.
    pub(crate) fn judge(&self, inputs: &mut dyn Inputs, waited_minutes: i64) -> Outcome {
        match &self.rule {
            Rule::Event(event, enough) => {
                let Availability { instances, search_open } = inputs.availability(*event);
                let complete = !search_open && instances.iter().all(|(_, present)| *present);
                enough.judge(present(instances), complete, waited_minutes)
            }
            Rule::All(children) => all(children, inputs, waited_minutes),
            Rule::Any(children) => any(children, inputs, waited_minutes),
            Rule::Combine(events, enough) => {
                let lists: Vec<_> = events.iter().map(|event| inputs.availability(*event).instances).collect();
                let most = lists.iter().map(Vec::len).max().unwrap_or_default();
                let taken = combined(lists);
                let complete = taken.len() == most;
                enough.judge(taken, complete, waited_minutes)
            }
        }
    }
}

impl Enough {
    fn judge(self, available: Vec<Instance>, complete: bool, waited_minutes: i64) -> Outcome {
        if complete {
            return Outcome::Satisfied(available);
        }
        if waited_minutes < self.wait_minutes {
            return Outcome::Waiting;
        }
        // An element that waits without a minimum takes what came in the meantime, if anything did.
        let least = self.min.or((self.wait_minutes > 0).then_some(1));
        match least {
            Some(least) if available.len() >= least => Outcome::Satisfied(available),
            _ => Outcome::Unsatisfied,
        }
    }
}

fn all(children: &[LogicNode], inputs: &mut dyn Inputs, waited_minutes: i64) -> Outcome {
    let mut taken = Vec::new();
    for child in children {
        match child.judge(inputs, waited_minutes) {
            Outcome::Satisfied(instances) => taken.extend(instances),
            other => return other,
        }
    }
    Outcome::Satisfied(taken)
}

fn any(children: &[LogicNode], inputs: &mut dyn Inputs, waited_minutes: i64) -> Outcome {
    let judged = children.iter().map(|child| child.judge(inputs, waited_minutes));
    judged.into_iter().find(|outcome| *outcome != Outcome::Unsatisfied).unwrap_or(Outcome::Unsatisfied)
}

fn present(instances: Vec<(Instance, bool)>) -> Vec<Instance> {
    instances.into_iter().filter_map(|(instance, present)| present.then_some(instance)).collect()
}

/// At each place the instance of the first list that has it (decision C20).
///
/// Places are counted from the newest instance, because the oldest may be left out before an initial instance.
fn combined(lists: Vec<Vec<(Instance, bool)>>) -> Vec<Instance> {
    let most = lists.iter().map(Vec::len).max().unwrap_or_default();
    let mut places: Vec<Option<Instance>> = vec![None; most];
    for list in lists {
        for (place, (instance, present)) in places.iter_mut().rev().zip(list.into_iter().rev()) {
            if present && place.is_none() {
                *place = Some(instance);
            }
        }
    }
    places.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Timestamp;

    /// Availability by event: one letter per instance, a capital one is there.
    struct Letters<'a>(&'a [&'a str]);

    impl Inputs for Letters<'_> {
        fn availability(&mut self, event: usize) -> Availability {
            let instance = |letter: char| Instance {
                nominal: Timestamp::EPOCH,
                uri: format!("{event}{}", letter.to_lowercase()),
                dependency: String::new(),
            };
            let instances = self.0[event].chars().map(|letter| (instance(letter), letter.is_uppercase())).collect();
            Availability { instances, search_open: false }
        }
    }

    fn event(event: usize) -> LogicNode {
        node(Rule::Event(event, Enough::default()))
    }

    fn enough(event: usize, min: usize, wait_minutes: i64) -> LogicNode {
        node(Rule::Event(event, Enough { min: (min > 0).then_some(min), wait_minutes }))
    }

    fn node(rule: Rule) -> LogicNode {
        LogicNode { name: None, rule }
    }

    /// `expect`: the URIs taken, `wait` or `no`.
    fn check(rule: &LogicNode, inputs: &[&str], waited: i64, expect: &str) {
        let got = match rule.judge(&mut Letters(inputs), waited) {
            Outcome::Satisfied(taken) => taken.iter().map(|taken| taken.uri.as_str()).collect::<Vec<_>>().join(" "),
            Outcome::Waiting => "wait".to_owned(),
            Outcome::Unsatisfied => "no".to_owned(),
        };
        assert_eq!(got, expect, "{inputs:?}");
    }

    #[test]
    fn or_takes_the_first_that_is_complete() {
        let either = node(Rule::Any(vec![event(0), event(1)]));
        check(&either, &["AB", "AB"], 0, "0a 0b");
        check(&either, &["Ab", "AB"], 0, "1a 1b");
        check(&either, &["Ab", "aB"], 0, "no");
    }

    #[test]
    fn and_takes_all_in_document_order() {
        let both = node(Rule::All(vec![event(0), event(1)]));
        check(&both, &["A", "AB"], 0, "0a 1a 1b");
        check(&both, &["A", "Ab"], 0, "no");
    }

    #[test]
    fn combine_fills_the_gaps() {
        let combine = node(Rule::Combine(vec![0, 1, 2], Enough::default()));
        check(&combine, &["Ab", "AB", "AB"], 0, "0a 1b");
        check(&combine, &["Ab", "Ab", "ab"], 0, "no");
        check(&combine, &["B", "AB", "ab"], 0, "1a 0b");
        let some = node(Rule::Combine(vec![0, 1], Enough { min: Some(1), wait_minutes: 0 }));
        check(&some, &["ab", "aB"], 0, "1b");
    }

    #[test]
    fn minimum_and_wait() {
        check(&enough(0, 2, 0), &["ABc"], 0, "0a 0b");
        check(&enough(0, 2, 0), &["Abc"], 0, "no");
        check(&enough(0, 2, 10), &["ABc"], 9, "wait");
        check(&enough(0, 2, 10), &["ABc"], 10, "0a 0b");
        check(&enough(0, 2, 10), &["ABC"], 0, "0a 0b 0c");
        check(&enough(0, 0, 10), &["Abc"], 10, "0a");
        check(&enough(0, 0, 10), &["abc"], 10, "no");
        let either = node(Rule::Any(vec![enough(0, 1, 10), event(1)]));
        check(&either, &["a", "A"], 9, "wait");
        check(&either, &["a", "A"], 10, "1a");
    }
}

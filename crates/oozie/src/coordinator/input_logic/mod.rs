//! Conditional input logic: which inputs an action has to wait for (specification 6.10; decisions C18 to C22).
//!
//! [`LogicNode::evaluate`] is the only evaluation of the logic: it decides when an action becomes ready, and commands
//! print the same tree. Elements are evaluated in document order and no further than needed: evaluation stops after the
//! first alternative that is satisfied or still can be, and after the first part that is not satisfied. Must not depend
//! on files: availability comes from [`Inputs`].

use crate::coordinator::instance::Instance;

/// The logic of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputLogic {
    /// Several elements directly below `input-logic` are joined by "and" (decision C21).
    pub root: LogicNode,
}

/// One element of the logic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogicNode {
    /// The name under which `coord:dataIn` returns what the element took.
    pub name: Option<String>,
    pub rule: Rule,
}

/// What an element requires; events are named by their index among the input events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `data-in`: the instances of one event.
    Event(usize, Enough),
    /// `and`: all of the elements.
    All(Vec<LogicNode>),
    /// `or`: the first of the elements that is satisfied.
    Any(Vec<LogicNode>),
    /// `combine`: each instance from the first event that has it.
    Combine(Vec<usize>, Enough),
}

/// When an incomplete list of instances is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enough {
    /// How many instances are enough.
    pub min: Option<usize>,
    /// Minutes to wait for the remaining instances.
    pub wait_minutes: i64,
}

/// The result of evaluating an element of the logic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfaction {
    /// It is satisfied with these instances.
    Satisfied(Vec<Instance>),
    /// It may take more instances until its wait ends, so alternatives are not tried yet.
    Waiting,
    /// Too few instances exist.
    Unsatisfied,
}

/// An element of the logic with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogicResult {
    /// `None` when an earlier element decided already, so that this one was not evaluated.
    pub outcome: Option<Satisfaction>,
    /// For `data-in` and `combine` that were evaluated: how many instances exist, and how many can exist.
    pub tally: Option<Tally>,
    /// The elements of `and` and `or`, in document order.
    pub children: Vec<Self>,
}

/// How many instances an element could take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    pub present: usize,
    /// `None` while a search is open: the number of instances that it will find is not known.
    pub all: Option<usize>,
}

/// The instances of one event, and which of them exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    pub instances: Vec<(Instance, bool)>,
    /// Whether a search (`latest`, `future`) has not found all its instances.
    pub(crate) search_open: bool,
}

impl Availability {
    fn tally(&self) -> Tally {
        let present = self.instances.iter().filter(|(_, present)| *present).count();
        Tally { present, all: (!self.search_open).then_some(self.instances.len()) }
    }
}

/// Reports which instances exist.
pub trait Inputs {
    /// Returns the availability of the event with this index among the input events.
    fn availability(&mut self, event: usize) -> Availability;
}

impl InputLogic {
    /// Every named element, outer ones first.
    pub fn named(&self) -> Vec<(&str, &LogicNode)> {
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

    /// Evaluates the element for an action that has waited for `waited_minutes`.
    pub fn evaluate(&self, inputs: &mut dyn Inputs, waited_minutes: i64) -> LogicResult {
        match &self.rule {
            Rule::Event(event, enough) => {
                let availability = inputs.availability(*event);
                let tally = availability.tally();
                let complete = tally.all == Some(tally.present);
                LogicResult::leaf(enough.evaluate(present(availability.instances), complete, waited_minutes), tally)
            }
            Rule::Combine(events, enough) => {
                let lists: Vec<_> = events.iter().map(|event| inputs.availability(*event).instances).collect();
                let all = lists.iter().map(Vec::len).max().unwrap_or_default();
                let taken = combined(lists, all);
                let tally = Tally { present: taken.len(), all: Some(all) };
                LogicResult::leaf(enough.evaluate(taken, tally.present == all, waited_minutes), tally)
            }
            Rule::All(children) => {
                let children = evaluate_until(children, inputs, waited_minutes, |outcome| !outcome.is_satisfied());
                let outcome = match children.iter().map_while(|child| child.outcome.as_ref()).last() {
                    Some(Satisfaction::Satisfied(_)) | None => Satisfaction::Satisfied(taken(&children)),
                    Some(outcome) => outcome.clone(),
                };
                LogicResult { outcome: Some(outcome), tally: None, children }
            }
            Rule::Any(children) => {
                let children =
                    evaluate_until(children, inputs, waited_minutes, |outcome| *outcome != Satisfaction::Unsatisfied);
                let last = children.iter().map_while(|child| child.outcome.as_ref()).last();
                let outcome = last.cloned().unwrap_or(Satisfaction::Unsatisfied);
                LogicResult { outcome: Some(outcome), tally: None, children }
            }
        }
    }

    /// Returns the waits of the element and of the elements inside it, in minutes, the shortest first.
    pub fn waits(&self) -> Vec<i64> {
        let mut waits = match &self.rule {
            Rule::Event(_, enough) | Rule::Combine(_, enough) => vec![enough.wait_minutes],
            Rule::All(children) | Rule::Any(children) => children.iter().flat_map(Self::waits).collect(),
        };
        waits.retain(|minutes| *minutes > 0);
        waits.sort_unstable();
        waits.dedup();
        waits
    }
}

impl Satisfaction {
    /// Returns whether the action may start with it.
    pub(crate) fn is_satisfied(&self) -> bool {
        matches!(self, Self::Satisfied(_))
    }
}

impl LogicResult {
    fn leaf(outcome: Satisfaction, tally: Tally) -> Self {
        Self { outcome: Some(outcome), tally: Some(tally), children: Vec::new() }
    }

    /// Describes an element that was not evaluated, with those inside it.
    fn not_evaluated(node: &LogicNode) -> Self {
        let children = match &node.rule {
            Rule::All(children) | Rule::Any(children) => children.iter().map(Self::not_evaluated).collect(),
            Rule::Event(..) | Rule::Combine(..) => Vec::new(),
        };
        Self { outcome: None, tally: None, children }
    }

    /// Returns the instances that satisfy it; `None` when it is not satisfied.
    pub fn taken(&self) -> Option<&[Instance]> {
        match &self.outcome {
            Some(Satisfaction::Satisfied(taken)) => Some(taken),
            Some(Satisfaction::Waiting | Satisfaction::Unsatisfied) | None => None,
        }
    }
}

impl Enough {
    fn evaluate(self, available: Vec<Instance>, complete: bool, waited_minutes: i64) -> Satisfaction {
        if complete {
            return Satisfaction::Satisfied(available);
        }
        if waited_minutes < self.wait_minutes {
            return Satisfaction::Waiting;
        }
        match self.least() {
            Some(least) if available.len() >= least => Satisfaction::Satisfied(available),
            _ => Satisfaction::Unsatisfied,
        }
    }

    /// Returns how many instances are enough once the wait is over; `None`: all of them are needed.
    ///
    /// An element that waits without a minimum takes the instances that exist by then, if there are any.
    pub fn least(self) -> Option<usize> {
        self.min.or((self.wait_minutes > 0).then_some(1))
    }
}

/// Evaluates elements in order up to the first one whose outcome decides.
fn evaluate_until(
    nodes: &[LogicNode],
    inputs: &mut dyn Inputs,
    waited_minutes: i64,
    decides: impl Fn(&Satisfaction) -> bool,
) -> Vec<LogicResult> {
    let mut decided = false;
    let mut evaluate = |node: &LogicNode| {
        if decided {
            return LogicResult::not_evaluated(node);
        }
        let evaluated = node.evaluate(inputs, waited_minutes);
        decided = evaluated.outcome.as_ref().is_some_and(&decides);
        evaluated
    };
    nodes.iter().map(&mut evaluate).collect()
}

/// Collects what the parts took, in document order.
fn taken(children: &[LogicResult]) -> Vec<Instance> {
    children.iter().filter_map(LogicResult::taken).flatten().cloned().collect()
}

fn present(instances: Vec<(Instance, bool)>) -> Vec<Instance> {
    instances.into_iter().filter_map(|(instance, present)| present.then_some(instance)).collect()
}

/// Returns at each position the instance of the first list that has it (decision C20).
///
/// Positions count from the newest instance, because the oldest may be left out before an initial instance.
fn combined(lists: Vec<Vec<(Instance, bool)>>, all: usize) -> Vec<Instance> {
    let mut places: Vec<Option<Instance>> = vec![None; all];
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
mod tests;

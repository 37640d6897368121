//! Decides which node gets the next place for a command: on this machine, on a cluster, in a pool.
//!
//! A node without a place stays in PREP. Places are shared out fairly between jobs: the job with the fewest running
//! commands comes first, and within a job the earliest nominal time. A place of a pool goes to the job with the fewest
//! commands in that pool. A node whose pool is full keeps no place from others. Must not depend on what the commands
//! are.

mod family;
mod limits;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};

use crate::runner::places::family::Family;
use howdah_words::model::row::{CommandNeeds, WaitingNode, WorkflowKey};
use howdah_words::model::time::Timestamp;

pub use crate::runner::places::limits::{Limit, Limits, Taken, Use};

/// Sorts waiting nodes into the order in which they get places; `running` has the number of running commands of each
/// family.
pub fn in_order<'w>(
    waiting: impl IntoIterator<Item = &'w WaitingNode>,
    running: &BTreeMap<Family, usize>,
) -> Vec<&'w WaitingNode> {
    let mut families: BTreeMap<Family, VecDeque<&WaitingNode>> = BTreeMap::new();
    for node in waiting {
        families.entry(Family::of(node.job, node.coordinator)).or_default().push_back(node);
    }
    for nodes in families.values_mut() {
        nodes.make_contiguous().sort_by_key(|node| (node.nominal_at, node.job));
    }
    let turn = |family: Family, held: usize, nodes: &VecDeque<&WaitingNode>| -> Option<Turn> {
        nodes.front().map(|first| Reverse((held, first.nominal_at, family)))
    };
    let mut turns: BinaryHeap<Turn> = BinaryHeap::new();
    for (family, nodes) in &families {
        turns.extend(turn(*family, running.get(family).copied().unwrap_or_default(), nodes));
    }
    let mut ordered = Vec::new();
    while let Some(Reverse((held, _, family))) = turns.pop() {
        let Some(nodes) = families.get_mut(&family) else { continue };
        ordered.extend(nodes.pop_front());
        turns.extend(turn(family, held + 1, nodes));
    }
    ordered
}

/// A family with its running commands and the nominal time of its first node; the greatest is the next.
type Turn = Reverse<(usize, Timestamp, Family)>;

/// Returns the limit that keeps a waiting node from its start, and how many of the waiting nodes get one of its places
/// before it; `None` when there is a place for it.
pub fn obstacle(
    limits: &Limits,
    taken: &Taken,
    waiting: &[WaitingNode],
    (job, node): (WorkflowKey, &str),
) -> Option<(Limit, usize)> {
    let is_full = |limit: &Limit| taken.all(limit) >= limits.most(limit);
    let subject = waiting.iter().find(|other| other.job == job && other.node == node)?;
    let full = limits.needs(&subject.needs).into_iter().find(is_full)?;
    // A node whose narrower limit is full takes no place of this one.
    let competes = |other: &&WaitingNode| limits.needs(&other.needs).into_iter().find(is_full).as_ref() == Some(&full);
    let ordered = in_order(waiting.iter().filter(competes), &taken.of_families(&full));
    let before = ordered.iter().position(|other| other.job == job && other.node == node)?;
    Some((full, before))
}

/// A node of a workflow job.
type Node = (WorkflowKey, String);

/// The places of one step of the runner.
#[derive(Debug)]
pub struct Places {
    limits: Limits,
    /// Places that any node may take.
    free: BTreeMap<Limit, usize>,
    /// Nodes that waited before this step and for which places are kept.
    kept: HashMap<Node, Vec<Limit>>,
    /// Nodes that got no place in an earlier step; they are not evaluated again until there is one.
    refused: HashMap<Node, Vec<Limit>>,
}

impl Places {
    /// Returns no places yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, free: BTreeMap::new(), kept: HashMap::new(), refused: HashMap::new() }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Shares the places that are not taken among the waiting nodes; returns the jobs that got one.
    pub fn share(&mut self, taken: &Taken, waiting: &[WaitingNode]) -> Vec<WorkflowKey> {
        let name = |node: &WaitingNode| (node.job, node.node.clone());
        let still: HashSet<Node> = waiting.iter().map(name).collect();
        self.refused.retain(|node, _| still.contains(node));
        self.free = self.limits.free(taken);
        self.kept.clear();
        let mut next = Vec::new();
        for node in self.candidates(taken, waiting) {
            let needs = self.limits.needs(&node.needs);
            if take_all(&mut self.free, &needs) {
                self.kept.insert(name(node), needs);
                next.push(node.job);
            }
        }
        next
    }

    /// Returns the nodes for which the places of pools, types and clusters suffice, in the order in which they get
    /// places of the machine.
    fn candidates<'w>(&self, taken: &Taken, waiting: &'w [WaitingNode]) -> Vec<&'w WaitingNode> {
        let running = taken.of_families(&Limit::Machine);
        if self.limits.are_of_machine() {
            return in_order(waiting, &running);
        }
        let mut queues: BTreeMap<Option<Limit>, Vec<&WaitingNode>> = BTreeMap::new();
        for node in waiting {
            let narrowest = self.limits.needs(&node.needs).into_iter().next();
            queues.entry(narrowest.filter(|limit| *limit != Limit::Machine)).or_default().push(node);
        }
        let mut candidates = queues.remove(&None).unwrap_or_default();
        let mut free = self.free.clone();
        for (limit, nodes) in queues {
            let running = limit.map(|limit| taken.of_families(&limit)).unwrap_or_default();
            for node in in_order(nodes, &running) {
                let mut needs = self.limits.needs(&node.needs);
                needs.retain(|limit| *limit != Limit::Machine);
                candidates.extend(take_all(&mut free, &needs).then_some(node));
            }
        }
        in_order(candidates, &running)
    }

    /// Checks whether it is known that a node gets no place in this step.
    pub fn is_refused(&self, job: WorkflowKey, node: &str) -> bool {
        let node = (job, node.to_owned());
        let has_none = |needs: &Vec<Limit>| !suffice(&self.free, needs);
        self.refused.get(&node).is_some_and(has_none) && !self.kept.contains_key(&node)
    }

    /// Checks whether no place of this machine is left.
    pub(crate) fn are_taken(&self) -> bool {
        self.free.get(&Limit::Machine) == Some(&0) && self.kept.is_empty()
    }

    /// Takes the places for the command of a node; `false` when one is missing.
    pub fn take(&mut self, job: WorkflowKey, node: &str, command: &CommandNeeds) -> bool {
        let node = (job, node.to_owned());
        let needs = self.limits.needs(command);
        match self.kept.remove(&node) {
            Some(kept) if kept == needs => return true,
            // It needs other places than when it began to wait.
            Some(kept) => kept.into_iter().for_each(|limit| *self.free.entry(limit).or_default() += 1),
            None => {}
        }
        let taken = take_all(&mut self.free, &needs);
        if !taken {
            self.refused.insert(node, needs);
        }
        taken
    }
}

fn suffice(free: &BTreeMap<Limit, usize>, needs: &[Limit]) -> bool {
    needs.iter().all(|limit| free.get(limit).is_some_and(|free| *free > 0))
}

/// Takes one place of each limit, or none; returns whether it did.
fn take_all(free: &mut BTreeMap<Limit, usize>, needs: &[Limit]) -> bool {
    let suffices = suffice(free, needs);
    if suffices {
        for limit in needs {
            free.entry(limit.clone()).and_modify(|free| *free -= 1);
        }
    }
    suffices
}

#[cfg(test)]
mod tests;

//! Decides how many commands run at once on this machine, and which node gets the next place.
//!
//! A node without a place stays in PREP. Places are shared out fairly between jobs: the job with the fewest running
//! commands comes first, and within a job the earliest nominal time. Must not depend on what the commands are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet, VecDeque};

use crate::engine::settings::Settings;
use crate::error::Result;
use crate::host::thread_pool;
use crate::model::row::{CoordinatorKey, WaitingNode, WorkflowKey};
use crate::model::time::Timestamp;
use crate::store::Snapshot;

/// The commands for each core and the smallest total, unless the site sets another number.
const FOR_EACH_CORE: usize = 4;
const AT_LEAST: usize = 8;

/// Returns how many commands run at once: `howdah.commands`, or four for each core and at least eight.
pub(crate) fn most(settings: &Settings) -> usize {
    settings.commands.unwrap_or_else(|| AT_LEAST.max(FOR_EACH_CORE * thread_pool::count()))
}

/// The jobs that count as one when places are shared: all workflow jobs of one coordinator, or a single workflow job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    Coordinator(CoordinatorKey),
    Workflow(WorkflowKey),
}

impl Family {
    /// Returns the family of a workflow job.
    pub(crate) fn of(job: WorkflowKey, parent: Option<CoordinatorKey>) -> Self {
        parent.map_or(Self::Workflow(job), Self::Coordinator)
    }
}

/// Sorts the waiting nodes into the order in which they get places; `running` has the number of running commands of
/// each family.
pub(crate) fn in_order<'w>(waiting: &'w [WaitingNode], running: &BTreeMap<Family, usize>) -> Vec<&'w WaitingNode> {
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
    let mut ordered = Vec::with_capacity(waiting.len());
    while let Some(Reverse((held, _, family))) = turns.pop() {
        let Some(nodes) = families.get_mut(&family) else { continue };
        ordered.extend(nodes.pop_front());
        turns.extend(turn(family, held + 1, nodes));
    }
    ordered
}

/// A family with its running commands and the nominal time of its first node; the greatest is the next.
type Turn = Reverse<(usize, Timestamp, Family)>;

/// Counts the running commands of each family; `jobs` has the job of each running attempt.
pub(crate) fn running(snapshot: &Snapshot, jobs: &[WorkflowKey]) -> Result<BTreeMap<Family, usize>> {
    let mut running = BTreeMap::new();
    for job in jobs {
        let parent = snapshot.workflow_job_at(*job)?.and_then(|row| row.parent_coordinator);
        *running.entry(Family::of(*job, parent)).or_default() += 1;
    }
    Ok(running)
}

/// The places of one step of the runner.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Places that any node may take.
    free: usize,
    /// Nodes that waited before this step and for which a place is kept.
    kept: HashSet<(WorkflowKey, String)>,
    /// Nodes that got no place in an earlier step; they are not evaluated again until a place is free.
    refused: HashSet<(WorkflowKey, String)>,
}

impl Places {
    /// Shares `free` places among the waiting nodes; returns the jobs that got one.
    pub(crate) fn share(
        &mut self,
        free: usize,
        waiting: &[WaitingNode],
        running: &BTreeMap<Family, usize>,
    ) -> Vec<WorkflowKey> {
        let name = |node: &WaitingNode| (node.job, node.node.clone());
        let still: HashSet<_> = waiting.iter().map(name).collect();
        self.refused.retain(|node| still.contains(node));
        let next: Vec<&WaitingNode> = in_order(waiting, running).into_iter().take(free).collect();
        self.kept = next.iter().map(|node| name(node)).collect();
        self.free = free - next.len();
        next.into_iter().map(|node| node.job).collect()
    }

    /// Checks whether it is known that a node gets no place in this step.
    pub(crate) fn is_refused(&self, job: WorkflowKey, node: &str) -> bool {
        let node = (job, node.to_owned());
        self.free == 0 && self.refused.contains(&node) && !self.kept.contains(&node)
    }

    /// Checks whether no place is left.
    pub(crate) fn are_taken(&self) -> bool {
        self.free == 0 && self.kept.is_empty()
    }

    /// Takes a place for the command of a node; `false` when there is none.
    pub(crate) fn take(&mut self, job: WorkflowKey, node: &str) -> bool {
        let node = (job, node.to_owned());
        if self.kept.remove(&node) {
            return true;
        }
        if self.free > 0 {
            self.free -= 1;
            return true;
        }
        self.refused.insert(node);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(job: i64, coordinator: Option<i64>, node: &str, nominal: i64) -> WaitingNode {
        WaitingNode {
            job: WorkflowKey(job),
            node: node.to_owned(),
            coordinator: coordinator.map(CoordinatorKey),
            nominal_at: Timestamp::from_seconds(nominal),
        }
    }

    #[test]
    fn the_job_with_the_fewest_commands_and_then_the_earliest_time_comes_first() {
        let nodes = [
            waiting(1, Some(7), "late", 90),
            waiting(2, Some(7), "early", 10),
            waiting(3, Some(7), "middle", 50),
            waiting(4, Some(8), "other", 70),
            waiting(5, None, "single", 80),
        ];
        for (running, expect) in [
            (vec![], "early other single middle late"),
            (vec![(Family::Coordinator(CoordinatorKey(7)), 1)], "other single early middle late"),
            (vec![(Family::Coordinator(CoordinatorKey(8)), 9)], "early single middle late other"),
            (vec![(Family::Workflow(WorkflowKey(5)), 2)], "early other middle single late"),
        ] {
            let running = running.into_iter().collect();
            let ordered: Vec<&str> = in_order(&nodes, &running).iter().map(|node| node.node.as_str()).collect();
            assert_eq!(ordered.join(" "), expect, "{running:?}");
        }
    }

    #[test]
    fn waiting_nodes_get_places_first_and_other_nodes_get_the_rest() {
        let mut places = Places::default();
        let nodes = [waiting(1, None, "a", 10), waiting(1, None, "b", 10), waiting(2, None, "c", 20)];
        let (first, second) = (WorkflowKey(1), WorkflowKey(2));
        assert_eq!(places.share(2, &nodes, &BTreeMap::new()), [first, second]);
        assert!(!places.take(first, "new") && places.is_refused(first, "new"));
        assert!(places.take(first, "a") && places.take(second, "c"));
        assert!(!places.take(first, "b") && !places.take(first, "a"));
        assert_eq!(places.share(3, &nodes[1..2], &BTreeMap::new()), [first]);
        assert!(places.take(second, "new") && places.take(second, "newer") && !places.take(second, "newest"));
        assert!(!places.is_refused(first, "b") && places.take(first, "b"));
    }
}

//! Random runs of random graphs without the check of forks and joins: with every graph, a run ends or waits for its
//! work.

use super::super::random_graph::{Dice, RandomGraph};
use super::*;

/// Runs a graph until nothing can happen any more; returns the final status. While there is an open path the run waits
/// for it, so a run without open paths must have ended.
fn run(graph: &RandomGraph, dice: &mut Dice) -> WorkflowStatus {
    let workflow = graph.workflow();
    let mut instance = Instance::new();
    let mut commands = start(&workflow, &mut instance).expect("a new instance starts");
    let mut open: Vec<String> = Vec::new();
    // Only forks are entered twice, and no graph has a loop.
    for _ in 0..10_000 {
        for command in commands {
            match command {
                Command::Enter { path, .. } => open.push(path),
                Command::Kill { nodes } => assert!(!nodes.is_empty()),
                Command::End { status, .. } => {
                    assert!(status.is_terminal());
                    return status;
                }
            }
        }
        assert!(!open.is_empty(), "nothing is open and the run has not ended");
        let path = open.swap_remove(dice.below(open.len()));
        let node = instance.node_at(&path).and_then(|name| workflow.node(name)).expect("an open path has a node");
        let targets = node.targets();
        let outcome = match node.kind {
            NodeKind::Decision { .. } => Signal::Decision(&targets[dice.below(targets.len())].name),
            NodeKind::Action(_) if dice.below(5) == 0 => Signal::Error,
            _ => Signal::Ok,
        };
        commands = signal(&workflow, &mut instance, &path, outcome).expect("the job runs");
    }
    panic!("the run does not end");
}

#[test]
fn every_run_of_every_graph_ends() {
    let mut ended: std::collections::BTreeMap<String, u32> = std::collections::BTreeMap::new();
    for seed in 0..1000 {
        let graph = RandomGraph::of(seed);
        for again in 0..5 {
            let status = std::panic::catch_unwind(|| run(&graph, &mut Dice::of(seed * 5 + again)));
            let status = status.unwrap_or_else(|_| panic!("seed {seed}, run {again}: {}", graph.text()));
            *ended.entry(status.to_string()).or_default() += 1;
        }
    }
    // Without the check, forks and joins may not match: then the job fails and reports it.
    assert!(ended.values().all(|count| *count > 100) && ended.len() == 3, "{ended:?}");
}

use proptest::prelude::any;

use super::super::testing::{any_block, joined, workflow};
use super::super::validate::{ForkJoinCheck, validate};
use super::*;

/// Executes a run: control nodes are done at once, the other nodes when the script says `node:ok`, `node:error` or
/// `node:target`. Returns what happened, as text.
fn play(graph: &str, script: &str) -> String {
    let workflow = workflow(graph);
    let mut instance = Instance::new();
    let mut reported = Vec::new();
    let commands = start(&workflow, &mut instance).expect("a new instance starts");
    perform(&workflow, &mut instance, commands, &mut reported);
    for word in script.split_whitespace() {
        let (node, outcome) = word.split_once(':').expect("node:outcome");
        let path = instance.path_of(node).expect("the node is open").to_owned();
        let outcome = match outcome {
            "ok" => Signal::Ok,
            "error" => Signal::Error,
            target => Signal::Decision(target),
        };
        let stored = serde_json::to_string(&instance).expect("an instance is plain data");
        instance = serde_json::from_str(&stored).expect("an instance reads back");
        let commands = signal(&workflow, &mut instance, &path, outcome).expect("the job runs");
        perform(&workflow, &mut instance, commands, &mut reported);
    }
    reported.join(" ")
}

fn perform(workflow: &Workflow, instance: &mut Instance, commands: Vec<Command>, reported: &mut Vec<String>) {
    for command in commands {
        match command {
            Command::Enter { node, path } => {
                if instance.node_at(&path) != Some(&node) {
                    continue;
                }
                reported.push(node.clone());
                if workflow.node(&node).is_some_and(|node| node.kind.is_control()) {
                    let next = signal(workflow, instance, &path, Signal::Ok).expect("the job runs");
                    perform(workflow, instance, next, reported);
                }
            }
            Command::Kill { nodes } => reported.push(format!("kill({})", nodes.join(","))),
            Command::End { status, error: None } => reported.push(status.to_string()),
            Command::End { status, error: Some(error) } => reported.push(format!("{status}({error})")),
        }
    }
}

fn check(graph: &str, script: &str, expect: &str) {
    assert_eq!(play(graph, script), expect, "{graph} | {script}");
}

const FORK: &str = "start f; fork f a b; action a j k; action b j k; join j e; kill k; end e";

#[test]
fn follows_a_line_and_its_errors() {
    let line = "start a; action a b k; action b e k; kill k; end e";
    check(line, "a:ok b:ok", ":start: a b e SUCCEEDED");
    check(line, "a:ok b:error", ":start: a b k KILLED");
}

#[test]
fn a_decision_takes_one_of_its_targets() {
    let graph = "start d; decision d a b e; action a e k; action b e k; kill k; end e";
    check(graph, "d:b b:ok", ":start: d b e SUCCEEDED");
    check(graph, "d:e", ":start: d e SUCCEEDED");
    check(graph, "d:x", ":start: d FAILED(E0721: Invalid signal/transition, decision node [d] signal [x])");
    check(graph, "d:ok", ":start: d FAILED(E0721: Invalid signal/transition, decision node [d] signal [OK])");
}

#[test]
fn a_join_waits_for_all_branches() {
    check(FORK, "a:ok", ":start: f a b");
    check(FORK, "a:ok b:ok", ":start: f a b j e SUCCEEDED");
    check(FORK, "b:ok a:ok", ":start: f a b j e SUCCEEDED");
}

#[test]
fn forks_nest_and_follow_each_other() {
    let nested = "start f; fork f g c; fork g a b; action a i k; action b i k; join i j; action c j k; join j h; \
                  fork h x y; action x l k; action y l k; join l e; kill k; end e";
    check(nested, "c:ok b:ok a:ok y:ok x:ok", ":start: f g a b c i j h x y l e SUCCEEDED");
    check(nested, "a:ok b:ok c:ok x:ok y:ok", ":start: f g a b c i j h x y l e SUCCEEDED");
}

#[test]
fn a_fork_may_go_straight_to_its_join() {
    check("start f; fork f j a; action a j k; join j e; kill k; end e", "a:ok", ":start: f a j e SUCCEEDED");
    check("start f; fork f j j; join j e; end e", "", ":start: f j e SUCCEEDED");
}

#[test]
fn reaching_a_kill_node_kills_the_other_branches() {
    check(FORK, "b:error", ":start: f a b k kill(a) KILLED");
    check("start f; fork f k a; action a j k; join j e; kill k; end e", "", ":start: f k kill(a) KILLED");
}

#[test]
fn reaching_the_end_kills_the_other_branches() {
    check(
        "start f; fork f a b; action a e k; action b j k; join j e; kill k; end e",
        "a:ok",
        ":start: f a b e kill(b) SUCCEEDED",
    );
}

#[test]
fn two_branches_meeting_in_a_recovery_action_are_a_loop() {
    let graph = "start f; fork f a b; action a j r; action b j r; action r k k; join j e; kill k; end e";
    check(graph, "a:error b:error", ":start: f a b r kill(r) FAILED(E0709: Loop detected at runtime, node [r])");
    check(graph, "a:error r:ok", ":start: f a b r k kill(b) KILLED");
}

#[test]
fn a_join_without_fork_fails_the_job() {
    check(
        "start a; action a j k; join j e; kill k; end e",
        "a:ok",
        ":start: a FAILED(E0720: Fork/join mismatch, node [j])",
    );
}

#[test]
fn a_finished_run_takes_no_signal() {
    let workflow = workflow("start e; end e");
    let mut instance = Instance::new();
    assert_eq!(signal(&workflow, &mut instance, "/", Signal::Ok).unwrap_err().code(), ErrorCode::E0716);
    start(&workflow, &mut instance).expect("a new instance starts");
    assert_eq!(start(&workflow, &mut instance).unwrap_err().code(), ErrorCode::E0801);
    assert_eq!(signal(&workflow, &mut instance, "/x/", Signal::Ok).unwrap_err().code(), ErrorCode::E0716);
    assert_eq!(instance.transition_of(START), None);
}

#[test]
fn ten_thousand_steps_stay_small() {
    let chain = joined(0..10_000, |n| format!("action a{n} a{} k; ", n + 1));
    let workflow = workflow(&format!("start a0; {chain}action a10000 e k; kill k; end e"));
    let mut instance = Instance::new();
    start(&workflow, &mut instance).expect("a new instance starts");
    signal(&workflow, &mut instance, "/", Signal::Ok).expect("the start node is done");
    for _ in 0..=10_000 {
        signal(&workflow, &mut instance, "/", Signal::Ok).expect("the job runs");
    }
    assert_eq!(instance.node_at("/"), Some("e"));
}

/// Runs a graph to its end; `order` decides which open node finishes next and what decisions choose. No action ends as
/// ERROR.
fn run_to_end(workflow: &Workflow, mut order: u64) -> Result<WorkflowStatus, String> {
    let mut instance = Instance::new();
    let (mut open, mut entered) = (Vec::new(), HashSet::new());
    let mut commands = start(workflow, &mut instance).expect("a new instance starts");
    loop {
        for command in commands {
            match command {
                Command::Enter { node, .. } if !entered.insert(node.clone()) => return Err(format!("{node} again")),
                Command::Enter { path, .. } => open.push(path),
                Command::Kill { nodes } => return Err(format!("killed {nodes:?}")),
                Command::End { status, error } => return error.map_or(Ok(status), |error| Err(error.to_string())),
            }
        }
        if open.is_empty() {
            return Err("nothing is open and the run has not ended".to_owned());
        }
        order = order.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = usize::try_from(order >> 40).expect("24 bits");
        let path = open.swap_remove(choice % open.len());
        let node = instance.node_at(&path).and_then(|name| workflow.node(name)).expect("an open path has a node");
        let targets = node.targets();
        let outcome = match node.kind {
            NodeKind::Decision { .. } => Signal::Decision(&targets[choice % targets.len()].name),
            _ => Signal::Ok,
        };
        commands = signal(workflow, &mut instance, &path, outcome).expect("the job runs");
    }
}

proptest::proptest! {
    #[test]
    fn every_structured_graph_is_accepted_and_ends(block in any_block(), order in any::<u64>()) {
        let workflow = workflow(&block.graph());
        proptest::prop_assert_eq!(validate(&workflow, ForkJoinCheck::On), vec![]);
        proptest::prop_assert_eq!(run_to_end(&workflow, order), Ok(WorkflowStatus::Succeeded));
    }
}

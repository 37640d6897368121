//! Explanations at 80 and at 200 columns, in a pipe and as documents.

use super::{ID, WORKFLOW, check, some};
use crate::output::{decision, explain, json};
use howdah_answers::query::explain::command::Command;
use howdah_answers::query::explain::explanation::{ActionLine, Explanation, NodeExplanation, WorkflowExplanation};
use howdah_answers::query::explain::hold::Hold;
use howdah_answers::query::explain::why::{ActionWhy, Awaited, JobWhy, NodeWhy, Why, WorkflowWhy};
use howdah_answers::query::inputs::InputView;
use howdah_answers::query::instance::{
    ChainLink, InstanceState, InstanceView, ProducerText, ProducerView, Writer, WriterState,
};
use howdah_answers::query::testing::at;
use howdah_engine::inputs::decision::Decision;
use howdah_engine::inputs::logic::{LogicState, LogicView};
use howdah_engine::inputs::search::{FoundInstance, SearchView, TriedInstance};
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::{ActionStatus, NodeStatus, WorkflowStatus};

const URI: &str = "hdfs://nn:8020/checkouts/2026/03/01/05/15/_SUCCESS";

fn instance(state: InstanceState, uri: &str) -> InstanceView {
    InstanceView {
        nominal_time: Some(at("2026-03-01T05:15Z")),
        uri: uri.to_owned(),
        path: some("/data/checkouts/2026/03/01/05/15/_SUCCESS"),
        state,
        detail: None,
        producer: None,
        folder: String::new(),
    }
}

/// Waits for [`URI`] and some more instances.
fn waits(state: InstanceState, more: usize) -> Why {
    ActionWhy::Waits(Awaited { first: Some((URI.to_owned(), state)), more }).into()
}

#[test]
fn an_action_that_waits() {
    let uri = URI;
    let denied =
        InstanceView { detail: some("Permission denied (os error 13)"), ..instance(InstanceState::Unreadable, uri) };
    let waiting = Explanation {
        id: format!("{ID}@743"),
        name: "hourlyRevenue".to_owned(),
        status: Some(ActionStatus::Waiting.into()),
        nominal_time: Some(at("2026-03-01T05:00Z")),
        why: waits(InstanceState::Missing, 1),
        reasons: vec!["it never times out".to_owned()],
        inputs: vec![InputView {
            name: "in".to_owned(),
            dataset: "checkouts".to_owned(),
            needed: true,
            before_initial_instance: 2,
            instances: vec![instance(InstanceState::Present, uri), instance(InstanceState::Missing, uri), denied],
        }],
        next: vec![Command::Shell("ls -l /data/checkouts/2026/03/01/05/15".to_owned())],
        ..Explanation::default()
    };
    check("waiting", |layout| explain::render(&waiting, layout));
}

#[test]
fn an_action_that_failed() {
    let failed = Explanation {
        id: format!("{ID}@3"),
        name: "hourlyRevenue".to_owned(),
        status: Some(ActionStatus::Killed.into()),
        why: WorkflowWhy::NodeFailed {
            job: JobId::parse(WORKFLOW).unwrap(),
            node: "add-up".to_owned(),
            status: NodeStatus::Error,
            error: some("JA018: exit code [1]"),
        }
        .into(),
        workflow: Some(WorkflowExplanation {
            id: WORKFLOW.to_owned(),
            name: "aggregate-wf".to_owned(),
            status: WorkflowStatus::Killed,
            nodes: vec![NodeExplanation {
                id: format!("{WORKFLOW}@add-up"),
                kind: "shell".to_owned(),
                status: NodeStatus::Error,
                error_code: some("JA018"),
                error_message: some("exit code [1]"),
                text: "attempt 3 ended with exit status 1".to_owned(),
                logs: vec!["/state/howdah.runs/W/add-up/0-3/stderr".to_owned()],
                last_lines: vec!["awk: cannot open input".to_owned()],
            }],
        }),
        next: vec![Command::Howdah(format!("log {WORKFLOW}@add-up"))],
        ..Explanation::default()
    };
    check("failed", |layout| explain::render(&failed, layout));
}

#[test]
fn a_job() {
    let line = |number: u32, status: ActionStatus, why: Why| ActionLine {
        id: format!("{ID}@{number}"),
        number,
        status,
        nominal_time: at("2026-03-01T05:00Z"),
        why,
    };
    let job = Explanation {
        id: ID.to_owned(),
        name: "hourlyRevenue".to_owned(),
        status: Some(JobStatus::RUNNING.into()),
        why: JobWhy::Runs.into(),
        reasons: vec!["24 of 743 actions created: 2 WAITING, 22 SUCCEEDED".to_owned()],
        actions: vec![
            line(23, ActionStatus::Waiting, waits(InstanceState::Missing, 0)),
            line(24, ActionStatus::Ready, ActionWhy::Starts.into()),
        ],
        next: vec![Command::Howdah(format!("explain {ID}@23"))],
        ..Explanation::default()
    };
    check("job", |layout| explain::render(&job, layout));
}

fn search(complete: bool) -> SearchView {
    let hour = |hour: u32| format!("2026-03-01T{hour:02}:00Z");
    let tried = |number: u32| TriedInstance {
        nominal_time: hour(23 - number),
        uri: format!("hdfs://nn:8020/raw/2026/03/01/{:02}/_SUCCESS", 23 - number),
        present: complete && matches!(number, 2 | 13),
    };
    let found = |hour_of: u32| FoundInstance {
        nominal_time: hour(hour_of),
        uri: format!("hdfs://nn:8020/raw/2026/03/01/{hour_of:02}"),
    };
    SearchView {
        input: "in".to_owned(),
        dataset: "raw".to_owned(),
        function: "${coord:latest(-1)}".to_owned(),
        complete,
        found: if complete { vec![found(10)] } else { Vec::new() },
        tried: (0..14).map(tried).collect(),
        tried_in_all: if complete { 14 } else { 100_000 },
        gave_up_at: (!complete).then(|| "2026-01-01T00:00Z".to_owned()),
    }
}

fn leaf(input: &str, state: LogicState, tally: Option<(usize, usize)>) -> LogicView {
    LogicView {
        operator: "data-in".to_owned(),
        name: None,
        inputs: vec![input.to_owned()],
        min: Some(2),
        wait_minutes: Some(10),
        state,
        present: tally.map(|(present, _)| present),
        of: tally.map(|(_, all)| all),
        waits_until: (state == LogicState::Waiting).then(|| "2026-03-01T05:10Z".to_owned()),
        detail: (state == LogicState::NotLookedAt).then(|| "an earlier alternative still waits".to_owned()),
        took: Vec::new(),
        children: Vec::new(),
    }
}

fn tree(state: LogicState, children: Vec<LogicView>) -> LogicView {
    LogicView {
        operator: "or".to_owned(),
        name: some("AorB"),
        inputs: Vec::new(),
        min: None,
        wait_minutes: None,
        children,
        waits_until: None,
        detail: None,
        ..leaf("", state, None)
    }
}

#[test]
fn an_input_logic_that_waits() {
    let both = vec![
        leaf("B", LogicState::NotLookedAt, None),
        LogicView { detail: None, ..leaf("C", LogicState::NotLookedAt, None) },
    ];
    let both = LogicView { operator: "and".to_owned(), name: None, ..tree(LogicState::NotLookedAt, both) };
    let waits = vec![leaf("A", LogicState::Waiting, Some((2, 3))), both];
    let explanation = Explanation {
        id: format!("{ID}@7"),
        name: "hourlyRevenue".to_owned(),
        status: Some(ActionStatus::Waiting.into()),
        nominal_time: Some(at("2026-03-01T05:00Z")),
        why: Why::Unreadable("its input logic waits until 2026-03-01T05:10Z (in 4 min) for more instances".to_owned()),
        held_by: Some(Hold::InputLogicWait),
        earliest_start_time: Some(at("2026-03-01T05:10Z")),
        decision: Some(Decision { logic: Some(tree(LogicState::Waiting, waits)), ..Decision::default() }),
        inputs: vec![InputView {
            name: "B".to_owned(),
            dataset: "b".to_owned(),
            needed: false,
            before_initial_instance: 0,
            instances: vec![instance(InstanceState::Missing, URI)],
        }],
        ..Explanation::default()
    };
    check("logic_waits", |layout| explain::render(&explanation, layout));
    insta::assert_snapshot!("json_logic_waits", json::text(&explanation));
}

#[test]
fn what_was_decided() {
    let satisfied = vec![
        leaf("A", LogicState::Missing, Some((1, 3))),
        LogicView { operator: "combine".to_owned(), ..leaf("B", LogicState::Satisfied, Some((2, 3))) },
    ];
    let names = [("AorB", some("hdfs://nn:8020/b/05,hdfs://nn:8020/b/07")), ("CorD", None)];
    let decision = Decision {
        decided_time: some("2026-03-01T05:10Z"),
        searches: vec![search(true)],
        logic: Some(tree(LogicState::Satisfied, satisfied)),
        names: names.into_iter().map(|(name, uris)| (name.to_owned(), uris)).collect(),
    };
    let ready = Explanation {
        id: format!("{ID}@7"),
        name: "hourlyRevenue".to_owned(),
        status: Some(ActionStatus::Ready.into()),
        nominal_time: Some(at("2026-03-01T05:00Z")),
        why: ActionWhy::NoPlace { concurrency: 1, running: 1 }.into(),
        held_by: Some(Hold::Concurrency),
        occupied_by: vec![format!("{ID}@6")],
        decision: Some(decision),
        next: vec![Command::Howdah(format!("explain {ID}@6"))],
        ..Explanation::default()
    };
    check("decided", |layout| explain::render(&ready, layout));
    let open = Decision { searches: vec![search(false)], ..Decision::default() };
    check("search_gave_up", |layout| decision::render(&open, layout));
}

fn writer(number: u32, name: &str, status: ActionStatus) -> Writer {
    let (job, state) = (JobId::parse(ID).unwrap(), WriterState::Action(status));
    Writer { job, name: name.to_owned(), number: Some(number), state }
}

#[test]
fn a_chain_of_producers() {
    let link = |number: u32, status: ActionStatus| ChainLink {
        waits_for: URI.to_owned(),
        action_id: Some(format!("{ID}@{number}")),
        status: Some(status),
        text: ProducerText { waits_for: some(URI), writer: Some(writer(number, "raw", status)), closes_cycle: false },
    };
    let producer = ProducerView {
        coord_job_id: ID.to_owned(),
        coord_job_name: "checkouts".to_owned(),
        job_status: JobStatus::RUNNING,
        output: "out".to_owned(),
        action_id: Some(format!("{ID}@8")),
        nominal_time: Some(at("2026-03-01T05:00Z")),
        status: Some(ActionStatus::Waiting),
        text: ProducerText {
            waits_for: None,
            writer: Some(writer(8, "checkouts", ActionStatus::Waiting)),
            closes_cycle: false,
        },
        chain: vec![link(9, ActionStatus::Waiting), link(10, ActionStatus::Running)],
        due_at: None,
    };
    let missing = InstanceView { producer: Some(producer), ..instance(InstanceState::NotYetDue, URI) };
    let waiting = Explanation {
        id: format!("{ID}@743"),
        name: "hourlyRevenue".to_owned(),
        status: Some(ActionStatus::Waiting.into()),
        nominal_time: Some(at("2026-03-01T05:00Z")),
        why: waits(InstanceState::NotYetDue, 0),
        held_by: Some(Hold::Inputs),
        inputs: vec![InputView {
            name: "in".to_owned(),
            dataset: "checkouts".to_owned(),
            needed: true,
            before_initial_instance: 0,
            instances: vec![missing],
        }],
        next: vec![Command::Howdah(format!("explain {ID}@8"))],
        ..Explanation::default()
    };
    check("chain", |layout| explain::render(&waiting, layout));
    insta::assert_snapshot!("json_chain", json::text(&waiting));
}

#[test]
fn a_node_that_was_not_reached() {
    let explanation = Explanation {
        id: format!("{WORKFLOW}@add-up"),
        name: "aggregate-wf".to_owned(),
        why: NodeWhy::NotReached { status: WorkflowStatus::Running, at: vec!["load".to_owned()] }.into(),
        held_by: Some(Hold::Work),
        reasons: vec!["it can be reached from load, check".to_owned()],
        next: vec![Command::Howdah(format!("explain {WORKFLOW}"))],
        ..Explanation::default()
    };
    check("node_not_reached", |layout| explain::render(&explanation, layout));
}

//! The output at 80 and at 200 columns, and in a pipe, from handwritten structs.

use std::collections::BTreeMap;

use crate::output::screen::Layout;
use crate::output::table_zone::TableZone;
use crate::output::{actions, info, jobs, json, log, node, site, summary};
use howdah_answers::query::actions::{ActionsView, ListedAction};
use howdah_answers::query::attempt::{AttemptView, CommandEnd};
use howdah_answers::query::coordinator::{
    CoordinatorActionView, CoordinatorInfo, CoordinatorJobView, CoordinatorJobsView,
};
use howdah_answers::query::events::EventView;
use howdah_answers::query::kill_message::KillMessage;
use howdah_answers::query::site::{
    DatabaseView, LateView, NextView, PlacesView, PurgeView, SiteProblem, SiteView, TickView,
};
use howdah_answers::query::summary::SummaryView;
use howdah_answers::query::testing::at;
use howdah_answers::query::workflow::{NodeView, WorkflowJobView, WorkflowJobsView};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::AttemptState;
use howdah_words::model::status::{ActionStatus, NodeStatus, WorkflowStatus};

mod explanations;

const ID: &str = "0000000-261120093000123-oozie-oozi-C";
const WORKFLOW: &str = "0000004-261120093000123-oozie-oozi-W";

/// Renders for a narrow terminal, a wide one and a pipe.
fn check(name: &str, render: impl Fn(Layout) -> String) {
    for (kind, width) in [("80", Some(80)), ("200", Some(200)), ("pipe", None)] {
        let text = render(Layout { width, colour: false });
        assert!(!text.contains('\u{1b}'), "{name} has colour without a request");
        insta::assert_snapshot!(format!("{name}_{kind}"), text);
    }
}

/// Most fields that are texts may be absent.
#[allow(clippy::unnecessary_wraps)]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn coordinator(name: &str, status: JobStatus) -> CoordinatorJobView {
    CoordinatorJobView {
        coord_job_id: ID.to_owned(),
        coord_job_name: name.to_owned(),
        short_name: name.to_owned(),
        bundle_id: None,
        external_id: None,
        coord_job_path: "hdfs://nn:8020/apps/revenue/hourly".to_owned(),
        user: "ann".to_owned(),
        group: None,
        acl: None,
        status,
        frequency: "60".to_owned(),
        time_unit: "MINUTE".to_owned(),
        time_zone: "America/New_York".to_owned(),
        clock: None,
        start_time: at("2026-03-01T05:00Z"),
        end_time: at("2026-04-01T04:00Z"),
        pause_time: None,
        next_materialized_time: Some(at("2026-03-02T05:00Z")),
        last_action: Some(at("2026-03-02T04:00Z")),
        concurrency: 1,
        execution_policy: "FIFO".to_owned(),
        mat_throttling: 12,
        time_out: -1,
        total: Some(743),
        waiting: 1,
        failed: 2,
        late_seconds: Some(7_500),
        last_success_time: Some(at("2026-03-02T02:10Z")),
        failure_policy: None,
        suspension: None,
        actions: None,
        counts: BTreeMap::from([
            (ActionStatus::Succeeded, 21),
            (ActionStatus::Failed, 1),
            (ActionStatus::TimedOut, 1),
            (ActionStatus::Waiting, 1),
        ]),
        created_time: at("2026-11-20T09:30Z"),
        next_time: Some(at("2026-03-02T05:00Z")),
    }
}

fn action(number: u32, status: ActionStatus) -> CoordinatorActionView {
    CoordinatorActionView {
        id: format!("{ID}@{number}"),
        action_number: number,
        nominal_time: at("2026-03-01T05:00Z"),
        created_time: at("2026-11-20T09:30Z"),
        last_modified_time: at("2026-11-20T09:31Z"),
        status,
        external_id: None,
        external_status: None,
        missing_dependencies: Vec::new(),
        decision: None,
        error_code: None,
        error_message: None,
        deliveries: Vec::new(),
        sla: None,
        detail: None,
        planned_rerun: None,
    }
}

fn action_views() -> Vec<CoordinatorActionView> {
    let missing = |minute: u32| format!("hdfs://nn:8020/checkouts/2026/03/01/05/{minute:02}/_SUCCESS");
    vec![
        CoordinatorActionView {
            external_id: some(WORKFLOW),
            external_status: some("SUCCEEDED"),
            ..action(1, ActionStatus::Succeeded)
        },
        CoordinatorActionView {
            error_code: some("E0701"),
            error_message: some("E0701: XML schema error"),
            ..action(742, ActionStatus::Failed)
        },
        CoordinatorActionView {
            missing_dependencies: vec![missing(15), missing(30)],
            ..action(743, ActionStatus::Waiting)
        },
    ]
}

#[test]
fn lists_of_jobs() {
    let view = CoordinatorJobsView {
        total: 120,
        offset: 1,
        len: 2,
        coordinatorjobs: vec![
            coordinator(
                "hourlyRevenue",
                JobStatus::Running { hold: howdah_words::model::job_status::JobHold::Free, with_error: true },
            ),
            CoordinatorJobView {
                frequency: "0 2 * * MON-FRI".to_owned(),
                time_unit: "CRON".to_owned(),
                total: None,
                next_time: None,
                ..coordinator("a coordinator with a name that is rather long", JobStatus::SUCCEEDED)
            },
        ],
    };
    check("jobs", |layout| jobs::coordinators(&view, &TableZone::default(), layout));
    let none = CoordinatorJobsView { total: 0, offset: 1, len: 50, coordinatorjobs: Vec::new() };
    assert_eq!(jobs::coordinators(&none, &TableZone::default(), Layout::default()), "No jobs match your criteria!\n");
    let workflows = WorkflowJobsView { total: 1, offset: 1, len: 50, workflows: vec![workflow()] };
    check("workflows", |layout| jobs::workflows(&workflows, &TableZone::default(), layout));
}

fn workflow() -> WorkflowJobView {
    WorkflowJobView {
        id: WORKFLOW.to_owned(),
        app_name: "aggregate-wf".to_owned(),
        app_path: "hdfs://nn:8020/apps/aggregate".to_owned(),
        status: WorkflowStatus::Killed,
        user: "ann".to_owned(),
        group: None,
        acl: None,
        run: 0,
        external_id: None,
        parent_id: Some(format!("{ID}@3")),
        short_name: WORKFLOW.to_owned(),
        short_parent: some("hourlyRevenue@3"),
        created_time: at("2026-11-20T09:30Z"),
        start_time: Some(at("2026-11-20T09:30Z")),
        end_time: Some(at("2026-11-20T09:31Z")),
        last_mod_time: at("2026-11-20T09:31Z"),
        actions: None,
        error: some("JA018: exit code [1]"),
        deliveries: Vec::new(),
        sla: None,
    }
}

fn node_view(name: &str, kind: &str, status: NodeStatus) -> NodeView {
    NodeView {
        id: format!("{WORKFLOW}@{name}"),
        name: name.to_owned(),
        kind: kind.to_owned(),
        status,
        transition: some("end"),
        start_time: Some(at("2026-11-20T09:30Z")),
        end_time: None,
        duration_seconds: Some(75),
        error_code: None,
        error_message: None,
        external_id: None,
        external_status: None,
        tracker_uri: None,
        user_retry_count: 0,
        end: CommandEnd::default(),
        data: None,
        stats: None,
        console_url: None,
        conf: None,
        attempts: None,
        sla: None,
    }
}

#[test]
fn information() {
    let job = CoordinatorJobView {
        actions: Some(action_views()),
        ..coordinator(
            "hourlyRevenue",
            JobStatus::Running { hold: howdah_words::model::job_status::JobHold::Free, with_error: true },
        )
    };
    let view = CoordinatorInfo { job, matching: 24, offset: 0 };
    check("info_coordinator", |layout| info::coordinator(&view, &TableZone::default(), layout));
    check("info_action", |layout| info::action(&action_views()[2], &TableZone::default(), layout));
    let failed = NodeView {
        error_code: some("JA018"),
        error_message: some("Main class [org.apache.oozie.action.hadoop.ShellMain], exit code [1]\nand a second line"),
        user_retry_count: 2,
        data: some("total=42\nrows=7\n"),
        ..node_view("add-up", "shell", NodeStatus::Error)
    };
    let nodes = vec![node_view(":start:", ":START:", NodeStatus::Ok), failed.clone()];
    let view = WorkflowJobView { actions: Some(nodes), ..workflow() };
    check("info_workflow", |layout| info::workflow(&view, &TableZone::default(), layout));
    let attempt = AttemptView::sample(&failed.id);
    let mut going = attempt.clone();
    going.state = AttemptState::Started;
    going.process = Some(4711);
    (going.end_time, going.exit_code, going.error) = (None, None, None);
    (going.user_seconds, going.system_seconds, going.max_memory) = (None, None, None);
    let view = NodeView { attempts: Some(vec![attempt, going]), console_url: some("file:///var"), ..failed };
    check("info_node", |layout| node::node(&view, &TableZone::default(), layout));
    insta::assert_snapshot!("json_node", json::text(&view));
}

/// Other programs rely on these names.
#[test]
fn documents() {
    let job = CoordinatorJobView {
        actions: Some(action_views()[2..].to_vec()),
        ..coordinator("hourlyRevenue", JobStatus::RUNNING)
    };
    insta::assert_snapshot!("json_coordinator", json::text(&job));
    let workflow = WorkflowJobView { actions: Some(vec![node_view("add-up", "shell", NodeStatus::Ok)]), ..workflow() };
    insta::assert_snapshot!("json_workflow", json::text(&workflow));
}

#[test]
fn logs_and_ends() {
    let attempt = AttemptView::sample(&format!("{WORKFLOW}@add-up"));
    let event = EventView {
        time: at("2026-11-20T09:30Z") + 5,
        id: format!("{ID}@1-12"),
        from: some("WAITING"),
        to: "TIMEDOUT".to_owned(),
        origin: "check_inputs".to_owned(),
        reason: some("timed out waiting for /a/_SUCCESS"),
    };
    let plain = Layout::default();
    let mut but = attempt.clone();
    (but.exit_code, but.error) = (Some(0), some("JA018: too much output"));
    let mut well = but.clone();
    well.error = None;
    let endings = [&attempt, &but, &well].map(|attempt| log::ending(attempt, plain)).concat();
    let message = KillMessage {
        id: format!("{WORKFLOW}@fail"),
        message: "failed at [add-up]".to_owned(),
        action_id: None,
        after: None,
    };
    let text = log::heading(&attempt, "stdout", plain)
        + &endings
        + &log::kill_message(&message, plain)
        + &log::event(&event, plain);
    insta::assert_snapshot!("log", text);
    let line = |number: u32, status: JobStatus, unexplained: Option<String>| SummaryView {
        id: ID.replace("0000000", &format!("{number:07}")),
        name: "hourlyRevenue".to_owned(),
        status: status.into(),
        succeeded: 743,
        failed: 0,
        created_time: at("2026-11-20T09:30Z"),
        end_time: None,
        seconds: 42,
        error: None,
        kill_message: None,
        telling: Some(format!("{ID}@743")),
        unexplained,
    };
    let good = [line(0, JobStatus::SUCCEEDED, None), line(1, JobStatus::SUCCEEDED, None)];
    check("summary", |layout| summary::render(&good, false, "", layout));
    let interrupted = [line(0, JobStatus::RUNNING, Some(format!("{ID}@3"))), line(1, JobStatus::SUCCEEDED, None)];
    let mut killed = line(4, JobStatus::Killed, Some(WORKFLOW.to_owned()));
    (killed.id, killed.name) = (WORKFLOW.to_owned(), "aggregate-wf".to_owned());
    killed.error = some("JA018: Main class [org.apache.oozie.action.hadoop.ShellMain], exit code [1]\na second line");
    killed.kill_message = Some(KillMessage {
        id: format!("{WORKFLOW}@fail"),
        message: "failed at [add-up]".to_owned(),
        action_id: None,
        after: None,
    });
    check("summary_killed", |layout| summary::render(&[good[0].clone(), killed.clone()], false, "", layout));
    check("summary_interrupted", |layout| summary::render(&interrupted, true, " --db try.db", layout));
}

#[test]
fn actions_of_all_jobs() {
    let listed = |number: u32, status: ActionStatus| ListedAction {
        id: format!("{ID}@{number}"),
        coord_job_id: ID.to_owned(),
        coord_job_name: "hourlyRevenue".to_owned(),
        action_number: number,
        status,
        nominal_time: at("2026-03-01T05:00Z"),
        created_time: at("2026-03-01T05:00Z"),
        last_modified_time: at("2026-03-01T05:31Z"),
        external_id: some(WORKFLOW),
        start_time: Some(at("2026-03-01T05:30Z")),
        end_time: Some(at("2026-03-01T05:31Z")),
        duration_seconds: Some(75),
        late_seconds: None,
        reason: None,
        name: format!("hourlyRevenue@{number}"),
    };
    let waiting = ListedAction {
        external_id: None,
        start_time: None,
        duration_seconds: None,
        late_seconds: Some(7_500),
        reason: some("waits for hdfs://nn:8020/checkouts/2026/03/01/05/00/_SUCCESS"),
        ..listed(743, ActionStatus::Waiting)
    };
    let failed = ListedAction {
        reason: some("node add-up: the command ended with exit status 3"),
        ..listed(742, ActionStatus::Killed)
    };
    let view = ActionsView { offset: 1, len: 2, has_more: true, actions: vec![waiting, failed] };
    check("actions", |layout| actions::list(&view, &TableZone::default(), layout));
}

#[test]
fn the_state_of_the_site() {
    let counts = |pairs: &[(&str, u32)]| pairs.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect();
    let places = |setting: &str, (places, taken, waiting), of: &str| PlacesView {
        setting: setting.to_owned(),
        places,
        taken,
        waiting,
        of: of.to_owned(),
    };
    let problem = |text: &str| SiteProblem { critical: false, text: text.to_owned() };
    let view = SiteView {
        problems: vec![problem("12 actions failed in 24 h"), problem("1 job late")],
        database: DatabaseView {
            path: "/home/ann/.local/state/howdah/howdah.db".into(),
            created_time: Some(at("2026-01-01T00:00Z")),
            bytes: 70 << 20,
            free_bytes: Some(100 << 30),
            free_percent: Some(55),
        },
        tick: Some(TickView {
            start_time: at("2026-03-02T05:00Z"),
            seconds_ago: 42,
            took_milliseconds: Some(1_234),
            interval_seconds: Some(60),
            is_silent: false,
            silence: None,
            faults: 0,
        }),
        stores: Vec::new(),
        runner: None,
        runner_missing: false,
        coordinator_jobs: counts(&[("RUNNING", 280), ("RUNNINGWITHERROR", 12), ("SUCCEEDED", 8)]),
        bundle_jobs: counts(&[]),
        workflow_jobs: counts(&[("RUNNING", 3)]),
        places: vec![places("howdah.pool.db", (2, 2, 1), "of pool db"), places("howdah.commands", (8, 3, 1), "here")],
        actions: counts(&[("FAILED", 1), ("KILLED", 11), ("RUNNING", 3), ("SUCCEEDED", 200_000), ("WAITING", 40)]),
        failed_last_day: 12,
        failed_jobs_last_day: 0,
        suspended_by_policy: 0,
        blocked_workflow_jobs: 0,
        needs_ticks: true,
        pause: None,
        unfinished_rerun: None,
        left_by_rerun: None,
        purge: PurgeView {
            is_on: true,
            start_time: Some(at("2026-03-02T04:30Z")),
            next_time: Some(at("2026-03-02T05:30Z")),
            workflow_jobs: 120,
            ..PurgeView::default()
        },
        late_jobs: 1,
        late: vec![LateView {
            id: format!("{ID}@743"),
            coord_job_name: "hourlyRevenue".to_owned(),
            nominal_time: at("2026-03-02T02:55Z"),
            late_seconds: 7_500,
            name: "hourlyRevenue@743".to_owned(),
        }],
        next: vec![NextView {
            coord_job_id: ID.to_owned(),
            coord_job_name: "hourlyRevenue".to_owned(),
            nominal_time: at("2026-03-02T06:00Z"),
        }],
        deliveries_pending: 2,
        deliveries_given_up: 0,
    };
    check("status", |layout| site::screen(&view, layout));
}

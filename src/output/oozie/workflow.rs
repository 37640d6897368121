//! Workflow jobs and their nodes in Oozie's texts.

use crate::output::oozie::{Heads, Lines, OozieZone, Style, list, or_dash};
use howdah_answers::query::attempt::AttemptView;
use howdah_answers::query::workflow::{NodeView, WorkflowJobView};

/// `oozie job -info WORKFLOW`; `nodes` are those of the page.
pub(crate) fn info(job: &WorkflowJobView, nodes: &[NodeView], style: &Style) -> String {
    let mut lines = Lines::default();
    let time = |at| style.zone.time(at, style.verbose);
    lines.labelled("Job ID ", &job.id);
    lines.ruler();
    lines.labelled("Workflow Name ", or_dash(Some(&job.app_name)));
    lines.labelled("App Path      ", or_dash(Some(&job.app_path)));
    lines.labelled("Status        ", job.status.as_str());
    lines.labelled("Run           ", job.run.to_string());
    lines.labelled("User          ", or_dash(Some(&job.user)));
    lines.labelled("Group         ", or_dash(job.group.as_deref()));
    lines.labelled("Created       ", time(Some(job.created_time)));
    lines.labelled("Started       ", time(job.start_time));
    lines.labelled("Last Modified ", time(Some(job.last_mod_time)));
    lines.labelled("Ended         ", time(job.end_time));
    lines.labelled("CoordAction ID", or_dash(job.parent_id.as_deref()));
    if nodes.is_empty() {
        lines.ruler();
    } else {
        lines.add("");
        lines.add("Actions");
        lines.ruler();
        node_table(&mut lines, nodes, style);
    }
    lines.add("");
    lines.text()
}

const NODE_WIDTHS: [usize; 5] = [78, 10, 23, 11, 10];

fn node_table(lines: &mut Lines, nodes: &[NodeView], style: &Style) {
    if style.verbose {
        lines.tabs([
            "ID",
            "Console URL",
            "Error Code",
            "Error Message",
            "External ID",
            "External Status",
            "Name",
            "Retries",
            "Tracker URI",
            "Type",
            "Started",
            "Status",
            "Ended",
        ]);
    } else {
        lines.row(NODE_WIDTHS, ["ID", "Status", "Ext ID", "Ext Status", "Err Code"]);
    }
    lines.ruler();
    for node in nodes {
        let [code, message] = [node.error_code.as_deref(), node.error_message.as_deref()].map(or_dash);
        let [id, status] = [node.external_id.as_deref(), node.external_status.as_deref()].map(or_dash);
        if style.verbose {
            lines.tabs([
                &node.id,
                or_dash(node.console_url.as_deref()),
                code,
                message,
                id,
                status,
                &node.name,
                &node.user_retry_count.to_string(),
                "-",
                &node.kind,
                &style.zone.time(node.start_time, true),
                node.status.as_str(),
                &style.zone.time(node.end_time, true),
            ]);
        } else {
            lines.row(NODE_WIDTHS, [&node.id, node.status.as_str(), id, status, code]);
        }
        lines.ruler();
    }
}

/// `oozie job -info WORKFLOW@NODE`.
pub(crate) fn node(node: &NodeView, style: &Style) -> String {
    let mut lines = Lines::default();
    let time = |at| style.zone.time(at, style.verbose);
    lines.labelled("ID ", &node.id);
    lines.ruler();
    lines.labelled("Console URL       ", or_dash(node.console_url.as_deref()));
    lines.labelled("Error Code        ", or_dash(node.error_code.as_deref()));
    lines.labelled("Error Message     ", or_dash(node.error_message.as_deref()));
    lines.labelled("External ID       ", or_dash(node.external_id.as_deref()));
    lines.labelled("External Status   ", or_dash(node.external_status.as_deref()));
    lines.labelled("Name              ", &node.name);
    lines.labelled("Retries           ", node.user_retry_count.to_string());
    lines.labelled("Tracker URI       ", "-");
    lines.labelled("Type              ", &node.kind);
    lines.labelled("Started           ", time(node.start_time));
    lines.labelled("Status            ", node.status.as_str());
    lines.labelled("Ended             ", time(node.end_time));
    if style.verbose {
        lines.labelled("External Stats    ", node.stats.as_deref().unwrap_or("null"));
        lines.labelled("External ChildIDs ", "null");
    }
    lines.ruler();
    lines.text()
}

/// `oozie job -retries WORKFLOW@NODE`: the attempts before the last one, with the times as the web services write them.
pub(crate) fn retries(node: &str, attempts: &[AttemptView]) -> String {
    let mut lines = Lines::default();
    lines.labelled("ID ", node);
    let earlier = attempts.split_last().map_or(&[][..], |(_, earlier)| earlier);
    if earlier.is_empty() {
        lines.add("No Retries");
    }
    let zone = OozieZone::of("GMT");
    let date = |at| zone.web_date(at).unwrap_or_else(|| "null".to_owned());
    for attempt in earlier {
        lines.ruler();
        lines.labelled("Attempt        ", attempt.attempt.to_string());
        lines.labelled("Start Time     ", date(Some(attempt.start_time)));
        lines.labelled("End Time       ", date(attempt.end_time));
        lines.labelled("Console URL    ", format!("file://{}", attempt.folder.display()));
    }
    lines.ruler();
    lines.text()
}

const JOB_WIDTHS: [usize; 7] = [41, 13, 10, 10, 10, 24, 24];

/// `oozie jobs` of workflow jobs.
pub(crate) fn jobs(jobs: &[WorkflowJobView], style: &Style) -> String {
    let heads = Heads {
        verbose: [
            "Job ID",
            "App Name",
            "App Path",
            "Console URL",
            "User",
            "Group",
            "Run",
            "Created",
            "Started",
            "Status",
            "Last Modified",
            "Ended",
        ],
        columns: ["Job ID", "App Name", "Status", "User", "Group", "Started", "Ended"],
        widths: JOB_WIDTHS,
    };
    list(jobs, style, &heads, |lines, job| add_job(lines, job, style))
}

fn add_job(lines: &mut Lines, job: &WorkflowJobView, style: &Style) {
    let time = |at| style.zone.time(at, style.verbose);
    let (name, user, group) = (or_dash(Some(&job.app_name)), or_dash(Some(&job.user)), or_dash(job.group.as_deref()));
    let (started, ended) = (time(job.start_time), time(job.end_time));
    if style.verbose {
        lines.tabs([
            &job.id,
            name,
            or_dash(Some(&job.app_path)),
            "-",
            user,
            group,
            &job.run.to_string(),
            &time(Some(job.created_time)),
            &started,
            job.status.as_str(),
            &time(Some(job.last_mod_time)),
            &ended,
        ]);
    } else {
        lines.row(JOB_WIDTHS, [&job.id, name, job.status.as_str(), user, group, &started, &ended]);
    }
}

const RUN_WIDTHS: [usize; 4] = [41, 10, 24, 24];

/// `oozie job -info COORDINATOR@N -allruns`; nothing when the action has run no workflow job.
pub(crate) fn runs(jobs: &[WorkflowJobView], style: &Style) -> String {
    let mut lines = Lines::default();
    if jobs.is_empty() {
        return lines.text();
    }
    lines.row(RUN_WIDTHS, ["Job ID", "Status", "Started", "Ended"]);
    lines.ruler();
    for job in jobs {
        let (started, ended) = (style.zone.minutes(job.start_time), style.zone.minutes(job.end_time));
        lines.row(RUN_WIDTHS, [&job.id, job.status.as_str(), &started, &ended]);
        lines.ruler();
    }
    lines.text()
}

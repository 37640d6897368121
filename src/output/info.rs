//! `info`: a job with its actions or nodes, or one of them.

use crate::output::jobs::{frequency, progress};
use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column, number};
use crate::output::table_zone::TableZone;
use crate::output::text::{add_line, block};
use crate::output::visible::{visible, visible_lines};
use crate::output::{decision, theme};
use howdah_answers::query::action_detail::{ActionDetail, EventView};
use howdah_answers::query::bundle::{BundleJobView, NotSubmittedView};
use howdah_answers::query::coordinator::{CoordinatorActionView, CoordinatorInfo, CoordinatorJobView};
use howdah_answers::query::delivery::in_short;
use howdah_answers::query::error_text::error_text;
use howdah_answers::query::failure_policy::FailurePolicyView;
use howdah_answers::query::workflow::{NodeView, WorkflowJobView};
use howdah_engine::format::in_words;
use howdah_engine::sla::summary::SlaSummaryView;

const ACTION_COLUMNS: [Column; 7] = [
    column("ID", Keep::Always),
    column("STATUS", Keep::Always),
    column("NOMINAL TIME", Keep::Until(6)),
    column("ERROR", Keep::Until(5)),
    column("WORKFLOW JOB", Keep::Until(1)),
    column("LAST MODIFIED", Keep::Until(2)),
    column("WAITS FOR", Keep::Wrap(24)),
];

const NODE_COLUMNS: [Column; 11] = [
    column("NODE", Keep::Wrap(20)),
    column("TYPE", Keep::Until(6)),
    column("STATUS", Keep::Always),
    column("EXT ID", Keep::Until(8)),
    column("EXT STATUS", Keep::Until(2)),
    column("ERR CODE", Keep::Always),
    column("NEXT", Keep::Until(4)),
    column("STARTED", Keep::Until(5)),
    column("ENDED", Keep::Until(3)),
    number("TOOK", Keep::Until(7)),
    column("RETRIES", Keep::Until(1)),
];

const MEMBER_COLUMNS: [Column; 9] = [
    column("JOB ID", Keep::Until(7)),
    column("NAME", Keep::Cut(16)),
    column("STATUS", Keep::Always),
    column("ACTIONS", Keep::Until(5)),
    column("FAILED", Keep::Until(6)),
    column("FREQUENCY", Keep::Until(3)),
    column("STARTED", Keep::Until(2)),
    column("NEXT", Keep::Until(4)),
    column("ERROR", Keep::Wrap(24)),
];

/// Instances that are shown of each input and output of an action.
const MOST_INSTANCES: usize = 12;

/// The width below which actions are named by their number alone (`@3`).
const NARROW: usize = 140;

/// `info JOB` of a coordinator.
pub(crate) fn coordinator(info: &CoordinatorInfo, zone: &TableZone, layout: Layout) -> String {
    let job = &info.job;
    let unlimited = |number: i32, word: &str| if number < 0 { word.to_owned() } else { number.to_string() };
    let clock = job.clock.as_ref().unwrap_or(&job.time_zone);
    let timeout = if job.time_out < 0 { "never".to_owned() } else { format!("{} min", job.time_out) };
    let mut text = block(&[
        ("Job ID", Some(theme::heading(&job.coord_job_id, layout.colour))),
        ("Job Name", Some(job.coord_job_name.clone())),
        ("App Path", Some(job.coord_job_path.clone())),
        ("Bundle", job.bundle_id.clone()),
        ("In Oozie", job.external_id.clone()),
        ("Status", Some(theme::status(job.status.as_str(), layout.colour))),
        ("Suspended", job.suspension.clone()),
        ("User", Some(job.user.clone())),
        ("Group", job.group.clone()),
        ("Frequency", Some(format!("{} ({clock})", frequency(&job.frequency, &job.time_unit)))),
        ("Start Time", Some(zone.time(job.start_time))),
        ("End Time", Some(zone.time(job.end_time))),
        ("Pause Time", job.pause_time.map(|at| zone.time(at))),
        ("Next Time", job.next_time.map(|at| zone.time(at))),
        ("Execution", Some(job.execution_policy.clone())),
        ("Concurrency", Some(unlimited(job.concurrency, "no limit"))),
        ("Throttle", Some(job.mat_throttling.to_string())),
        ("Timeout", Some(timeout)),
        ("Failures", job.failure_policy.as_ref().map(FailurePolicyView::line)),
        ("Actions", Some(tally(job))),
    ]);
    let actions = job.actions.as_deref().unwrap_or_default();
    text.push('\n');
    if actions.is_empty() {
        let nothing = match info.matching {
            0 if job.counts.is_empty() => format!("No action yet: `howdah explain {}` says why.", job.coord_job_id),
            0 => "No action matches the filter.".to_owned(),
            matching => format!("{matching} actions match; none at offset {}.", info.offset + 1),
        };
        add_line(&mut text, nothing);
        return text;
    }
    // The job's id is above the table; without it the important columns fit.
    let narrow = layout.width.is_some_and(|width| width < NARROW);
    let prefix = if narrow { job.coord_job_id.as_str() } else { "" };
    let rows: Vec<Vec<String>> = actions.iter().map(|action| action_row(action, prefix, zone)).collect();
    text.push_str(&table::render(&ACTION_COLUMNS, &rows, layout));
    if actions.len() < info.matching as usize {
        let (first, last) = (info.offset + 1, info.offset as usize + actions.len());
        let more = format!("\n{first} to {last} of {} actions; --offset and --len show others\n", info.matching);
        text.push_str(&more);
    }
    text
}

/// Returns how many actions there will be, how many there are, and with which statuses.
fn tally(job: &CoordinatorJobView) -> String {
    let of = job.total.map(|total| format!("{total} in all, ")).unwrap_or_default();
    let created: u64 = job.counts.values().map(|count| u64::from(*count)).sum();
    if created == 0 {
        return format!("{of}none created yet");
    }
    let counts: Vec<String> = job.counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    format!("{of}{created} created: {}", counts.join(", "))
}

fn action_row(action: &CoordinatorActionView, prefix: &str, zone: &TableZone) -> Vec<String> {
    let waits_for = match action.missing_dependencies.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    vec![
        action.id.strip_prefix(prefix).unwrap_or(&action.id).to_owned(),
        action.status.to_string(),
        zone.time(action.nominal_time),
        action.error_code.clone().unwrap_or_default(),
        action.external_id.clone().unwrap_or_default(),
        zone.time(action.last_modified_time),
        waits_for,
    ]
}

/// `info JOB@3`.
pub(crate) fn action(action: &CoordinatorActionView, zone: &TableZone, layout: Layout) -> String {
    let detail = action.detail.as_deref();
    let reason = || detail.and_then(|detail| detail.error.clone());
    let mut text = block(&[
        ("ID", Some(theme::heading(&action.id, layout.colour))),
        ("Status", Some(theme::status(action.status.as_str(), layout.colour))),
        ("Nominal Time", Some(zone.time(action.nominal_time))),
        ("Created", Some(zone.time(action.created_time))),
        ("Started", detail.and_then(|detail| detail.start_time).map(|at| zone.second(at))),
        ("Ended", detail.and_then(|detail| detail.end_time).map(|at| zone.second(at))),
        ("Took", detail.and_then(|detail| detail.duration_seconds).map(in_words)),
        ("Last Modified", Some(zone.time(action.last_modified_time))),
        ("Workflow Job", action.external_id.clone()),
        ("Workflow Status", action.external_status.clone().map(|status| theme::status(&status, layout.colour))),
        ("Error", error_text(action.error_code.as_deref(), action.error_message.as_deref()).or_else(reason)),
        ("Notifications", in_short(&action.deliveries)),
        ("SLA", action.sla.as_ref().map(SlaSummaryView::line)),
        (
            "Next Rerun",
            action.planned_rerun.as_ref().map(|rerun| format!("{} {}", zone.time(rerun.time), rerun.place())),
        ),
    ]);
    if let Some(detail) = detail {
        text.push_str(&instances("Inputs", &detail.inputs, layout));
        text.push_str(&instances("Outputs", &detail.outputs, layout));
    }
    if !action.missing_dependencies.is_empty() {
        text.push_str("\nMissing Dependencies:\n");
        for dependency in &action.missing_dependencies {
            add_line(&mut text, format!("  {dependency}"));
        }
    }
    if let Some(decision) = &action.decision {
        text.push_str(&decision::render(decision, layout));
    }
    text.push_str(&configuration(detail));
    text
}

/// Returns the instances of the inputs or the outputs of an action, each with whether it is there now.
fn instances(title: &str, events: &[EventView], layout: Layout) -> String {
    let mut text = String::new();
    if !events.is_empty() {
        add_line(&mut text, format!("\n{title}:"));
    }
    for event in events {
        add_line(&mut text, format!("  {} (dataset {})", visible(&event.name), visible(&event.dataset)));
        for instance in event.instances.iter().take(MOST_INSTANCES) {
            let state = theme::status(instance.state.as_str(), layout.colour);
            add_line(&mut text, format!("    {state}  {}", visible(&instance.uri)));
        }
        if event.instances.len() > MOST_INSTANCES {
            add_line(
                &mut text,
                format!("    and {} more; --json has all of them", event.instances.len() - MOST_INSTANCES),
            );
        }
    }
    text
}

/// Returns the properties of the workflow job of an action.
fn configuration(detail: Option<&ActionDetail>) -> String {
    let mut text = String::new();
    let Some(configuration) = detail.and_then(|detail| detail.configuration.as_ref()) else { return text };
    text.push_str("\nConfiguration:\n");
    for (name, value) in configuration {
        add_line(&mut text, format!("  {} = {}", visible(name), visible(value)));
    }
    text
}

/// `info JOB` of a bundle.
pub(crate) fn bundle(job: &BundleJobView, zone: &TableZone, layout: Layout) -> String {
    let mut text = block(&[
        ("Job ID", Some(theme::heading(&job.bundle_job_id, layout.colour))),
        ("Job Name", Some(job.bundle_job_name.clone())),
        ("App Path", Some(job.bundle_job_path.clone())),
        ("Status", Some(theme::status(job.status.as_str(), layout.colour))),
        ("User", Some(job.user.clone())),
        ("In Oozie", job.external_id.clone()),
        ("Kickoff Time", Some(job.kickoff_time.map_or_else(|| "at once".to_owned(), |at| zone.time(at)))),
        ("Started", job.start_time.map(|at| zone.time(at))),
        ("End Time", job.end_time.map(|at| zone.time(at))),
        ("Pause Time", job.pause_time.map(|at| zone.time(at))),
        ("Created", Some(zone.time(job.created_time))),
        ("Ended", job.ended_time.map(|at| zone.time(at))),
    ]);
    text.push('\n');
    let submitted = job.bundle_coord_jobs.iter().flatten().map(|job| member_row(job, zone));
    let rows: Vec<Vec<String>> = submitted.chain(job.not_submitted.iter().map(not_submitted_row)).collect();
    text.push_str(&table::render(&MEMBER_COLUMNS, &rows, layout));
    text
}

fn member_row(job: &CoordinatorJobView, zone: &TableZone) -> Vec<String> {
    let (succeeded, failed) = progress(job);
    vec![
        job.coord_job_id.clone(),
        job.coord_job_name.clone(),
        job.status.to_string(),
        succeeded,
        failed,
        frequency(&job.frequency, &job.time_unit),
        zone.time(job.start_time),
        zone.cell(job.next_time),
        String::new(),
    ]
}

fn not_submitted_row(member: &NotSubmittedView) -> Vec<String> {
    let error = error_text(member.error_code.as_deref(), member.error_message.as_deref());
    let empty = String::new;
    let in_oozie = member.status.map(|status| format!("{status} in Oozie"));
    let status = in_oozie.unwrap_or_else(|| if error.is_some() { "refused" } else { "not submitted" }.to_owned());
    let mut row = vec![member.external_id.clone().unwrap_or_default(), member.coord_job_name.clone(), status];
    row.resize(MEMBER_COLUMNS.len() - 1, empty());
    row.push(error.unwrap_or_default());
    row
}

/// `info JOB` of a workflow.
pub(crate) fn workflow(job: &WorkflowJobView, zone: &TableZone, layout: Layout) -> String {
    let mut text = block(&[
        ("Job ID", Some(theme::heading(&job.id, layout.colour))),
        ("Workflow Name", Some(job.app_name.clone())),
        ("App Path", Some(job.app_path.clone())),
        ("Status", Some(theme::status(job.status.as_str(), layout.colour))),
        ("Run", Some(job.run.to_string())),
        ("User", Some(job.user.clone())),
        ("Group", job.group.clone()),
        ("Created", Some(zone.time(job.created_time))),
        ("Started", job.start_time.map(|at| zone.second(at))),
        ("Last Modified", Some(zone.time(job.last_mod_time))),
        ("Ended", job.end_time.map(|at| zone.second(at))),
        ("Parent", job.parent_id.clone()),
        ("Error", job.error.as_deref().map(visible_lines)),
        ("Notifications", in_short(&job.deliveries)),
        ("SLA", job.sla.as_ref().map(SlaSummaryView::line)),
    ]);
    text.push('\n');
    let nodes = job.actions.as_deref().unwrap_or_default();
    if nodes.is_empty() {
        text.push_str("No node was reached yet.\n");
        return text;
    }
    let rows: Vec<Vec<String>> = nodes.iter().map(|node| node_row(node, zone)).collect();
    text.push_str(&table::render(&NODE_COLUMNS, &rows, layout));
    text.push_str(&errors(nodes));
    text
}

/// Returns the messages of the nodes that failed, which are too long for a table.
fn errors(nodes: &[NodeView]) -> String {
    let message = |node: &NodeView| {
        let message = node.error_message.as_deref()?;
        let how = node.end.behind(Some(message)).map(|how| format!(" ({how})")).unwrap_or_default();
        Some((node.name.clone(), format!("{}{how}", visible_lines(message))))
    };
    let messages: Vec<(String, String)> = nodes.iter().filter_map(message).collect();
    if messages.is_empty() {
        return String::new();
    }
    let lines: Vec<(&str, Option<String>)> =
        messages.iter().map(|(name, message)| (name.as_str(), Some(message.clone()))).collect();
    format!("\n{}", block(&lines))
}

fn node_row(node: &NodeView, zone: &TableZone) -> Vec<String> {
    vec![
        node.name.clone(),
        node.kind.clone(),
        node.status.to_string(),
        // Control nodes have a dash, as in Oozie; a column with only dashes is left out.
        node.external_id.clone().filter(|id| id != "-").unwrap_or_default(),
        node.external_status.clone().filter(|status| status != node.status.as_str()).unwrap_or_default(),
        node.error_code.clone().unwrap_or_default(),
        node.transition.clone().unwrap_or_default(),
        zone.second_cell(node.start_time),
        zone.second_cell(node.end_time),
        node.duration_seconds.map(in_words).unwrap_or_default(),
        node.user_retry_count.to_string(),
    ]
}

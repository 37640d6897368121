//! Coordinator jobs and their actions in Oozie's texts.

use crate::output::oozie::{Heads, Lines, Style, list, or_dash};
use howdah_answers::query::coordinator::{CoordinatorActionView, CoordinatorJobView};
use howdah_answers::query::inputs::InputView;
use howdah_answers::query::instance::InstanceState;
use howdah_words::model::id::JobId;

/// `oozie job -info COORDINATOR`.
pub(crate) fn info(job: &CoordinatorJobView, style: &Style) -> String {
    let mut lines = Lines::default();
    lines.labelled("Job ID ", &job.coord_job_id);
    lines.ruler();
    lines.labelled("Job Name    ", or_dash(Some(&job.coord_job_name)));
    lines.labelled("App Path    ", or_dash(Some(&job.coord_job_path)));
    lines.labelled("Status      ", job.status.as_str());
    lines.labelled("Start Time  ", style.zone.minutes(Some(job.start_time)));
    lines.labelled("End Time    ", style.zone.minutes(Some(job.end_time)));
    lines.labelled("Pause Time  ", style.zone.minutes(job.pause_time));
    lines.labelled("Concurrency ", job.concurrency.to_string());
    lines.ruler();
    let actions = job.actions.as_deref().unwrap_or_default();
    if style.verbose {
        verbose_actions(&mut lines, &job.coord_job_id, actions, style);
    } else {
        action_table(&mut lines, actions, style);
    }
    lines.text()
}

const ACTION_WIDTHS: [usize; 6] = [43, 10, 37, 10, 21, 21];

fn action_table(lines: &mut Lines, actions: &[CoordinatorActionView], style: &Style) {
    lines.row(ACTION_WIDTHS, ["ID", "Status", "Ext ID", "Err Code", "Created", "Nominal Time"]);
    for action in actions {
        lines.row(
            ACTION_WIDTHS,
            [
                &action.id,
                action.status.as_str(),
                or_dash(action.external_id.as_deref()),
                or_dash(action.error_code.as_deref()),
                &style.zone.minutes(Some(action.created_time)),
                &style.zone.minutes(Some(action.nominal_time)),
            ],
        );
        lines.ruler();
    }
}

fn verbose_actions(lines: &mut Lines, job: &str, actions: &[CoordinatorActionView], style: &Style) {
    lines.tabs([
        "ID",
        "Action Number",
        "Console URL",
        "Error Code",
        "Error Message",
        "External ID",
        "External Status",
        "Job ID",
        "Tracker URI",
        "Created",
        "Nominal Time",
        "Status",
        "Last Modified",
        "Missing Dependencies",
    ]);
    lines.ruler();
    for action in actions {
        lines.tabs([
            &action.id,
            &action.action_number.to_string(),
            "-",
            or_dash(action.error_code.as_deref()),
            or_dash(action.error_message.as_deref()),
            or_dash(action.external_id.as_deref()),
            "-",
            job,
            "-",
            &style.zone.time(Some(action.created_time), true),
            &style.zone.time(Some(action.nominal_time), true),
            action.status.as_str(),
            &style.zone.time(Some(action.last_modified_time), true),
            first_missing(action),
        ]);
        lines.ruler();
    }
}

fn first_missing(action: &CoordinatorActionView) -> &str {
    or_dash(action.missing_dependencies.first().map(String::as_str))
}

/// `oozie job -info COORDINATOR@N`.
pub(crate) fn action(job: &JobId, action: &CoordinatorActionView, style: &Style) -> String {
    let mut lines = Lines::default();
    lines.labelled("ID ", &action.id);
    lines.ruler();
    lines.labelled("Action Number        ", action.action_number.to_string());
    lines.labelled("Console URL          ", "-");
    lines.labelled("Error Code           ", or_dash(action.error_code.as_deref()));
    lines.labelled("Error Message        ", or_dash(action.error_message.as_deref()));
    lines.labelled("External ID          ", or_dash(action.external_id.as_deref()));
    lines.labelled("External Status      ", "-");
    lines.labelled("Job ID               ", job.as_str());
    lines.labelled("Tracker URI          ", "-");
    lines.labelled("Created              ", style.zone.minutes(Some(action.created_time)));
    lines.labelled("Nominal Time         ", style.zone.minutes(Some(action.nominal_time)));
    lines.labelled("Status               ", action.status.as_str());
    lines.labelled("Last Modified        ", style.zone.minutes(Some(action.last_modified_time)));
    lines.labelled("First Missing Dependency ", first_missing(action));
    lines.ruler();
    lines.text()
}

/// `oozie job -missingdeps`, for one action, by its number, and its inputs.
pub(crate) fn missing_dependencies(action: u32, inputs: &[InputView]) -> String {
    let mut lines = Lines::default();
    let missing = |input: &InputView| -> Vec<String> {
        let instances = input.instances.iter().filter(|instance| instance.state != InstanceState::Present);
        instances.map(|instance| instance.uri.clone()).collect()
    };
    let needed = inputs.iter().filter(|input| input.needed);
    let open: Vec<(&str, Vec<String>)> = needed.map(|input| (input.name.as_str(), missing(input))).collect();
    lines.add("");
    lines.labelled("CoordAction ", action.to_string());
    let first = open.iter().flat_map(|(_, missing)| missing).next().map(String::as_str);
    lines.labelled("Blocked on  ", or_dash(first));
    for (name, missing) in open.iter().filter(|(_, missing)| !missing.is_empty()) {
        lines.labelled("Dataset     ", *name);
        lines.add("Pending Dependencies : ");
        for uri in missing {
            lines.add(format!("\t  {uri}"));
        }
        lines.add("");
    }
    lines.text()
}

const JOB_WIDTHS: [usize; 7] = [41, 15, 10, 5, 13, 24, 24];

/// `oozie jobs` of coordinator jobs.
pub(crate) fn jobs(jobs: &[CoordinatorJobView], style: &Style) -> String {
    let heads = Heads {
        verbose: [
            "Job ID",
            "App Name",
            "App Path",
            "Console URL",
            "User",
            "Group",
            "Concurrency",
            "Frequency",
            "Time Unit",
            "Time Zone",
            "Time Out",
            "Started",
            "Next Materialize",
            "Status",
            "Last Action",
            "Ended",
        ],
        columns: ["Job ID", "App Name", "Status", "Freq", "Unit", "Started", "Next Materialized"],
        widths: JOB_WIDTHS,
    };
    list(jobs, style, &heads, |lines, job| add_job(lines, job, style))
}

fn add_job(lines: &mut Lines, job: &CoordinatorJobView, style: &Style) {
    let time = |at| style.zone.time(at, style.verbose);
    let (name, next) = (or_dash(Some(&job.coord_job_name)), time(job.next_materialized_time));
    let started = time(Some(job.start_time));
    if style.verbose {
        lines.tabs([
            &job.coord_job_id,
            name,
            or_dash(Some(&job.coord_job_path)),
            "-",
            or_dash(Some(&job.user)),
            or_dash(job.group.as_deref()),
            &job.concurrency.to_string(),
            &job.frequency,
            &job.time_unit,
            or_dash(Some(&job.time_zone)),
            &job.time_out.to_string(),
            &started,
            &next,
            job.status.as_str(),
            &time(job.last_action),
            &time(Some(job.end_time)),
        ]);
    } else {
        let cells = [&job.coord_job_id, name, job.status.as_str(), &job.frequency, &job.time_unit, &started, &next];
        lines.row(JOB_WIDTHS, cells);
    }
}

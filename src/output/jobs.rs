//! `jobs`: lists of coordinator jobs, of workflow jobs, of bundles, and of the actions of bundles.

use crate::output::cells;
use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column};
use crate::output::table_zone::TableZone;
use crate::output::text::add_line;
use crate::output::visible::visible;
use howdah_answers::query::bulk::{BulkActionView, BulkView};
use howdah_answers::query::bundle::{BundleJobView, BundleJobsView};
use howdah_answers::query::coordinator::{CoordinatorJobView, CoordinatorJobsView};
use howdah_answers::query::workflow::{WorkflowJobView, WorkflowJobsView};
use howdah_engine::format::{in_words, quoted};
use howdah_words::model::id::JobKind;
use howdah_words::model::status::ActionStatus;

const COORDINATOR_COLUMNS: [Column; 12] = [
    column("JOB ID", Keep::Always),
    column("NAME", Keep::Cut(10)),
    column("STATUS", Keep::Always),
    column("ACTIONS", Keep::Until(8)),
    column("FAILED", Keep::Until(9)),
    column("LATE", Keep::Until(7)),
    column("WAITING", Keep::Until(5)),
    column("NEXT", Keep::Until(6)),
    column("LAST SUCCESS", Keep::Until(4)),
    column("FREQUENCY", Keep::Until(3)),
    column("CREATED", Keep::Until(2)),
    column("USER", Keep::Until(1)),
];

/// The columns where ids and whole names do not fit beside what an operator looks for: a name that a verb accepts, or
/// else the id.
const NARROW_COORDINATOR_COLUMNS: [Column; 11] = [
    column("JOB", Keep::Always),
    column("STATUS", Keep::Always),
    column("ACTIONS", Keep::Until(7)),
    column("FAILED", Keep::Until(10)),
    column("LATE", Keep::Until(9)),
    column("WAITING", Keep::Until(8)),
    column("NEXT", Keep::Until(6)),
    column("LAST SUCCESS", Keep::Until(4)),
    column("FREQUENCY", Keep::Until(3)),
    column("CREATED", Keep::Until(2)),
    column("USER", Keep::Until(1)),
];

/// The same for workflow jobs.
const NARROW_WORKFLOW_COLUMNS: [Column; 7] = [
    column("JOB", Keep::Always),
    column("STATUS", Keep::Always),
    column("STARTED", Keep::Until(4)),
    column("ENDED", Keep::Until(3)),
    column("RUN", Keep::Until(1)),
    column("USER", Keep::Until(1)),
    column("PARENT", Keep::Until(5)),
];

const WORKFLOW_COLUMNS: [Column; 8] = [
    column("JOB ID", Keep::Always),
    column("NAME", Keep::Cut(16)),
    column("STATUS", Keep::Always),
    column("STARTED", Keep::Until(4)),
    column("ENDED", Keep::Until(3)),
    column("RUN", Keep::Until(1)),
    column("USER", Keep::Until(1)),
    column("PARENT", Keep::Until(2)),
];

const BUNDLE_COLUMNS: [Column; 8] = [
    column("JOB ID", Keep::Always),
    column("NAME", Keep::Cut(16)),
    column("STATUS", Keep::Always),
    column("COORDINATORS", Keep::WrapOrDrop(16)),
    column("KICK-OFF", Keep::Until(3)),
    column("CREATED", Keep::Until(2)),
    column("ENDED", Keep::Until(4)),
    column("USER", Keep::Until(1)),
];

const BULK_COLUMNS: [Column; 8] = [
    column("ACTION ID", Keep::Always),
    column("COORDINATOR", Keep::Cut(16)),
    column("STATUS", Keep::Always),
    column("NOMINAL TIME", Keep::Until(5)),
    column("ERROR", Keep::Until(4)),
    column("WORKFLOW", Keep::Until(2)),
    column("BUNDLE", Keep::Until(3)),
    column("CREATED", Keep::Until(1)),
];

/// Returns the table of a page of coordinator jobs.
pub(crate) fn coordinators(view: &CoordinatorJobsView, zone: &TableZone, layout: Layout) -> String {
    let jobs = &view.coordinatorjobs;
    let rows: Vec<Vec<String>> = jobs.iter().map(|job| coordinator_row(job, zone)).collect();
    let part = Page { what: "jobs", total: view.total, offset: view.offset };
    if !is_narrow(&rows, &[0, 1, 2, 4, 5], layout) {
        return page(&COORDINATOR_COLUMNS, &rows, &part, layout);
    }
    let names = jobs.iter().map(|job| short(&job.short_name, &job.coord_job_id));
    page(&NARROW_COORDINATOR_COLUMNS, &named(rows, names), &part, layout)
}

/// Returns the table of a page of workflow jobs.
pub(crate) fn workflows(view: &WorkflowJobsView, zone: &TableZone, layout: Layout) -> String {
    let jobs = &view.workflows;
    // The id of a parent is for programs; a terminal shows its name.
    let parent =
        |job: &WorkflowJobView| if layout.width.is_some() { &job.short_parent } else { &job.parent_id }.clone();
    let rows: Vec<Vec<String>> = jobs.iter().map(|job| workflow_row(job, parent(job), zone)).collect();
    let part = Page { what: "jobs", total: view.total, offset: view.offset };
    if !is_narrow(&rows, &[0, 1, 2, 3, 7], layout) {
        return page(&WORKFLOW_COLUMNS, &rows, &part, layout);
    }
    let names = jobs.iter().map(|job| short(&job.short_name, &job.id));
    page(&NARROW_WORKFLOW_COLUMNS, &named(rows, names), &part, layout)
}

/// Returns the table of a page of bundle jobs.
pub(crate) fn bundles(view: &BundleJobsView, zone: &TableZone, layout: Layout) -> String {
    let rows: Vec<Vec<String>> = view.bundlejobs.iter().map(|job| bundle_row(job, zone)).collect();
    page(&BUNDLE_COLUMNS, &rows, &Page { what: "jobs", total: view.total, offset: view.offset }, layout)
}

/// Returns the table of the workflow jobs that an action has run.
pub(crate) fn runs(view: &WorkflowJobsView, zone: &TableZone, layout: Layout) -> String {
    if view.workflows.is_empty() {
        return "The action has run no workflow job yet.\n".to_owned();
    }
    workflows(view, zone, layout)
}

/// Returns where to look when no job of the type that was asked for matches the filter, and some of another type do;
/// `options` is what every command must repeat.
pub(crate) fn others(kind: JobKind, number: u32, filter: &str, options: &str) -> String {
    let (name, word) = match kind {
        JobKind::Coordinator => ("coordinator job", "coordinator"),
        JobKind::Workflow => ("workflow job", "wf"),
        JobKind::Bundle => ("bundle", "bundle"),
    };
    let (verb, plural, matching) = if number == 1 { ("is", "", "matches") } else { ("are", "s", "match") };
    let (that, filter) = match filter {
        "" => Default::default(),
        filter => (format!(" that {matching} the filter"), format!(" --filter {}", quoted(filter))),
    };
    format!("note: there {verb} {number} {name}{plural}{that}: howdah jobs --jobtype {word}{filter}{options}")
}

/// Returns the table of a page of actions of bundles.
pub(crate) fn bulk(view: &BulkView, zone: &TableZone, layout: Layout) -> String {
    let rows: Vec<Vec<String>> = view.bulkresponses.iter().map(|row| bulk_row(row, zone)).collect();
    page(&BULK_COLUMNS, &rows, &Page { what: "actions", total: view.total, offset: view.offset }, layout)
}

/// Checks whether some columns of a table do not fit a terminal with their whole texts.
fn is_narrow(rows: &[Vec<String>], columns: &[usize], layout: Layout) -> bool {
    /// Room for a title and the gap behind a column.
    const LEAST: usize = 8;
    let wide = |column: &usize| rows.iter().map(|row| cells::width(&visible(&row[*column])) + 2).max().unwrap_or(0);
    let is_empty = |column: &usize| rows.iter().all(|row| row[*column].is_empty());
    let shown = columns.iter().filter(|column| !is_empty(column));
    layout.width.is_some_and(|width| shown.map(|column| wide(column).max(LEAST)).sum::<usize>() > width + 2)
}

/// Returns the rows of a table with one column in place of the id and the name.
fn named<'a>(rows: Vec<Vec<String>>, names: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    rows.into_iter()
        .zip(names)
        .map(|(row, name)| [name.to_owned()].into_iter().chain(row.into_iter().skip(2)).collect())
        .collect()
}

/// Returns the name of a job, unless its id is shorter.
fn short<'a>(name: &'a str, id: &'a str) -> &'a str {
    if cells::width(&visible(name)) > cells::width(id) { id } else { name }
}

/// Which part of a list is shown.
struct Page {
    /// What is listed.
    what: &'static str,
    total: u32,
    offset: u32,
}

fn page(columns: &[Column], rows: &[Vec<String>], page: &Page, layout: Layout) -> String {
    let Page { what, total, offset } = *page;
    if rows.is_empty() {
        return if total == 0 {
            format!("No {what} match your criteria!\n")
        } else {
            format!("There are {total} {what}; none at offset {offset}.\n")
        };
    }
    let mut text = table::render(columns, rows, layout);
    if rows.len() < total as usize {
        let last = offset as usize + rows.len() - 1;
        add_line(&mut text, format!("\n{offset} to {last} of {total} {what}; --offset and --len show others"));
    }
    text
}

/// Returns how many actions of a coordinator have succeeded, of how many (`3/743`), and how many ended otherwise.
pub(crate) fn progress(job: &CoordinatorJobView) -> (String, String) {
    let succeeded = job.counts.get(&ActionStatus::Succeeded).copied().unwrap_or_default();
    (of_total(succeeded, job.total), job.failed.to_string())
}

fn coordinator_row(job: &CoordinatorJobView, zone: &TableZone) -> Vec<String> {
    let (succeeded, failed) = progress(job);
    vec![
        job.coord_job_id.clone(),
        job.coord_job_name.clone(),
        job.status.to_string(),
        succeeded,
        failed,
        job.late_seconds.map(in_words).unwrap_or_default(),
        job.waiting.to_string(),
        zone.cell(job.next_time),
        zone.cell(job.last_success_time),
        frequency(&job.frequency, &job.time_unit),
        zone.time(job.created_time),
        job.user.clone(),
    ]
}

/// `3/743`; `3` when the total is not known.
fn of_total(succeeded: u32, total: Option<u64>) -> String {
    total.map_or_else(|| succeeded.to_string(), |total| format!("{succeeded}/{total}"))
}

/// Returns a frequency with its unit, a cron expression as it is.
pub(super) fn frequency(frequency: &str, unit: &str) -> String {
    if unit == "CRON" { frequency.to_owned() } else { format!("{frequency} {unit}") }
}

fn bundle_row(job: &BundleJobView, zone: &TableZone) -> Vec<String> {
    vec![
        job.bundle_job_id.clone(),
        job.bundle_job_name.clone(),
        job.status.to_string(),
        job.tally.clone(),
        zone.cell(job.kickoff_time),
        zone.time(job.created_time),
        zone.cell(job.ended_time),
        job.user.clone(),
    ]
}

fn bulk_row(row: &BulkActionView, zone: &TableZone) -> Vec<String> {
    let action = &row.bulkaction;
    vec![
        action.id.clone(),
        row.bulkcoord.coord_job_name.clone(),
        action.status.to_string(),
        zone.time(action.nominal_time),
        action.error_code.clone().unwrap_or_default(),
        action.external_id.clone().unwrap_or_default(),
        row.bulkbundle.bundle_job_name.clone(),
        zone.time(action.created_time),
    ]
}

fn workflow_row(job: &WorkflowJobView, parent: Option<String>, zone: &TableZone) -> Vec<String> {
    vec![
        job.id.clone(),
        job.app_name.clone(),
        job.status.to_string(),
        zone.cell(job.start_time),
        zone.cell(job.end_time),
        job.run.to_string(),
        job.user.clone(),
        parent.unwrap_or_default(),
    ]
}

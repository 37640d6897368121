//! What `top` reads for each place: rows of a list, or the last lines of a log.

use std::path::Path;

use crate::cli::top::state::{Entry, Place, State};
use crate::output::jobs::progress;
use crate::output::log;
use crate::output::screen::Layout;
use crate::output::table::{Column, Keep, column, number};
use crate::output::table_zone::TableZone;
use crate::output::visible::Pieces;
use howdah_answers::query::Query;
use howdah_answers::query::attempt::AttemptView;
use howdah_answers::query::coordinator::Extent;
use howdah_answers::query::kill_message::KillMessage;
use howdah_answers::query::log::{LogRequest, LogView};
use howdah_engine::format::in_words;
use howdah_host::{files, found};
use howdah_store::{JobFilter, Page};
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, JobKind, Target};

/// Rows of a list; a filter finds the others.
const MOST_ROWS: u32 = 200;
/// The latest workflow jobs in the log of a coordinator job.
const MOST_WORKFLOWS: u32 = 20;
/// The latest attempts of a log.
const MOST_ATTEMPTS: usize = 20;
/// Lines that are shown of each file of an attempt.
const MOST_LINES: u64 = 1_000;
/// Bytes that are read of each file of an attempt.
const MOST_BYTES: usize = 256 * 1024;

const COORDINATORS: [Column; 7] = [
    column("NAME", Keep::Cut(16)),
    column("STATUS", Keep::Always),
    column("ACTIONS", Keep::Until(6)),
    number("FAILED", Keep::Until(5)),
    column("LATE", Keep::Until(4)),
    number("WAITING", Keep::Until(3)),
    column("JOB ID", Keep::Until(1)),
];

const WORKFLOWS: [Column; 5] = [
    column("NAME", Keep::Cut(16)),
    column("STATUS", Keep::Always),
    column("STARTED", Keep::Until(3)),
    column("ENDED", Keep::Until(2)),
    column("JOB ID", Keep::Until(1)),
];

const ACTIONS: [Column; 6] = [
    column("ACTION", Keep::Always),
    column("STATUS", Keep::Always),
    column("NOMINAL TIME", Keep::Until(4)),
    number("TOOK", Keep::Until(3)),
    column("LATE", Keep::Until(2)),
    column("REASON", Keep::Cut(20)),
];

const NODES: [Column; 6] = [
    column("NODE", Keep::Cut(16)),
    column("TYPE", Keep::Until(3)),
    column("STATUS", Keep::Always),
    column("STARTED", Keep::Until(2)),
    number("TOOK", Keep::Until(4)),
    column("ERROR", Keep::Cut(12)),
];

/// What is shown of a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub(super) title: String,
    pub(super) columns: &'static [Column],
    pub(super) rows: Vec<Vec<String>>,
    pub(super) entries: Vec<Entry>,
    /// The lines of a log.
    pub(super) lines: Vec<String>,
}

/// The column of the status.
pub(super) fn status_column(columns: &[Column]) -> usize {
    columns.iter().position(|column| column.title == "STATUS").unwrap_or_default()
}

/// Reads what a place shows now.
///
/// # Errors
/// E0604 when the job was deleted, or a failure of the database.
pub(super) fn read(query: &mut Query<'_>, state: &State) -> Result<Content> {
    let filter = state.view.filter.as_str();
    match &state.view.place {
        Place::Jobs(JobKind::Workflow) => workflows(query, filter),
        Place::Jobs(_) => coordinators(query, filter, state.by_attention),
        Place::Actions(id) => actions(query, id, filter),
        Place::Nodes(id) => nodes(query, id, filter),
        Place::Log(target) => output(query, target),
    }
}

/// A list of jobs searches all of them for a text; the other lists only what they show.
fn containing(filter: &str) -> JobFilter {
    let texts = if filter.is_empty() { Vec::new() } else { vec![filter.to_owned()] };
    JobFilter { texts, ..JobFilter::default() }
}

fn coordinators(query: &mut Query<'_>, filter: &str, by_attention: bool) -> Result<Content> {
    let (filter, page) = (containing(filter), Page { offset: 0, len: MOST_ROWS });
    let view = if by_attention {
        query.coordinator_jobs_by_attention(&filter, page)?
    } else {
        query.coordinator_jobs(&filter, page, Extent::Whole)?
    };
    let order = if by_attention { "what needs a person first" } else { "newest first" };
    let mut content = Content { columns: &COORDINATORS, ..Content::default() };
    for job in &view.coordinatorjobs {
        let (succeeded, failed) = progress(job);
        let late = job.late_seconds.map(in_words).unwrap_or_default();
        let (name, id) = (job.coord_job_name.clone(), job.coord_job_id.clone());
        let cells =
            vec![name.clone(), job.status.to_string(), succeeded, failed, late, job.waiting.to_string(), id.clone()];
        content.add(&id, &name, cells);
    }
    content.title = format!("coordinators ({} of {}), {order}", content.rows.len(), view.total);
    Ok(content)
}

fn workflows(query: &mut Query<'_>, filter: &str) -> Result<Content> {
    let view = query.workflow_jobs(&containing(filter), Page { offset: 0, len: MOST_ROWS })?;
    let zone = TableZone::default();
    let mut content = Content { columns: &WORKFLOWS, ..Content::default() };
    for job in &view.workflows {
        let (start, end) = (zone.second_cell(job.start_time), zone.second_cell(job.end_time));
        content.add(
            &job.id,
            &job.app_name,
            vec![job.app_name.clone(), job.status.to_string(), start, end, job.id.clone()],
        );
    }
    content.title = format!("workflow jobs ({} of {}), newest first", content.rows.len(), view.total);
    Ok(content)
}

fn actions(query: &mut Query<'_>, id: &JobId, filter: &str) -> Result<Content> {
    let zone = TableZone::default();
    let mut content = Content { columns: &ACTIONS, ..Content::default() };
    for action in query.actions_of_job(id, MOST_ROWS)? {
        let row = vec![
            format!("@{}", action.action_number),
            action.status.to_string(),
            zone.time(action.nominal_time),
            action.duration_seconds.map(in_words).unwrap_or_default(),
            action.late_seconds.map(in_words).unwrap_or_default(),
            action.reason.unwrap_or_default(),
        ];
        let workflow = action.external_id.as_deref().and_then(JobId::parse);
        content.add_matching((&action.id, &action.coord_job_name), (row, workflow), filter);
    }
    content.title = format!("actions of {id}, newest first");
    Ok(content)
}

fn nodes(query: &mut Query<'_>, id: &JobId, filter: &str) -> Result<Content> {
    let zone = TableZone::default();
    let mut content = Content { columns: &NODES, ..Content::default() };
    let job = query.workflow_info(id)?;
    for node in job.actions.iter().flatten().cloned() {
        let error = node.end.behind(None).or(node.error_message).or(node.error_code);
        let row = vec![
            node.name,
            node.kind,
            node.status.to_string(),
            zone.second_cell(node.start_time),
            node.duration_seconds.map(in_words).unwrap_or_default(),
            error.unwrap_or_default(),
        ];
        content.add_matching((&node.id, &job.app_name), (row, None), filter);
    }
    content.title = format!("{} ({id}) {}", job.app_name, job.status);
    Ok(content)
}

impl Content {
    fn add(&mut self, id: &str, name: &str, row: Vec<String>) {
        self.add_matching((id, name), (row, None), "");
    }

    /// Adds a row with the job, action or node that it shows, if a cell of it contains the text of the filter.
    fn add_matching(&mut self, (id, name): (&str, &str), (row, workflow): (Vec<String>, Option<JobId>), filter: &str) {
        let Some(target) = Target::parse(id) else { return };
        if row.iter().any(|cell| cell.contains(filter)) {
            self.rows.push(row);
            self.entries.push(Entry { target, workflow, name: name.to_owned() });
        }
    }
}

/// Reads the last lines of what the latest commands wrote.
fn output(query: &Query<'_>, target: &Target) -> Result<Content> {
    let view = log_of(query, target)?;
    let mut lines = Vec::new();
    for attempt in &view.attempts[view.attempts.len().saturating_sub(MOST_ATTEMPTS)..] {
        for (stream, file) in [("stdout", &attempt.stdout), ("stderr", &attempt.stderr)] {
            let text = end_of(file)?;
            if !text.is_empty() {
                lines.push(log::heading(attempt, stream, Layout::default()).trim_end().to_owned());
                lines.extend(text.lines().map(str::to_owned));
            }
        }
        if attempt.is_over() {
            lines.extend(ending(attempt));
        }
        lines.extend(view.kill_messages_after(attempt.key()).flat_map(kill_lines));
    }
    for message in view.kill_messages.iter().filter(|message| message.after.is_none()) {
        lines.extend(kill_lines(message));
    }
    Ok(Content { title: format!("output of {target} ({})", view.status), lines, ..Content::default() })
}

fn kill_lines(message: &KillMessage) -> Vec<String> {
    log::kill_message(message, Layout::default()).lines().map(str::to_owned).collect()
}

fn ending(attempt: &AttemptView) -> Vec<String> {
    log::ending(attempt, Layout::default()).lines().map(str::to_owned).collect()
}

fn log_of(query: &Query<'_>, target: &Target) -> Result<LogView> {
    let request = LogRequest { latest: Some(MOST_WORKFLOWS), ..LogRequest::default() };
    match target {
        Target::Job(id) if id.kind() == JobKind::Coordinator => query.log_of_coordinator(id, &request),
        Target::CoordinatorAction(id, number) => query.log_of_action(id, *number, &request.filter),
        Target::Job(id) => query.log_of_workflow(id, None, &request.filter),
        Target::Node(id, node) => query.log_of_workflow(id, Some(node), &request.filter),
    }
}

/// Reads the end of a file, as text that cannot control the terminal.
fn end_of(file: &Path) -> Result<String> {
    let refuse = |error: std::io::Error| found::cannot_read(file, &error);
    let start = files::start_of_last_lines(file, MOST_LINES).map_err(refuse)?;
    let bytes = files::read_from(file, start, MOST_BYTES).map_err(refuse)?;
    let mut pieces = Pieces::default();
    Ok(pieces.next(&bytes) + &pieces.end())
}

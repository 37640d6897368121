//! The end of a foreground run: a table of its jobs, why some did not succeed, and the commands to try next.

use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column, number};
use crate::output::text::{add_line, block};
use crate::output::visible::visible_lines;
use howdah_answers::query::summary::SummaryView;
use howdah_engine::format::in_words;

const COLUMNS: [Column; 6] = [
    column("JOB ID", Keep::Always),
    column("NAME", Keep::Cut(10)),
    column("STATUS", Keep::Always),
    number("SUCCEEDED", Keep::Until(2)),
    number("FAILED", Keep::Until(3)),
    number("DURATION", Keep::Until(1)),
];

/// Returns the table, the errors and the commands; every command repeats `options`, such as `--db FILE`.
pub(crate) fn render(jobs: &[SummaryView], interrupted: bool, options: &str, layout: Layout) -> String {
    let row = |job: &SummaryView| {
        vec![
            job.id.clone(),
            job.name.clone(),
            job.status.to_string(),
            job.succeeded.to_string(),
            job.failed.to_string(),
            in_words(job.seconds),
        ]
    };
    let rows: Vec<Vec<String>> = jobs.iter().map(row).collect();
    let mut text = format!("\n{}", table::render(&COLUMNS, &rows, layout));
    let reason = |job: &SummaryView| {
        let name = |id: &str| id.rsplit_once('@').map_or_else(|| id.to_owned(), |(_, name)| name.to_owned());
        let message = job.kill_message.as_ref();
        let message = message.map(|of| format!("kill node {}: {}", name(&of.id), visible_lines(&of.message)));
        let lines: Vec<String> = job.error.as_deref().map(visible_lines).into_iter().chain(message).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    let reasons = block(&jobs.iter().map(|job| (job.id.as_str(), reason(job))).collect::<Vec<_>>());
    if !reasons.is_empty() {
        text.push('\n');
        text.push_str(&reasons);
    }
    if interrupted {
        text.push_str("\nInterrupted. Nothing is lost: everything continues at the next tick.\n");
    }
    text.push_str("\nTry next:\n");
    let continue_command = interrupted.then(|| "howdah tick".to_owned());
    for command in continue_command.into_iter().chain(commands(jobs)) {
        add_line(&mut text, format!("  {command}{options}"));
    }
    text
}

/// Three commands about the jobs that were run, with ids that exist.
pub(crate) fn commands(jobs: &[SummaryView]) -> Vec<String> {
    let Some(last) = jobs.last() else { return Vec::new() };
    // A failed job is more interesting than a successful one.
    let job = jobs.iter().find(|job| job.unexplained.is_some()).unwrap_or(last);
    let telling = job.telling.as_ref().unwrap_or(&job.id);
    let unexplained = job.unexplained.as_ref().unwrap_or(telling);
    vec![format!("howdah info {}", job.id), format!("howdah log {telling}"), format!("howdah explain {unexplained}")]
}

//! `sla list`: the registrations as a table.

use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column};
use crate::output::text::add_line;
use crate::output::theme;
use howdah_answers::query::sla::SlaListView;
use howdah_engine::sla::summary::SlaSummaryView;

/// The width below which parts of one job are named without its id (`@3`).
const NARROW: usize = 200;

const COLUMNS: [Column; 11] = [
    column("ID", Keep::Always),
    column("SLA STATUS", Keep::Always),
    column("EVENTS", Keep::Wrap(13)),
    column("JOB STATUS", Keep::Until(6)),
    column("EXPECTED END", Keep::Until(8)),
    column("ACTUAL END", Keep::Until(7)),
    column("EXPECTED START", Keep::Until(4)),
    column("ACTUAL START", Keep::Until(3)),
    column("NOMINAL TIME", Keep::Until(2)),
    column("ALERTS", Keep::Until(5)),
    column("NAME", Keep::Until(1)),
];

/// Returns the table of a page of registrations.
pub(crate) fn list(view: &SlaListView, layout: Layout) -> String {
    // When all are of one job, its id is above the table: then the promises fit.
    let job = common_job(view).filter(|_| layout.width.is_some_and(|width| width < NARROW));
    let rows: Vec<Vec<String>> = view.sla_summary_list.iter().map(|summary| row(summary, job)).collect();
    if rows.is_empty() {
        return if view.total == 0 {
            "No SLA matches your criteria!\n".to_owned()
        } else {
            format!("There are {} SLAs; none at offset {}.\n", view.total, view.offset)
        };
    }
    let mut text = job.map(|job| format!("{}\n\n", theme::heading(job, layout.colour))).unwrap_or_default();
    text.push_str(&table::render(&COLUMNS, &rows, layout));
    if rows.len() < view.total as usize {
        let last = view.offset as usize + rows.len() - 1;
        add_line(
            &mut text,
            format!("\n{} to {last} of {} SLAs; --offset and --len show others", view.offset, view.total),
        );
    }
    text
}

/// Returns the job of which all are parts.
fn common_job(view: &SlaListView) -> Option<&str> {
    let mut jobs = view.sla_summary_list.iter().map(|summary| Some(summary.id.split_once('@')?.0));
    let first = jobs.next()??;
    jobs.all(|job| job == Some(first)).then_some(first)
}

fn row(summary: &SlaSummaryView, job: Option<&str>) -> Vec<String> {
    vec![
        summary.id.strip_prefix(job.unwrap_or_default()).unwrap_or(&summary.id).to_owned(),
        summary.sla_status.clone(),
        summary.event_status.replace(',', ", "),
        summary.job_status.clone(),
        summary.expected_end.clone(),
        summary.actual_end.clone().unwrap_or_default(),
        summary.expected_start.clone().unwrap_or_default(),
        summary.actual_start.clone().unwrap_or_default(),
        summary.nominal_time.clone(),
        summary.sla_alert_status.clone(),
        summary.app_name.clone(),
    ]
}

//! `sla list`: the registrations as a table.

use crate::engine::view::sla::{SlaListView, SlaSummaryView};
use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column};
use crate::output::text::add_line;

const COLUMNS: [Column; 11] = [
    column("ID", Keep::Always),
    column("SLA STATUS", Keep::Always),
    column("EVENTS", Keep::Wrap(13)),
    column("JOB STATUS", Keep::Until(8)),
    column("EXPECTED END", Keep::Until(7)),
    column("ACTUAL END", Keep::Until(6)),
    column("EXPECTED START", Keep::Until(5)),
    column("ACTUAL START", Keep::Until(4)),
    column("NOMINAL TIME", Keep::Until(3)),
    column("ALERTS", Keep::Until(2)),
    column("NAME", Keep::Until(1)),
];

/// The table of a page of registrations.
pub(crate) fn list(view: &SlaListView, layout: Layout) -> String {
    let rows: Vec<Vec<String>> = view.sla_summary_list.iter().map(row).collect();
    if rows.is_empty() {
        return if view.total == 0 {
            "No SLA matches your criteria!\n".to_owned()
        } else {
            format!("There are {} SLAs; none at offset {}.\n", view.total, view.offset)
        };
    }
    let mut text = table::render(&COLUMNS, &rows, layout);
    if rows.len() < view.total as usize {
        let last = view.offset as usize + rows.len() - 1;
        add_line(
            &mut text,
            format!("\n{} to {last} of {} SLAs; --offset and --len show others", view.offset, view.total),
        );
    }
    text
}

fn row(summary: &SlaSummaryView) -> Vec<String> {
    vec![
        summary.id.clone(),
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

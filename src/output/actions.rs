//! `actions`: the table of actions of all coordinator jobs.

use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column};
use crate::output::table_zone::TableZone;
use crate::output::text::add_line;
use howdah_answers::query::actions::{ActionsView, ListedAction};
use howdah_engine::format::in_words;

const COLUMNS: [Column; 9] = [
    column("ACTION", Keep::Always),
    column("STATUS", Keep::Always),
    column("NOMINAL TIME", Keep::Until(7)),
    column("CHANGED", Keep::Until(3)),
    column("STARTED", Keep::Until(4)),
    column("TOOK", Keep::Until(5)),
    column("LATE", Keep::Until(6)),
    column("WORKFLOW", Keep::Until(2)),
    column("REASON", Keep::WrapPaths(20)),
];

/// Returns the table of a part of the list.
pub(crate) fn list(view: &ActionsView, zone: &TableZone, layout: Layout) -> String {
    if view.actions.is_empty() {
        return if view.offset == 1 {
            "No actions match.\n".to_owned()
        } else {
            format!("No actions match from offset {} on.\n", view.offset)
        };
    }
    let rows: Vec<Vec<String>> = view.actions.iter().map(|action| row(action, zone)).collect();
    let mut text = table::render(&COLUMNS, &rows, layout);
    if view.has_more {
        let next = view.offset as usize + view.actions.len();
        add_line(&mut text, format!("\nThere are more: --offset {next} shows the next ones, --len more at once"));
    }
    text
}

fn row(action: &ListedAction, zone: &TableZone) -> Vec<String> {
    vec![
        action.name.clone(),
        action.status.to_string(),
        zone.time(action.nominal_time),
        zone.time(action.last_modified_time),
        zone.cell(action.start_time),
        action.duration_seconds.map(in_words).unwrap_or_default(),
        action.late_seconds.map(in_words).unwrap_or_default(),
        action.external_id.clone().unwrap_or_default(),
        action.reason.clone().unwrap_or_default(),
    ]
}

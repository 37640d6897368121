//! `info WF@node`: a node with what it captured, and every start of its work.

use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column, number};
use crate::output::table_zone::TableZone;
use crate::output::text::{add_line, block};
use crate::output::theme;
use crate::output::visible::{visible, visible_lines};
use howdah_answers::query::attempt::AttemptView;
use howdah_answers::query::workflow::NodeView;
use howdah_engine::format::in_words;
use howdah_engine::sla::summary::SlaSummaryView;
use howdah_engine::stored_properties::read_properties;

const ATTEMPT_COLUMNS: [Column; 10] = [
    number("RUN", Keep::Until(3)),
    number("ATTEMPT", Keep::Until(7)),
    column("STATE", Keep::Always),
    column("STARTED", Keep::Until(6)),
    column("ENDED", Keep::Until(2)),
    number("TOOK", Keep::Until(5)),
    column("END", Keep::Always),
    number("CPU", Keep::Until(4)),
    number("MEMORY", Keep::Until(4)),
    column("FOLDER", Keep::Until(1)),
];

/// `info WF@node`.
pub(crate) fn node(node: &NodeView, zone: &TableZone, layout: Layout) -> String {
    let attempts = node.attempts.as_deref().unwrap_or_default();
    let last = attempts.last();
    let mut text = block(&[
        ("ID", Some(theme::heading(&node.id, layout.colour))),
        ("Name", Some(node.name.clone())),
        ("Type", Some(node.kind.clone())),
        ("Status", Some(theme::status(node.status.as_str(), layout.colour))),
        ("Transition", node.transition.clone()),
        ("Started", node.start_time.map(|at| zone.second(at))),
        ("Ended", node.end_time.map(|at| zone.second(at))),
        ("Took", node.duration_seconds.map(in_words)),
        ("Retries", Some(node.user_retry_count.to_string())),
        ("External ID", node.external_id.as_deref().map(visible)),
        ("External Status", node.external_status.as_deref().map(visible)),
        ("Error Code", node.error_code.as_deref().map(visible)),
        ("Error Message", node.error_message.as_deref().map(visible_lines)),
        ("Command", node.end.behind(node.error_message.as_deref())),
        ("External Stats", node.stats.as_deref().map(visible)),
        ("SLA", node.sla.as_ref().map(SlaSummaryView::line)),
        ("Process", last.and_then(|attempt| attempt.process).map(|process| process.to_string())),
        ("Folder", last.map(|attempt| attempt.folder.display().to_string())),
    ]);
    text.push_str(&captured(node.data.as_deref().unwrap_or_default()));
    text.push_str(&environment(last));
    if !attempts.is_empty() {
        let rows: Vec<Vec<String>> = attempts.iter().map(|attempt| attempt_row(attempt, zone)).collect();
        text.push('\n');
        text.push_str(&table::render(&ATTEMPT_COLUMNS, &rows, layout));
    }
    text
}

/// Returns what a node captured, one property per line.
fn captured(data: &str) -> String {
    let mut text = String::new();
    // Text that howdah did not store is shown unchanged.
    let lines = match read_properties(data) {
        Ok(properties) => {
            properties.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("\n")
        }
        Err(_) => data.to_owned(),
    };
    if !lines.trim_end().is_empty() {
        text.push_str("Captured Output:\n");
    }
    for line in visible_lines(&lines).trim_end().lines() {
        add_line(&mut text, format!("  {line}"));
    }
    text
}

/// Returns the environment of the command of the last attempt, one variable per line.
fn environment(last: Option<&AttemptView>) -> String {
    let variables = last.and_then(|attempt| attempt.environment.as_ref()).into_iter().flatten();
    let mut text = String::new();
    for (name, value) in variables {
        if text.is_empty() {
            text.push_str("Environment:\n");
        }
        add_line(&mut text, format!("  {}", visible(&format!("{name}={value}"))));
    }
    text
}

fn attempt_row(attempt: &AttemptView, zone: &TableZone) -> Vec<String> {
    let cpu = attempt.user_seconds.zip(attempt.system_seconds).map(|(user, system)| format!("{:.2} s", user + system));
    vec![
        attempt.run.to_string(),
        attempt.attempt.to_string(),
        attempt.state.as_str().to_owned(),
        zone.second(attempt.start_time),
        zone.second_cell(attempt.end_time),
        in_words(attempt.seconds),
        how_it_ended(attempt).unwrap_or_default(),
        cpu.unwrap_or_default(),
        attempt.max_memory.and_then(|bytes| u64::try_from(bytes).ok()).map(bytes).unwrap_or_default(),
        attempt.folder.display().to_string(),
    ]
}

/// Returns the end of an attempt in a few words; `None` while it runs, and when its state is enough.
pub(crate) fn how_it_ended(attempt: &AttemptView) -> Option<String> {
    match (attempt.exit_code, attempt.signal) {
        (Some(code), _) => Some(format!("exit status {code}")),
        (None, Some(signal)) => Some(format!("signal {signal}")),
        (None, None) => attempt.error.as_deref().and_then(|error| error.split(':').next()).map(visible),
    }
}

/// Returns a number of bytes in the largest unit that leaves a number of at least 1: `9.0 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    #[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    format!("{number:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_output_has_a_line_per_property() {
        let check = |data: &str, expect: &str| assert_eq!(captured(data), expect, "{data}");
        check("", "");
        check("{}", "");
        check(r#"{"rows":"7","size":"1\u001b[2J"}"#, "Captured Output:\n  rows=7\n  size=1\\x1b[2J\n");
        check("a=1\nb=2\n", "Captured Output:\n  a=1\n  b=2\n");
    }

    #[test]
    fn bytes_are_shown_in_the_largest_unit() {
        let check = |number: u64, expect: &str| assert_eq!(bytes(number), expect);
        check(0, "0 bytes");
        check(1023, "1023 bytes");
        check(1024, "1.0 KiB");
        check(9_437_184, "9.0 MiB");
        check(1 << 40, "1.0 TiB");
        check(u64::MAX, "16777216.0 TiB");
    }
}

//! Plain lines and blocks of text.

use std::io::Write as _;

use serde_json::json;

use crate::output::cells;
use crate::output::screen::{Screen, is_watched};
use crate::output::visible::printable;
use crate::output::{diagnostic, json};
use howdah_engine::catch_up::Backlog;
use howdah_engine::format::time;
use howdah_engine::tick::report::Report;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::SitePause;

/// Prints `job: <id>`, or `{"id": ...}`.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn job(id: &JobId, as_json: bool) -> Result<()> {
    if as_json { json::print(&mut Screen::open(), &json!({"id": id.as_str()})) } else { line(&format!("job: {id}")) }
}

/// Prints one line.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn line(text: &str) -> Result<()> {
    Screen::open().write(format!("{text}\n"))
}

/// Prints one line on standard error, for a person; a closed standard error is no failure.
pub(crate) fn aside(text: &str) {
    diagnostic::write_stderr(&format!("{text}\n"));
}

/// Shows a question on the terminal; the answer is typed after it. Returns `false` when no terminal can show it.
pub(crate) fn ask(question: &str) -> bool {
    let stderr = std::io::stderr();
    let question = format!("{} [y/N] ", printable(question));
    is_watched() && stderr.lock().write_all(question.as_bytes()).and_then(|()| stderr.lock().flush()).is_ok()
}

/// Shows a tick's faults, and the work that it left for the next tick.
pub(crate) fn report(report: &Report, quiet: bool) {
    for fault in &report.faults {
        diagnostic::fault(&fault.subject, &fault.error);
    }
    if !quiet {
        // Cron would mail it each minute, and `status` says it.
        if let Some(SitePause { at, actor }) = report.site_pause.as_ref().filter(|_| is_watched()) {
            let at = time(*at);
            aside(&format!(
                "all jobs are paused since {at} by {actor}: nothing new starts before `howdah resume --all`"
            ));
        }
        for backlog in &report.postponed {
            let Backlog { job, past, per_tick, .. } = backlog;
            aside(&format!(
                "{job}: {past} more past actions to create, at most {per_tick} per tick; the next tick continues"
            ));
        }
    }
}

/// Adds a line to a text.
pub(crate) fn add_line(text: &mut String, line: impl AsRef<str>) {
    text.push_str(line.as_ref());
    text.push('\n');
}

/// Returns a block of `name: value` lines, the values aligned; lines without a value are left out.
pub(crate) fn block(lines: &[(&str, Option<String>)]) -> String {
    let widest = lines.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in lines {
        let Some(value) = value else { continue };
        let mut name = format!("{name}:");
        for line in value.trim_end().lines() {
            add_line(&mut text, format!("{name:<width$} {line}", width = widest + 1));
            // Further lines of a message are below the first.
            name.clear();
        }
    }
    text
}

/// Returns a block like [`block`], whose lines fit a terminal: long values continue below their beginning.
pub(crate) fn block_within(lines: &[(&str, Option<String>)], width: Option<usize>) -> String {
    let Some(width) = width else { return block(lines) };
    let widest = lines.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name.len()).max().unwrap_or(0);
    let room = width.saturating_sub(widest + 2);
    let fitted = |value: &String| cells::wrapped_paths(value, room).join("\n");
    let lines: Vec<(&str, Option<String>)> =
        lines.iter().map(|(name, value)| (*name, value.as_ref().map(fitted))).collect();
    block(&lines)
}

/// Adds a text whose lines fit a terminal; further lines are indented.
pub(crate) fn add_fitted(text: &mut String, line: &str, indent: usize, width: Option<usize>) {
    let Some(width) = width else { return add_line(text, line) };
    let mut lines = cells::wrapped_paths(line, width.saturating_sub(indent)).into_iter();
    add_line(text, lines.next().unwrap_or_default());
    for line in lines {
        add_line(text, format!("{:indent$}{line}", ""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_aligned() {
        let value = |text: &str| Some(text.to_owned());
        let lines = [("A", value("one")), ("Left Out", None), ("Long", value("two\nthree\n"))];
        assert_eq!(block(&lines), "A:    one\nLong: two\n      three\n");
    }
}

//! The colours of statuses.
//!
//! The same few colours for jobs, actions, nodes and inputs: green is done, red needs attention, yellow waits, blue
//! runs.

use anstyle::{AnsiColor, Effects, Style};

use crate::output::visible::own_codes;

/// Returns the colour of a status; `None` for words that need no attention.
pub(crate) fn colour(status: &str) -> Option<AnsiColor> {
    Some(match status {
        "SUCCEEDED" | "OK" | "present" | "taken" | "satisfied" => AnsiColor::Green,
        "FAILED" | "KILLED" | "ERROR" | "TIMEDOUT" | "DONEWITHERROR" | "LOST" | "unreadable" | "unmapped"
        | "RUNNINGWITHERROR" | "SUSPENDEDWITHERROR" | "PAUSEDWITHERROR" => AnsiColor::Red,
        "WAITING" | "READY" | "PREP" | "SUSPENDED" | "PREPSUSPENDED" | "PAUSED" | "PREPPAUSED" | "USER_RETRY"
        | "START_RETRY" | "END_RETRY" | "START_MANUAL" | "END_MANUAL" | "missing" | "unresolved" | "not yet due"
        | "waits" => AnsiColor::Yellow,
        "RUNNING" | "SUBMITTED" | "STARTED" | "DONE" => AnsiColor::Blue,
        _ => return None,
    })
}

/// Returns a status in its colour.
pub(crate) fn status(word: &str, coloured: bool) -> String {
    match colour(word).filter(|_| coloured) {
        Some(colour) => styled(word, Style::new().fg_color(Some(colour.into()))),
        None => word.to_owned(),
    }
}

/// Returns a heading.
pub(crate) fn heading(text: &str, coloured: bool) -> String {
    if coloured { styled(text, Style::new().effects(Effects::BOLD)) } else { text.to_owned() }
}

/// Returns a text that matters less.
pub(crate) fn dimmed(text: &str, coloured: bool) -> String {
    if coloured { styled(text, Style::new().effects(Effects::DIMMED)) } else { text.to_owned() }
}

fn styled(text: &str, style: Style) -> String {
    format!("{}{text}{}", own_codes(&style.to_string()), own_codes(&format!("{style:#}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::visible::printable;
    use howdah_words::model::job_status::JobStatus;
    use howdah_words::model::status::{ActionStatus, NodeStatus, WorkflowStatus};

    #[test]
    fn statuses_have_colours_except_neutral_ones() {
        let words = ActionStatus::ALL.iter().map(|status| status.as_str());
        let words = words.chain(JobStatus::ALL.iter().map(|status| status.as_str()));
        let words = words.chain(WorkflowStatus::ALL.iter().map(|status| status.as_str()));
        let words = words.chain(NodeStatus::ALL.iter().map(|status| status.as_str()));
        let plain: Vec<&str> = words.filter(|word| colour(word).is_none()).collect();
        assert_eq!(plain, ["SKIPPED", "IGNORED", "IGNORED"]);
        assert_eq!(status("OK", false), "OK");
        assert_eq!(printable(&status("OK", true)), "\u{1b}[32mOK\u{1b}[0m");
    }
}

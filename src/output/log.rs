//! `log`: headings between the outputs of attempts, and the lines of the event log.

use crate::output::screen::Layout;
use crate::output::theme;
use crate::output::visible::{visible, visible_lines};
use howdah_answers::query::attempt::AttemptView;
use howdah_answers::query::events::EventView;
use howdah_answers::query::kill_message::KillMessage;
use howdah_engine::format::time_with_seconds;
use howdah_words::model::row::AttemptState;

/// Returns the heading over the output of an attempt.
pub(crate) fn heading(attempt: &AttemptView, stream: &str, layout: Layout) -> String {
    let run = if attempt.run == 0 { String::new() } else { format!(" of run {}", attempt.run) };
    let action = attempt.action_id.as_ref().map(|action| format!("{action}: ")).unwrap_or_default();
    let AttemptView { id, kind, attempt: number, .. } = attempt;
    let text = format!("==> {action}{id} ({kind}), attempt {number}{run}, {stream}, {} <==", times(attempt));
    theme::heading(&text, layout.colour) + "\n"
}

/// Returns when an attempt ran.
fn times(attempt: &AttemptView) -> String {
    let start = time_with_seconds(attempt.start_time);
    match attempt.end_time {
        Some(end) => format!("{start} to {}", time_with_seconds(end)),
        None => format!("since {start}"),
    }
}

/// Returns the line under the output of an attempt that is over.
pub(crate) fn ending(attempt: &AttemptView, layout: Layout) -> String {
    let how = match (attempt.exit_code, attempt.signal, attempt.state) {
        (Some(code), _, _) => format!("exit status {code}"),
        (None, Some(signal), _) => format!("ended by signal {signal}"),
        (None, None, AttemptState::Ended) => "ended".to_owned(),
        (None, None, state) => state.as_str().to_owned(),
    };
    // A successful command and a failed node: the reason comes last.
    let but = if attempt.exit_code == Some(0) { "but " } else { "" };
    let error = attempt.error.as_ref().map(|error| format!(", {but}{}", visible_lines(error))).unwrap_or_default();
    let text = format!("<== {} attempt {}: {how}{error}", attempt.id, attempt.attempt);
    theme::dimmed(&text, layout.colour) + "\n"
}

/// Returns the line of a kill node, after the output of its workflow job.
pub(crate) fn kill_message(message: &KillMessage, layout: Layout) -> String {
    let action = message.action_id.as_ref().map(|action| format!("{action}: ")).unwrap_or_default();
    let text = format!("<== {action}{} (kill): {}", message.id, visible_lines(&message.message));
    theme::dimmed(&text, layout.colour) + "\n"
}

/// One line of the event log.
pub(crate) fn event(event: &EventView, layout: Layout) -> String {
    let to = theme::status(&event.to, layout.colour);
    let change = event.from.as_ref().map_or_else(|| to.clone(), |from| format!("{from} -> {to}"));
    let reason = event.reason.as_ref().map(|reason| format!(": {}", visible(reason))).unwrap_or_default();
    format!("{}  {}  {change}  ({}){reason}\n", time_with_seconds(event.time), event.id, event.origin)
}

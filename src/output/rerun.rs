//! The outputs that a rerun deletes: a line for each, or a value of its JSON document.

use serde_json::{Value, json};

use crate::output::diagnostic;
use crate::output::screen::Screen;
use crate::output::text::{add_line, aside};
use howdah_engine::verbs::rerun::{Fate, Output};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;

/// Lists the outputs that are to be deleted, with where they really are, and says on standard error which stay.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn list(outputs: &[Output], effect: Effect) -> Result<()> {
    for output in outputs {
        if let Fate::Kept(why) = output.fate {
            aside(&diagnostic::plain(&format!("note: {} stays: {why}", output.uri)));
        }
    }
    Screen::open().write(render(outputs, effect))
}

/// Returns the list as text; empty when nothing is deleted.
fn render(outputs: &[Output], effect: Effect) -> String {
    let mut text = String::new();
    let lines: Vec<String> = outputs.iter().filter_map(line).collect();
    let verb = if effect == Effect::DryRun { "would be" } else { "are to be" };
    match lines.len() {
        0 => return text,
        1 => add_line(&mut text, format!("1 output {} deleted:", verb.replace("are", "is"))),
        many => add_line(&mut text, format!("{many} outputs {verb} deleted:")),
    }
    for output in lines {
        add_line(&mut text, diagnostic::plain(&output));
    }
    text
}

/// ` @3 out: hdfs://nn/data/2010 (folder at /data/2010)`, with the name of the coordinator where there are several; the
/// real path is left out when it equals the URI.
fn line(output: &Output) -> Option<String> {
    let (Fate::Deleted { facts, .. }, Some(word)) = (&output.fate, output.deleted_kind()) else { return None };
    let Output { action, event, uri, .. } = output;
    let coordinator = output.coordinator.as_deref().unwrap_or_default();
    let real = facts.real.display().to_string();
    let is_the_same = uri.strip_prefix("file://").unwrap_or(uri) == real;
    let place = if is_the_same { String::new() } else { format!(" at {real}") };
    Some(format!("  {coordinator}@{action} {event}: {uri} ({word}{place})"))
}

pub(super) fn as_json(output: &Output) -> Value {
    let (fate, place, why) = match &output.fate {
        Fate::Deleted { facts, .. } => ("deleted", Some(facts.real.display().to_string()), None),
        Fate::Missing => ("missing", None, None),
        Fate::Kept(why) => ("kept", None, Some(*why)),
    };
    json!({
        "coordJobName": output.coordinator,
        "actionNumber": output.action,
        "name": output.event,
        "uri": output.uri,
        "state": fate,
        "type": output.deleted_kind(),
        "path": place,
        "reason": why,
    })
}

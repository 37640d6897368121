//! `oozie job -dryrun`: the server's answer, and what the client makes of it.
//!
//! An action is shown with its inputs, its outputs and its configuration, not with Oozie's whole document.

use std::fmt::Write as _;

use crate::output::oozie::Lines;
use howdah_answers::check::dryrun::{DryAction, DryEvent, DryJob};
use howdah_words::model::id::JobKind;

/// The words before each action in the server's answer, at which the client splits it.
const NEXT_ACTION: &str = "action for new instance";
const ACTIONS: &str = "***actions for instance***";

/// Returns the server's answer about a coordinator with this definition; `actions` are the texts of its actions.
pub(crate) fn answer(definition: &str, actions: &[String]) -> String {
    let actions: String = actions.iter().flat_map(|action| [NEXT_ACTION, action]).collect();
    format!("{}\n{ACTIONS}{actions}", definition.trim_end())
}

/// Returns what the client prints of the server's answer about a job of this kind.
pub(crate) fn printed(kind: JobKind, answer: &str) -> String {
    let mut lines = Lines::default();
    match kind {
        JobKind::Workflow => lines.add(answer),
        JobKind::Bundle => {
            lines.add("***Bundle job after parsing: ***");
            lines.add(answer);
        }
        JobKind::Coordinator => {
            let mut parts = answer.split(NEXT_ACTION);
            lines.add("***coordJob after parsing: ***");
            lines.add(parts.next().unwrap_or_default());
            let actions: Vec<&str> = parts.collect();
            lines.add(format!("***total coord actions is {} ***", actions.len()));
            for (number, action) in (1..).zip(actions) {
                lines.ruler();
                lines.add(format!("coordAction instance: {number}:"));
                lines.add(action);
            }
        }
    }
    lines.text()
}

/// Returns the text of one action.
pub(crate) fn action(job: &DryJob, action: &DryAction, app_path: &str) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "<coordinator-app name=\"{}\" action-number=\"{}\" action-nominal-time=\"{}\">",
        escaped(&job.name),
        action.number,
        escaped(&action.nominal)
    );
    add_events(&mut text, ("input-events", "data-in"), &action.inputs);
    add_events(&mut text, ("output-events", "data-out"), &action.outputs);
    let _ = writeln!(text, "  <action>\n    <workflow>\n      <app-path>{}</app-path>", escaped(app_path));
    text.push_str("      <configuration>\n");
    for name in &action.own {
        let value = action.configuration.get(name).map_or("", String::as_str);
        let _ = writeln!(
            text,
            "        <property><name>{}</name><value>{}</value></property>",
            escaped(name),
            escaped(value)
        );
    }
    text.push_str("      </configuration>\n    </workflow>\n  </action>\n</coordinator-app>");
    text
}

fn add_events(text: &mut String, (list, element): (&str, &str), events: &[DryEvent]) {
    if events.is_empty() {
        return;
    }
    let _ = writeln!(text, "  <{list}>");
    for event in events {
        let uris: Vec<String> = event.instances.iter().map(|instance| escaped(&instance.uri)).collect();
        let (name, dataset) = (escaped(&event.name), escaped(&event.dataset));
        let _ = writeln!(text, "    <{element} name=\"{name}\" dataset=\"{dataset}\">");
        let _ = writeln!(text, "      <uris>{}</uris>\n    </{element}>", uris.join("#"));
    }
    let _ = writeln!(text, "  </{list}>");
}

/// Returns a text for an element or an attribute in XML.
fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

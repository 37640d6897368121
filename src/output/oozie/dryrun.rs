//! `oozie job -dryrun` of a coordinator or a bundle: Oozie's frame around the definition and the actions.
//!
//! An action is shown with its inputs, its outputs and its configuration, not with Oozie's whole document.

use std::fmt::Write as _;

use crate::output::oozie::Lines;
use howdah_answers::check::dryrun::{DryAction, DryEvent, DryJob};

/// Returns the dry run of a coordinator with this definition; `actions` are the texts of its actions.
pub(crate) fn coordinator(definition: &str, actions: &[String]) -> String {
    let mut lines = Lines::default();
    lines.add("***coordJob after parsing: ***");
    lines.add(definition.trim_end());
    lines.add("***actions for instance***");
    lines.add(format!("***total coord actions is {} ***", actions.len()));
    for (number, action) in (1..).zip(actions) {
        lines.ruler();
        lines.add(format!("coordAction instance: {number}:"));
        lines.add(action);
    }
    lines.text()
}

/// Returns the dry run of a bundle with this definition.
pub(crate) fn bundle(definition: &str) -> String {
    format!("***Bundle job after parsing: ***\n{}\n", definition.trim_end())
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

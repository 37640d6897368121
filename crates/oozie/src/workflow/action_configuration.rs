//! What the configuration of an action decides, and what is known of it before the job runs.
//!
//! The run and the warnings look a setting up in the same way. Must not depend on where files are: the caller reads
//! them.

use std::sync::Arc;

use super::definition::{Action, Workflow};
use super::global::{Layers, effective_configuration, job_xml_paths, with_global};
use super::submission::evaluate_over_properties;
use howdah_words::model::Properties;
use howdah_xml::{Element, Node};

/// Splits a command of Sqoop as a shell does.
pub const SHELL_SPLITTER: &str = "oozie.action.sqoop.shellsplitter";
/// Ignores the credentials of all actions.
pub const SKIP_CREDENTIALS: &str = "oozie.credentials.skip";

/// Returns whether the command of a Sqoop action with this configuration is split as a shell does; `None` while the
/// value is an expression.
pub fn is_split_as_shell(effective: &Properties, site: &Properties) -> Option<bool> {
    flag(SHELL_SPLITTER, &[effective, site])
}

/// Returns whether an action with this configuration ignores its credentials; `None` while the value is an expression.
pub fn skips_credentials(effective: &Properties, job: &Properties, site: &Properties) -> Option<bool> {
    flag(SKIP_CREDENTIALS, &[effective, job, site])
}

/// Returns whether the first of these that has the property sets it to `true`; `None` when its value is an expression.
fn flag(name: &str, properties: &[&Properties]) -> Option<bool> {
    let value = properties.iter().find_map(|properties| properties.get(name)).map_or("", |value| value.trim());
    (!is_expression(value)).then(|| value.eq_ignore_ascii_case("true"))
}

/// Checks whether a value still depends on the run.
pub fn is_expression(value: &str) -> bool {
    value.contains("${")
}

/// Returns the configuration of an action before the job runs, of the job's properties `job` and the file
/// `config-default.xml`; a value that depends on more stays an expression. `None` where job-xml files, which are read
/// when the action starts, or a name that is an expression may set any property.
pub fn known_configuration(
    action: &Action,
    workflow: &Workflow,
    (job, defaults): (&Properties, &Properties),
) -> Option<Properties> {
    let global = workflow.global.as_ref();
    if !job_xml_paths(&with_global(action.kind, &action.body, global)).is_empty() {
        return None;
    }
    let global = global.map(|global| configured(global, job));
    let body = configured(&action.body, job);
    let layers = Layers { defaults, job_xml: &[], global: global.as_ref(), body: &body, source: workflow.source() };
    let known = effective_configuration(action.kind, &layers).ok()?;
    (!known.keys().any(|name| is_expression(name))).then_some(known)
}

/// Returns only the children of a section that configure an action, with the values that are known.
fn configured(section: &Element, job: &Properties) -> Element {
    let mut section = section.clone();
    let is_kept = |node: &Node| match node {
        Node::Element(child) => matches!(child.name.as_str(), "launcher" | "configuration"),
        Node::Text(_) => false,
    };
    section.children.retain(is_kept);
    evaluate_known(&mut section, job);
    section
}

fn evaluate_known(element: &mut Element, job: &Properties) {
    for child in &mut element.children {
        match child {
            Node::Element(child) => evaluate_known(Arc::make_mut(child), job),
            Node::Text(text) => {
                if let Ok(value) = evaluate_over_properties(&text.value, job) {
                    text.value = value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition::NodeKind;
    use super::super::parse::parse;
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    fn known(global: &str, body: &str, job: &[(&str, &str)], defaults: &[(&str, &str)]) -> Option<Properties> {
        let own = |pairs: &[(&str, &str)]| -> Properties {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let xml = format!(
            "<workflow-app name='w' xmlns='uri:oozie:workflow:0.5'>{global}<start to='a'/><action name='a'>{body}\
             <ok to='end'/><error to='end'/></action><end name='end'/></workflow-app>"
        );
        let document = read(&SourceText::new("w.xml", xml)).expect("well formed");
        let graph = parse(&document, &own(job)).0.expect("a graph");
        let Some(NodeKind::Action(action)) = graph.node("a").map(|node| &node.kind) else { panic!("no action") };
        known_configuration(action, &graph, (&own(job), &own(defaults)))
    }

    fn configuration(value: &str) -> String {
        format!("<configuration><property><name>p</name><value>{value}</value></property></configuration>")
    }

    #[test]
    fn the_known_configuration_is_that_of_the_run() {
        let fs = |value: &str| format!("<fs>{}</fs>", configuration(value));
        let global = |value: &str| format!("<global>{}</global>", configuration(value));
        for (global, body, expect) in [
            ("", "<fs/>".to_owned(), Some("d")),
            (&*global("g"), "<fs/>".to_owned(), Some("g")),
            (&*global("g"), fs("${x}"), Some("1")),
            ("", fs("${wf:id()}"), Some("${wf:id()}")),
            // The property of the job is no property of the action.
            ("", "<email/>".to_owned(), None),
        ] {
            let got = known(global, &body, &[("x", "1"), ("p", "j")], &[("p", "d")]).expect("known");
            assert_eq!(got.get("p").map(String::as_str), expect, "{global} {body}");
        }
        for body in ["<fs><job-xml>f.xml</job-xml></fs>", &fs("1").replace(">p<", ">${wf:id()}<")] {
            assert_eq!(known("", body, &[], &[]), None, "{body}");
        }
    }

    #[test]
    fn the_first_value_of_a_flag_counts() {
        let value = |text: &str| Properties::from([(SKIP_CREDENTIALS.to_owned(), text.to_owned())]);
        let none = Properties::new();
        for (effective, job, site, expect) in [
            (&none, &none, &none, Some(false)),
            (&none, &none, &value("TRUE "), Some(true)),
            (&none, &value("false"), &value("true"), Some(false)),
            (&value("true"), &value("false"), &none, Some(true)),
            (&value("${wf:id()}"), &none, &none, None),
        ] {
            assert_eq!(skips_credentials(effective, job, site), expect);
        }
    }
}

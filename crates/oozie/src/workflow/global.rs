//! What an action takes from `global`, from its launcher element and from default files.
//!
//! Follows the workflow specification, section 3.2.2: a value in the definition, job-xml files included, wins over the
//! defaults (decision W12). Must not depend on where a job-xml file is: the caller reads them. Deviation: an action
//! without name-node or job-tracker is not refused, because nothing on one machine needs them.

use std::sync::Arc;

use super::definition::ActionKind;
use crate::configuration::read_configuration;
use howdah_words::error::{Result, SourceText};
use howdah_words::model::Properties;
use howdah_xml::{Element, Node};

/// Children of `launcher` and their properties.
const LAUNCHER_PROPERTIES: &[(&str, &str)] = &[
    ("memory.mb", "oozie.launcher.memory.mb"),
    ("vcores", "oozie.launcher.vcores"),
    ("priority", "oozie.launcher.priority"),
    ("java-opts", "oozie.launcher.javaopts"),
    ("env", "oozie.launcher.env"),
    ("queue", "oozie.launcher.queue"),
    ("sharelib", "oozie.launcher.sharelib"),
    ("view-acl", "oozie.launcher.view.acl"),
    ("modify-acl", "oozie.launcher.modify.acl"),
];

/// The layers of an action's configuration, lowest first; all evaluated.
pub struct Layers<'a> {
    /// The default files (`config-default.xml`).
    pub defaults: &'a Properties,
    /// The job-xml files in the order of [`job_xml_paths`].
    pub job_xml: &'a [Properties],
    /// The `global` section.
    pub global: Option<&'a Element>,
    /// The action's body.
    pub body: &'a Element,
    /// The text of the definition, for the last two.
    pub source: &'a Arc<SourceText>,
}

/// Returns the configuration with which the action runs. A later layer wins, and in the last two `configuration` wins
/// over `launcher`.
///
/// # Errors
/// E0700 when a `configuration` contains something other than properties.
pub fn effective_configuration(kind: ActionKind, layers: &Layers<'_>) -> Result<Properties> {
    let mut effective = Properties::new();
    if !kind.is_configurable() {
        return Ok(effective);
    }
    if kind != ActionKind::SubWorkflow {
        effective.extend(layers.defaults.clone());
    }
    for file in layers.job_xml {
        effective.extend(file.clone());
    }
    for section in layers.global.into_iter().chain([layers.body]) {
        if let Some(launcher) = section.child("launcher") {
            effective.extend(launcher_properties(launcher));
        }
        if let Some(configuration) = section.child("configuration") {
            effective.extend(inline_properties(configuration, layers.source)?);
        }
    }
    Ok(effective)
}

/// Returns the body with what it takes from `global`: a missing `name-node`, a missing `job-tracker` or
/// `resource-manager`, and the `job-xml` files that it does not name itself, before its own.
pub fn with_global(kind: ActionKind, body: &Element, global: Option<&Element>) -> Element {
    let mut merged = body.clone();
    let Some(global) = global.filter(|_| kind.is_configurable()) else { return merged };
    let mut inherited: Vec<&Element> = Vec::new();
    if kind != ActionKind::Fs && body.child("job-tracker").is_none() && body.child("resource-manager").is_none() {
        inherited.extend(global.child("resource-manager").or_else(|| global.child("job-tracker")));
    }
    if body.child("name-node").is_none() {
        inherited.extend(global.child("name-node"));
    }
    let own = job_xml_paths(body);
    inherited.extend(global.children_named("job-xml").filter(|file| !own.contains(&file.text().value)));
    let inherited = inherited.into_iter().map(|element| {
        let mut element = element.clone();
        element.namespace.clone_from(&body.namespace);
        element.prefix.clone_from(&body.prefix);
        Node::Element(Arc::new(element))
    });
    merged.children.splice(0..0, inherited);
    merged
}

/// Returns the `global` section of a sub-workflow to which its parent's section is propagated: its own children, and
/// the parent's where it has none of that name. Properties are merged one by one; the parent's job-xml files come
/// first.
pub fn propagated_global(own: Option<&Element>, parent: Option<&Element>) -> Option<Element> {
    let (Some(own), Some(parent)) = (own, parent) else { return own.or(parent).cloned() };
    let own_files = job_xml_paths(own);
    let mut merged = own.clone();
    let mut inherited = Vec::new();
    for child in parent.elements() {
        match (child.name.as_str(), merged.children.iter_mut().find_map(|node| named(node, &child.name))) {
            ("job-xml", _) if own_files.contains(&child.text().value) => {}
            ("configuration", Some(configuration)) => {
                configuration.children.splice(0..0, child.children.iter().cloned());
            }
            ("launcher", Some(launcher)) => fill_gaps(launcher, child),
            ("job-xml", _) | (_, None) => inherited.push(Node::Element(Arc::new(child.clone()))),
            (_, Some(_)) => {}
        }
    }
    merged.children.splice(0..0, inherited);
    Some(merged)
}

fn named<'a>(node: &'a mut Node, name: &str) -> Option<&'a mut Element> {
    match node {
        Node::Element(element) if element.name == name => Some(Arc::make_mut(element)),
        Node::Element(_) | Node::Text(_) => None,
    }
}

fn fill_gaps(own: &mut Element, parent: &Element) {
    let gaps = parent.elements().filter(|child| own.child(&child.name).is_none());
    let gaps: Vec<Node> = gaps.cloned().map(|gap| Node::Element(Arc::new(gap))).collect();
    own.children.extend(gaps);
}

/// Returns the texts of the `job-xml` children, in order.
pub fn job_xml_paths(body: &Element) -> Vec<String> {
    body.children_named("job-xml").map(|file| file.text().value).collect()
}

/// Returns the properties of a `configuration` inside the definition; their texts are trimmed.
fn inline_properties(configuration: &Element, source: &Arc<SourceText>) -> Result<Properties> {
    let read = read_configuration(configuration, source)?;
    Ok(read.values.into_iter().map(|(name, value)| (name, value.trim().to_owned())).collect())
}

fn launcher_properties(launcher: &Element) -> Properties {
    let property = |(child, name): &(&str, &str)| Some(((*name).to_owned(), launcher.child(child)?.text().value));
    LAUNCHER_PROPERTIES.iter().filter_map(property).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::{read, write};

    fn element(xml: &str) -> Element {
        read(&SourceText::new("test", xml)).expect("the test's XML is well formed").root
    }

    fn properties(pairs: &[(&str, &str)]) -> Properties {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn configuration(pairs: &[(&str, &str)]) -> String {
        let property =
            |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value>{value}</value></property>");
        format!("<configuration>{}</configuration>", pairs.iter().map(property).collect::<String>())
    }

    fn check(kind: ActionKind, expect: &[(&str, &str)]) {
        let global = element(&format!(
            "<global><launcher><vcores>1</vcores><queue>g</queue></launcher>{}</global>",
            configuration(&[("b", "global"), ("c", "global"), ("oozie.launcher.queue", "q")])
        ));
        let body = element(&format!(
            "<shell><launcher><vcores>2</vcores></launcher>{}</shell>",
            configuration(&[("c", "own"), ("e", "")])
        ));
        let layers = Layers {
            defaults: &properties(&[("d", "default"), ("a", "default")]),
            job_xml: &[properties(&[("a", "first"), ("b", "first")]), properties(&[("a", "second")])],
            global: Some(&global),
            body: &body,
            source: &SourceText::new("workflow.xml", ""),
        };
        assert_eq!(effective_configuration(kind, &layers), Ok(properties(expect)), "{kind:?}");
    }

    #[test]
    fn later_layers_win() {
        let all = [
            ("a", "second"),
            ("b", "global"),
            ("c", "own"),
            ("d", "default"),
            ("e", ""),
            ("oozie.launcher.queue", "q"),
            ("oozie.launcher.vcores", "2"),
        ];
        check(ActionKind::Shell, &all);
        let without_defaults: Vec<_> = all.into_iter().filter(|(name, _)| *name != "d").collect();
        check(ActionKind::SubWorkflow, &without_defaults);
        check(ActionKind::Email, &[]);
    }

    #[test]
    fn a_parent_fills_the_gaps_of_a_sub_workflow() {
        let own = element(&format!(
            "<global><name-node>own</name-node><job-xml>o</job-xml><launcher><vcores>1</vcores></launcher>{}</global>",
            configuration(&[("a", "own")])
        ));
        let parent = element(&format!(
            "<global><job-tracker>jt</job-tracker><name-node>parent</name-node><job-xml>p</job-xml><job-xml>o</job-xml>\
             <launcher><vcores>2</vcores><queue>q</queue></launcher>{}</global>",
            configuration(&[("a", "parent"), ("b", "parent")])
        ));
        let merged = propagated_global(Some(&own), Some(&parent)).expect("one of them is there");
        let expect = format!(
            "<global><job-tracker>jt</job-tracker><job-xml>p</job-xml><name-node>own</name-node><job-xml>o</job-xml>\
             <launcher><vcores>1</vcores><queue>q</queue></launcher>{}</global>",
            configuration(&[("a", "parent"), ("b", "parent"), ("a", "own")])
        );
        assert_eq!(write(&merged), expect);
        assert_eq!(propagated_global(None, Some(&parent)).as_ref().map(write), Some(write(&parent)));
        assert!(propagated_global(None, None).is_none());
    }

    #[test]
    fn fills_in_from_global() {
        let global = element(
            "<global><job-tracker>jt</job-tracker><name-node>nn</name-node>\
             <job-xml>g</job-xml><job-xml>o</job-xml></global>",
        );
        for (kind, body, expect) in [
            (
                ActionKind::Shell,
                "<shell><job-xml>o</job-xml><exec>e</exec></shell>",
                "<shell><job-tracker>jt</job-tracker><name-node>nn</name-node><job-xml>g</job-xml><job-xml>o</job-xml>\
                 <exec>e</exec></shell>",
            ),
            (
                ActionKind::Pig,
                "<pig><resource-manager>rm</resource-manager><name-node>x</name-node></pig>",
                "<pig><job-xml>g</job-xml><job-xml>o</job-xml><resource-manager>rm</resource-manager>\
                 <name-node>x</name-node></pig>",
            ),
            (ActionKind::Fs, "<fs/>", "<fs><name-node>nn</name-node><job-xml>g</job-xml><job-xml>o</job-xml></fs>"),
            (ActionKind::Ssh, "<ssh/>", "<ssh/>"),
        ] {
            assert_eq!(write(&with_global(kind, &element(body), Some(&global))), expect);
        }
    }
}

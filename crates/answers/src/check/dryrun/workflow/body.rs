//! The contents of the nodes of a dry run: one line per value, expressions evaluated where that is possible before a
//! run.
//!
//! Only `shell` is special: its words are joined to the command that a user could type. Errors of expressions are
//! reported elsewhere; here such a text stays as written.

use serde::Serialize;

use howdah_engine::format::quoted;
use howdah_oozie::workflow::context::WorkflowContext;
use howdah_oozie::workflow::definition::{Case, Node, NodeKind, Target, Workflow};
use howdah_oozie::workflow::global::with_global;
use howdah_oozie::workflow::knowledge;
use howdah_words::error::Location;
use howdah_xml::{Element, Text};

/// A value of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DryDetail {
    /// Its name: the names of its elements, `message`, or `command`.
    pub name: String,
    /// Empty for an element without text and attributes.
    pub value: String,
}

/// A graph and its job.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) graph: &'a Workflow,
    pub(super) context: &'a WorkflowContext<'a>,
}

impl Plan<'_> {
    /// Returns the contents of a node, in document order.
    pub(super) fn details(&self, node: &Node) -> Vec<DryDetail> {
        match &node.kind {
            NodeKind::Kill { message } => vec![detail("message", self.text(message))],
            NodeKind::Action(action) => {
                let body = with_global(action.kind, &action.body, self.graph.global.as_ref());
                let mut details = Vec::new();
                let is_shell = body.name == "shell";
                if is_shell {
                    details.push(detail("command", self.command(&body)));
                }
                for child in body.elements() {
                    if !(is_shell && matches!(child.name.as_str(), "exec" | "argument")) {
                        self.push(child, "", &mut details);
                    }
                }
                details
            }
            NodeKind::Start { .. }
            | NodeKind::End
            | NodeKind::Decision { .. }
            | NodeKind::Fork { .. }
            | NodeKind::Join { .. } => Vec::new(),
        }
    }

    /// Returns the target of a decision for the present files and clock; `None` when it depends on the run.
    pub(super) fn chosen(&self, node: &Node) -> Option<String> {
        let NodeKind::Decision { cases, default } = &node.kind else { return None };
        self.target(cases, default).map(|target| target.name.clone())
    }

    fn target<'d>(&self, cases: &'d [Case], default: &'d Target) -> Option<&'d Target> {
        for case in cases {
            let value = knowledge::value(&case.predicate.value, self.context).ok()??;
            if value.trim().eq_ignore_ascii_case("true") {
                return Some(&case.to);
            }
        }
        Some(default)
    }

    /// Returns the job-xml files that actions name, each once, with the first place that names it.
    pub(super) fn job_xml_files(&self) -> Vec<(String, Location)> {
        let mut files: Vec<(String, Location)> = Vec::new();
        let sections = self.graph.nodes().iter().filter_map(|node| match &node.kind {
            NodeKind::Action(action) => Some(&action.body),
            _ => None,
        });
        for file in self.graph.global.iter().chain(sections).flat_map(|section| section.children_named("job-xml")) {
            let text = file.text();
            let value = knowledge::value(&text.value, self.context);
            let Some(path) = value.unwrap_or_else(|_| Some(text.value.clone())) else { continue };
            if files.iter().all(|(known, _)| *known != path) {
                files.push((path, self.graph.location(text.span)));
            }
        }
        files
    }

    /// Returns the value of a text; what depends on the run stays an expression.
    fn text(&self, text: &Text) -> String {
        knowledge::foresee(&text.value, self.context).unwrap_or_else(|_| text.value.clone())
    }

    fn command(&self, shell: &Element) -> String {
        let words = shell.elements().filter(|child| matches!(child.name.as_str(), "exec" | "argument"));
        words.map(|word| quoted(&self.text(&word.text()))).collect::<Vec<_>>().join(" ")
    }

    /// Adds the values of an element; `path` contains the names of the elements around it.
    fn push(&self, element: &Element, path: &str, details: &mut Vec<DryDetail>) {
        let name = if path.is_empty() { element.name.to_string() } else { format!("{path} {}", element.name) };
        if element.name == "configuration" {
            for property in element.children_named("property") {
                let [key, value] =
                    ["name", "value"].map(|part| property.child(part).map(|part| self.text(&part.text())));
                let (key, value) = (key.unwrap_or_default(), value.unwrap_or_default());
                details.push(detail(&name, format!("{key} = {value}")));
            }
            return;
        }
        let value = self.value(element);
        if !value.is_empty() || element.elements().next().is_none() {
            details.push(detail(&name, value));
        }
        for child in element.elements() {
            self.push(child, &name, details);
        }
    }

    /// Returns the attributes and the text of an element; a single attribute `path` is shown without its name.
    fn value(&self, element: &Element) -> String {
        let text = self.text(&element.text());
        let attributes = element.attributes.iter().map(|attribute| (&attribute.name, self.text(&attribute.value)));
        let mut parts: Vec<String> = match element.attributes.as_slice() {
            [only] if only.name == "path" => vec![self.text(&only.value)],
            _ => attributes.map(|(name, value)| format!("{name}={value}")).collect(),
        };
        if !text.is_empty() {
            parts.push(text);
        }
        parts.join(" ")
    }
}

fn detail(name: &str, value: String) -> DryDetail {
    DryDetail { name: name.to_owned(), value }
}

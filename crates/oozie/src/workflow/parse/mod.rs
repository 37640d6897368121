//! Turns the elements of a `workflow-app` into its graph, and reports every problem of single nodes.
//!
//! Expects a document that the schema accepts; in another document it misses problems but reports no false ones.
//! `validate` checks how the nodes are connected.

use std::collections::HashSet;

use super::definition::{Action, ActionKind, Case, Node, NodeKind, START, Target, Workflow};
use super::submission::evaluate_over_properties;
use super::user_retry::RetryAttributes;
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::Properties;
use howdah_xml::{Document, Element, Text};

/// After this many errors no further attribute is evaluated: each wrong one costs a search through all properties.
const MOST_ERRORS: usize = 100;

/// Reads the graph, node by node in document order. The retry attributes are evaluated over `conf`, the job's
/// properties. There is no workflow when the root is another element.
///
/// Codes: E0700 (not a workflow), E0701 (something required is missing), E0703, E0704, E0705, E0706, E0723.
pub fn parse(document: &Document, conf: &Properties) -> (Option<Workflow>, Vec<Error>) {
    let root = &document.root;
    if root.name != "workflow-app" {
        let error = Error::new(ErrorCode::E0700, format!("the root element is <{}>, not <workflow-app>", root.name));
        return (None, vec![error.at(document.locate(root.tag))]);
    }
    let mut parser = Parser {
        document,
        conf,
        workflow: header(document),
        names: HashSet::new(),
        complete: false,
        errors: Vec::new(),
    };
    for element in root.elements() {
        parser.add(element);
    }
    (Some(parser.workflow), parser.errors)
}

fn header(document: &Document) -> Workflow {
    let root = &document.root;
    let name =
        root.attribute("name").cloned().unwrap_or(Text { value: String::new(), span: root.tag, verbatim: false });
    let mut workflow = Workflow::empty(&document.source, name);
    workflow.global = root.child("global").cloned();
    workflow.credentials = root.child("credentials").cloned();
    workflow
}

struct Parser<'a> {
    document: &'a Document,
    conf: &'a Properties,
    workflow: Workflow,
    names: HashSet<String>,
    /// Whether the end node was read, which closes the list of nodes.
    complete: bool,
    errors: Vec<Error>,
}

impl Parser<'_> {
    fn add(&mut self, element: &Element) {
        let kind = match element.name.as_str() {
            "start" => self.start(element),
            "end" => Ok(NodeKind::End),
            "kill" => kill(element),
            "decision" => self.decision(element),
            "fork" => self.fork(element),
            "join" => self.to(element).map(|to| NodeKind::Join { to }),
            "action" => self.action(element),
            "parameters" | "global" | "credentials" | "info" => return,
            other => Err(Error::new(ErrorCode::E0703, other)),
        };
        let node = kind.and_then(|kind| self.node(element, kind));
        match node {
            Ok(node) => self.workflow.push(node),
            Err(error) => self.errors.push(error.at(self.document.locate(element.tag))),
        }
    }

    /// Names the node and compares it with those before it.
    fn node(&mut self, element: &Element, kind: NodeKind) -> Result<Node> {
        let is_start = matches!(kind, NodeKind::Start { .. });
        let (name, span) = if is_start {
            (START.to_owned(), element.tag)
        } else {
            let name = required(element, "name")?;
            (name.value.clone(), name.span)
        };
        if self.complete {
            return Err(Error::new(ErrorCode::E0704, &name).at(self.document.locate(span)));
        }
        if !self.names.insert(name.clone()) {
            return Err(Error::new(ErrorCode::E0705, &name).at(self.document.locate(span)));
        }
        self.complete = matches!(kind, NodeKind::End);
        let node = Node { name, span, kind };
        if let Some(target) = node.targets().into_iter().find(|target| target.name == node.name) {
            return Err(Error::new(ErrorCode::E0706, &node.name).at(self.document.locate(target.span)));
        }
        Ok(node)
    }

    fn start(&self, element: &Element) -> Result<NodeKind> {
        self.to(element).map(|to| NodeKind::Start { to })
    }

    fn to(&self, element: &Element) -> Result<Target> {
        self.target(element, "to")
    }

    fn target(&self, element: &Element, attribute: &str) -> Result<Target> {
        match required(element, attribute) {
            Ok(name) => Ok(Target { name: name.value.clone(), span: name.span }),
            Err(error) => Err(error.at(self.document.locate(element.tag))),
        }
    }

    fn decision(&self, element: &Element) -> Result<NodeKind> {
        let switch = required_child(element, "switch")?;
        let case = |case: &Element| Ok(Case { to: self.to(case)?, predicate: case.raw_text() });
        Ok(NodeKind::Decision {
            cases: switch.children_named("case").map(case).collect::<Result<_>>()?,
            default: self.to(required_child(switch, "default")?)?,
        })
    }

    fn fork(&self, element: &Element) -> Result<NodeKind> {
        let paths = element.children_named("path").map(|path| self.target(path, "start"));
        Ok(NodeKind::Fork { paths: paths.collect::<Result<_>>()? })
    }

    fn action(&self, element: &Element) -> Result<NodeKind> {
        let is_body = |child: &&Element| !matches!(child.name.as_str(), "ok" | "error" | "info");
        let Some(body) = element.elements().find(is_body) else {
            return Err(Error::new(ErrorCode::E0701, "<action> has no body"));
        };
        let name = element.attribute("name").map_or("", |name| name.value.as_str());
        let kind = action_kind(name, body).map_err(|error| error.at(self.document.locate(body.tag)))?;
        Ok(NodeKind::Action(Box::new(Action {
            kind,
            body: body.clone(),
            cred: element.attribute("cred").map(|text| text.value.clone()),
            retry: RetryAttributes {
                max: self.evaluated(element, "retry-max")?,
                interval: self.evaluated(element, "retry-interval")?,
                policy: self.evaluated(element, "retry-policy")?,
            },
            ok: self.to(required_child(element, "ok")?)?,
            error: self.to(required_child(element, "error")?)?,
        })))
    }

    /// Evaluates an attribute that may contain expressions over the job's properties; `None` after [`MOST_ERRORS`],
    /// when the workflow is refused already.
    fn evaluated(&self, element: &Element, attribute: &str) -> Result<Option<String>> {
        let Some(text) = element.attribute(attribute).filter(|_| self.errors.len() < MOST_ERRORS) else {
            return Ok(None);
        };
        match evaluate_over_properties(&text.value, self.conf) {
            Ok(value) => Ok(Some(value)),
            Err(fault) => {
                let place = text.locate(fault.span);
                Err(Error::new(ErrorCode::E0703, fault.message).at(self.document.locate(place)))
            }
        }
    }
}

fn kill(element: &Element) -> Result<NodeKind> {
    Ok(NodeKind::Kill { message: required_child(element, "message")?.text() })
}

fn action_kind(node: &str, body: &Element) -> Result<ActionKind> {
    ActionKind::from_element_name(&body.name).ok_or_else(|| {
        let error = Error::with(ErrorCode::E0723, &[&node, &body.name]);
        match did_you_mean(&body.name, ActionKind::ALL.iter().map(|kind| kind.as_str())) {
            Some(near) => error.help(format!("did you mean <{near}>?")),
            None => error,
        }
    })
}

fn required<'a>(element: &'a Element, attribute: &str) -> Result<&'a Text> {
    let missing = || Error::new(ErrorCode::E0701, format!("<{}> has no attribute {attribute}", element.name));
    element.attribute(attribute).ok_or_else(missing)
}

fn required_child<'a>(element: &'a Element, name: &str) -> Result<&'a Element> {
    let missing = || Error::new(ErrorCode::E0701, format!("<{}> has no <{name}>", element.name));
    element.child(name).ok_or_else(missing)
}

#[cfg(test)]
mod tests;

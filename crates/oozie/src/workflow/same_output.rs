//! Outputs that two nodes of one workflow write in the same run (W0153).
//!
//! Reports only what certainly fails: outputs that must not exist before (`map-reduce`, `sqoop`), of nodes that one run
//! can reach over `ok` transitions alone. Folders of `mkdir` and targets of `move` may be the same. A path that a third
//! node names too is probably a temporary one that is used again. Must not refuse anything.

use std::collections::{BTreeMap, BTreeSet};

use super::definition::{NodeKind, START, Workflow};
use super::parse::parse;
use super::submission::evaluate_over_properties;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::Properties;
use howdah_xml::{Document, Element, Node, Text};

/// The properties that name the output of a `map-reduce` action, in Hadoop's order: the new name wins.
const OUTPUT_FOLDER: [&str; 2] = ["mapreduce.output.fileoutputformat.outputdir", "mapred.output.dir"];
/// Options with which Sqoop adds to an output, or deletes it first.
const KEEPS_OR_DELETES: [&str; 3] = ["--append", "--incremental", "--delete-target-dir"];
/// How many nodes with one output are compared.
const MOST_WRITERS: usize = 20;
/// Warnings about one workflow.
const MOST_WARNINGS: usize = 100;

/// A node and the output that it writes.
struct Writer<'a> {
    action: &'a Element,
    name: &'a str,
    /// The place that names the output.
    text: Text,
}

/// Returns W0153 for each node that writes what an earlier one writes in the same run, at the place that names its
/// output.
pub fn warnings(document: &Document, properties: &Properties) -> Vec<Error> {
    let mut by_output: BTreeMap<String, Vec<Writer<'_>>> = BTreeMap::new();
    for action in document.root.children_named("action") {
        let Some((name, text)) = action.attribute("name").zip(action.elements().next().and_then(output)) else {
            continue;
        };
        if let Some(output) = value(&text.value, properties) {
            by_output.entry(output).or_default().push(Writer { action, name: &name.value, text });
        }
    }
    by_output.retain(|_, writers| writers.len() > 1);
    // Few workflows need the second reading of their graph.
    let graph = if by_output.is_empty() { None } else { parse(document, properties).0 };
    let Some(graph) = graph else { return Vec::new() };
    let outputs: Vec<_> = by_output.iter().take(MOST_WARNINGS + 1).collect();
    let temporary = named_by_others(document, &outputs, properties);
    let before = Before::all(&graph);
    let mut warnings = Vec::new();
    for (output, writers) in outputs {
        let is_temporary = temporary.contains(output.as_str());
        warnings.extend(same(document, (&graph, &before), (output, writers), is_temporary));
    }
    Error::keep_first(&mut warnings, MOST_WARNINGS);
    warnings
}

/// Returns a warning for each of the writers of one output that runs beside, or after, one before it in the definition.
fn same(
    document: &Document,
    (graph, before): (&Workflow, &Before),
    (output, writers): (&str, &[Writer<'_>]),
    is_temporary: bool,
) -> Vec<Error> {
    let known = |writer: &Writer<'_>| graph.position(writer.name);
    let places: Vec<_> =
        writers.iter().take(MOST_WRITERS).filter_map(|writer| Some((writer, known(writer)?))).collect();
    let ways: Vec<Vec<bool>> = places.iter().map(|(_, position)| before.of(*position)).collect();
    let meets = |one: usize, other: usize| {
        let ((_, first), (_, second)) = (&places[one], &places[other]);
        let follows = ways[other][*first] || ways[one][*second];
        first != second && (follows && !is_temporary || is_beside(graph, &ways[one], &ways[other]))
    };
    let start = graph.position(START);
    let is_reached = |at: &usize| start.is_some_and(|start| ways[*at][start]);
    let warn = |later: usize| {
        let earlier = (0..later).filter(is_reached).find(|earlier| meets(*earlier, later))?;
        let (later, earlier) = (places[later].0, places[earlier].0);
        let warning = Error::with(ErrorCode::W0153, &[&earlier.name, &later.name, &output]);
        Some(warning.at(document.locate(later.text.span)).help(format!("give [{}] an output of its own", later.name)))
    };
    (0..places.len()).filter(is_reached).filter_map(warn).collect()
}

/// Which nodes reach which over `ok` transitions: what follows an error repairs or reports.
struct Before(Vec<Vec<usize>>);

impl Before {
    fn all(graph: &Workflow) -> Self {
        let mut before = vec![Vec::new(); graph.nodes().len()];
        for (position, node) in graph.nodes().iter().enumerate() {
            let targets = match &node.kind {
                NodeKind::Action(action) => vec![&action.ok],
                _ => node.targets(),
            };
            for target in targets.into_iter().filter_map(|target| graph.position(&target.name)) {
                before[target].push(position);
            }
        }
        Self(before)
    }

    /// Returns the nodes from which a path reaches one node, by index, the node itself included.
    fn of(&self, position: usize) -> Vec<bool> {
        let mut found = vec![false; self.0.len()];
        let mut open = vec![position];
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut found[next], true) {
                open.extend(&self.0[next]);
            }
        }
        found
    }
}

/// Returns whether two nodes, given by the nodes that reach them, are in different paths of one fork.
fn is_beside(graph: &Workflow, one: &[bool], other: &[bool]) -> bool {
    graph.nodes().iter().any(|node| {
        let NodeKind::Fork { paths } = &node.kind else { return false };
        let has_own_start = |here: &[bool], there: &[bool]| {
            let mut starts = paths.iter().filter_map(|path| graph.position(&path.name));
            starts.any(|start| here[start] && !there[start])
        };
        has_own_start(one, other) && has_own_start(other, one)
    })
}

/// Returns the outputs named by an action that does not write them. Each text is read once, however many outputs there
/// are.
fn named_by_others<'a>(
    document: &Document,
    outputs: &[(&'a String, &Vec<Writer<'_>>)],
    properties: &Properties,
) -> BTreeSet<&'a str> {
    let mut named = BTreeSet::new();
    for action in document.root.children_named("action") {
        each_text(action, &mut |text| {
            let Some(value) = value(&text.value, properties) else { return };
            let is_writer = |writers: &[Writer<'_>]| writers.iter().any(|writer| std::ptr::eq(writer.action, action));
            let others = outputs.iter().filter(|(output, writers)| value.contains(*output) && !is_writer(writers));
            named.extend(others.map(|(output, _)| output.as_str()));
        });
    }
    named
}

/// Visits every attribute and text of an element.
fn each_text(element: &Element, tell: &mut impl FnMut(&Text)) {
    element.attributes.iter().for_each(|attribute| tell(&attribute.value));
    for child in &element.children {
        match child {
            Node::Element(child) => each_text(child, tell),
            Node::Text(text) => tell(text),
        }
    }
}

/// Returns the place where the element of an action's type names the output that must not exist before.
fn output(body: &Element) -> Option<Text> {
    match body.name.as_str() {
        "map-reduce" => folder_of_job(body),
        "sqoop" => target_of_import(body),
        _ => None,
    }
}

fn folder_of_job(body: &Element) -> Option<Text> {
    let properties: Vec<&Element> = body.child("configuration")?.children_named("property").collect();
    let named = |wanted: &str| {
        let mut properties = properties.iter().rev();
        properties.find(|property| property.child("name").is_some_and(|name| name.text().value == wanted))
    };
    Some(OUTPUT_FOLDER.into_iter().find_map(named)?.child("value")?.text())
}

/// Returns the value of `--target-dir`, given as two arguments.
fn target_of_import(body: &Element) -> Option<Text> {
    let arguments: Vec<Text> = body.children_named("arg").map(Element::text).collect();
    if arguments.iter().any(|argument| KEEPS_OR_DELETES.contains(&argument.value.as_str())) {
        return None;
    }
    let at = arguments.iter().position(|argument| argument.value == "--target-dir")?;
    arguments.into_iter().nth(at + 1)
}

/// Returns the value of a text where the properties are enough, otherwise the text itself, which is the same at every
/// place in one run. `None` for an empty text, and for one with another value each time.
fn value(text: &str, properties: &Properties) -> Option<String> {
    let value = evaluate_over_properties(text, properties).unwrap_or_else(|_| text.to_owned());
    let value = value.trim().trim_end_matches('/').to_owned();
    (!value.is_empty() && !value.contains("timestamp()")).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    fn job(name: &str, output: &str, ok: &str) -> String {
        let folder = |name: &str| format!("<property><name>{name}</name><value>{output}</value></property>");
        format!(
            "<action name='{name}'><map-reduce><prepare><delete path='{output}'/></prepare><configuration>{}\
             </configuration></map-reduce><ok to='{ok}'/><error to='fail'/></action>",
            folder("mapred.output.dir")
        )
    }

    /// The two nodes and the output of each warning.
    fn check(nodes: &str, expect: &[(&str, &str, &str)]) {
        let xml = format!(
            "<workflow-app name='w'><start to='a'/>{nodes}<kill name='fail'><message>m</message></kill><end name='end'/>\
             </workflow-app>"
        );
        let document = read(&SourceText::new("w.xml", xml)).unwrap();
        let properties = Properties::from([("out".to_owned(), "/out".to_owned())]);
        let found = warnings(&document, &properties);
        let reported: Vec<String> = found.iter().map(|warning| warning.message().to_owned()).collect();
        let line = |(one, other, output): &(&str, &str, &str)| {
            format!("The nodes [{one}] and [{other}] write the same output [{output}]")
        };
        assert_eq!(reported, expect.iter().map(line).collect::<Vec<_>>(), "{nodes}");
        assert!(found.iter().all(|warning| warning.location().is_some()), "{nodes}");
    }

    #[test]
    fn nodes_of_one_run_with_the_same_output_are_reported() {
        let after = |two: &str| job("a", "/out", "b") + &job("b", two, "end");
        check(&after("/out"), &[("a", "b", "/out")]);
        check(&after("${out}/"), &[("a", "b", "/out")]);
        check(&after("/out2"), &[]);
        check(
            &(job("a", "${x}/${wf:id()}", "b") + &job("b", "${x}/${wf:id()}", "end")),
            &[("a", "b", "${x}/${wf:id()}")],
        );
        check(&(job("a", "/o/${timestamp()}", "b") + &job("b", "/o/${timestamp()}", "end")), &[]);
        let between = "<action name='m'><fs><mkdir path='/m'/></fs><ok to='b'/><error to='fail'/></action>";
        check(&(job("a", "/out", "m") + between + &job("b", "/out", "end")), &[("a", "b", "/out")]);
    }

    #[test]
    fn what_runs_in_one_run_decides() {
        let fork = |one: &str, two: &str| {
            format!("<fork name='a'><path start='p'/><path start='q'/></fork>{one}{two}<join name='j' to='r'/>")
        };
        let last = |output: &str| job("r", output, "end");
        check(&(fork(&job("p", "/x", "j"), &job("q", "/x", "j")) + &last("/y")), &[("p", "q", "/x")]);
        check(&(fork(&job("p", "/x", "j"), &job("q", "/z", "j")) + &last("/x")), &[("p", "r", "/x")]);
        let decision = "<decision name='a'><switch><case to='p'>${x}</case><default to='q'/></switch></decision>";
        check(&(decision.to_owned() + &job("p", "/x", "end") + &job("q", "/x", "end")), &[]);
        // What follows an error repairs; a node that no path reaches never runs.
        let repaired = job("a", "/x", "end").replace("error to='fail'", "error to='b'");
        check(&(repaired + &job("b", "/x", "end")), &[]);
        check(&(job("a", "/x", "end") + &job("b", "/x", "end")), &[]);
    }

    #[test]
    fn a_path_that_is_used_again_on_purpose_is_not_reported() {
        let uses = |element: &str| {
            let between = format!("<action name='m'>{element}<ok to='b'/><error to='fail'/></action>");
            job("a", "/tmp/x", "m") + &between + &job("b", "/tmp/x", "end")
        };
        check(&uses("<fs><delete path='/tmp/x'/></fs>"), &[]);
        check(&uses("<fs><move source='/tmp/x' target='/y'/></fs>"), &[]);
        check(&uses("<shell><exec>cat</exec><argument>/tmp/x/part-0</argument></shell>"), &[]);
        check(&uses("<shell><exec>cat</exec><argument>/tmp/y</argument></shell>"), &[("a", "b", "/tmp/x")]);
    }

    #[test]
    fn imports_that_add_or_delete_first_are_not_reported() {
        let import = |name: &str, ok: &str, option: &str| {
            format!(
                "<action name='{name}'><sqoop><arg>import</arg><arg>--target-dir</arg><arg>/in</arg>{option}</sqoop>\
                 <ok to='{ok}'/><error to='fail'/></action>"
            )
        };
        check(&(import("a", "b", "") + &import("b", "end", "")), &[("a", "b", "/in")]);
        for option in ["--append", "--delete-target-dir"] {
            let option = format!("<arg>{option}</arg>");
            check(&(import("a", "b", "") + &import("b", "end", &option)), &[]);
        }
        let folder = "<action name='a'><fs><mkdir path='/x'/></fs><ok to='b'/><error to='fail'/></action>";
        check(&(folder.to_owned() + &folder.replace("'a'", "'b'").replace("ok to='b'", "ok to='end'")), &[]);
    }
}

//! Graphs for tests, one node per statement: `start a; action a ok error; decision d a b; fork f a b; join j a; kill k;
//! end e`.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;

use super::definition::{Action, ActionKind, Case, Node, NodeKind, START, Target, Workflow};
use super::user_retry::RetryAttributes;
use howdah_words::error::{SourceText, Span};
use howdah_xml::{self as xml, Text};

/// Builds the graph; every action is an empty `fs`, every predicate and message is empty.
pub(super) fn workflow(graph: &str) -> Workflow {
    let source = SourceText::new("test", "<fs/>");
    let body = xml::read(&source).expect("an empty element is XML").root;
    let mut workflow = Workflow::empty(&source, text());
    for statement in graph.split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let kind = match words[0] {
            "start" => NodeKind::Start { to: target(words[1]) },
            "end" => NodeKind::End,
            "kill" => NodeKind::Kill { message: text() },
            "join" => NodeKind::Join { to: target(words[2]) },
            "fork" => NodeKind::Fork { paths: words[2..].iter().copied().map(target).collect() },
            "decision" => {
                let (default, cases) = words[2..].split_last().expect("a decision has a default");
                let cases = cases.iter().map(|to| Case { to: target(to), predicate: text() }).collect();
                NodeKind::Decision { cases, default: target(default) }
            }
            "action" => NodeKind::Action(Box::new(Action {
                kind: ActionKind::Fs,
                body: body.clone(),
                ok: target(words[2]),
                error: target(words[3]),
                cred: None,
                retry: RetryAttributes::default(),
            })),
            other => panic!("unknown kind of node: {other}"),
        };
        let name = if words[0] == "start" { START } else { words[1] };
        workflow.push(Node { name: name.to_owned(), span: Span::default(), kind });
    }
    workflow
}

/// One piece of a graph for each number.
pub(super) fn joined(numbers: Range<usize>, piece: impl Fn(usize) -> String) -> String {
    numbers.map(piece).collect::<Vec<String>>().concat()
}

/// A graph built from correct parts.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Action,
    Sequence(Vec<Block>),
    /// A fork and its join.
    Parallel(Vec<Block>),
    /// A decision whose cases meet again.
    Choice(Vec<Block>),
}

impl Block {
    /// Writes the whole graph.
    pub(super) fn graph(&self) -> String {
        let mut nodes = String::new();
        let first = self.write("e", &mut 0, &mut nodes);
        format!("start {first}; {nodes}kill k; end e")
    }

    /// Writes the nodes of the block, which continue to `next`, and returns the first one.
    fn write(&self, next: &str, number: &mut usize, out: &mut String) -> String {
        *number += 1;
        let own = *number;
        let mut all = |blocks: &[Self], next: &str, out: &mut String| {
            blocks.iter().map(|block| block.write(next, number, out)).collect::<Vec<String>>().join(" ")
        };
        let (name, node) = match self {
            Self::Action => (format!("a{own}"), format!("action a{own} {next} k; ")),
            Self::Parallel(paths) => {
                let paths = all(paths, &format!("j{own}"), out);
                (format!("f{own}"), format!("fork f{own} {paths}; join j{own} {next}; "))
            }
            Self::Choice(cases) => {
                let cases = all(cases, next, out);
                (format!("d{own}"), format!("decision d{own} {cases}; "))
            }
            Self::Sequence(blocks) => {
                let step = |next: String, block: &Self| block.write(&next, number, out);
                return blocks.iter().rev().fold(next.to_owned(), step);
            }
        };
        out.push_str(&node);
        name
    }
}

/// Generates any such graph of moderate size.
pub(crate) fn any_block() -> impl Strategy<Value = Block> {
    Just(Block::Action).prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Block::Sequence),
            vec(inner.clone(), 2..4).prop_map(Block::Parallel),
            vec(inner, 2..4).prop_map(Block::Choice),
        ]
    })
}

fn target(name: &str) -> Target {
    Target { name: name.to_owned(), span: Span::default() }
}

fn text() -> Text {
    let source = SourceText::new("test", "<a/>");
    xml::read(&source).expect("an empty element is XML").root.text()
}

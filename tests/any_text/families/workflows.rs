//! Families of workflows: long, wide and deep graphs, with and without mistakes.

use super::{Grown, numbered};

pub(super) const GROWN: [Grown; 16] = [
    ("xml", "a chain of actions", chain_of_actions),
    ("xml", "a chain of actions that all lead back", |bytes| chain_of_actions(bytes).replace("to='e'", "to='a0'")),
    ("xml", "decisions in a row", row_of_decisions),
    ("xml", "forks inside each other", nested_forks),
    ("xml", "nodes and transitions that name others", unknown_nodes),
    ("xml", "actions out of reach", |bytes| nodes(bytes, |n| action(&format!("a{n}"), "e"))),
    ("xml", "actions of one name", |bytes| nodes(bytes, |_| action("same", "e"))),
    ("xml", "actions with an unknown function", |bytes| {
        nodes(bytes, |n| action(&format!("a{n}"), "e").replace("<fs/>", "<fs><mkdir path='${x(1)}'/></fs>"))
    }),
    ("xml", "retries with an unknown function", |bytes| {
        nodes(bytes, |n| {
            let retry = format!(" retry-max='${{a_rather_long_function_{n}(a_rather_long_name_{n})}}'");
            action(&format!("a{n}'{retry} cred='c"), "e")
        })
    }),
    ("xml", "kill nodes", |bytes| nodes(bytes, |n| format!("<kill name='k{n}'><message>m</message></kill>"))),
    ("xml", "cases", |bytes| decision(bytes, |_| "<case to='e'>${a eq b}</case>".to_owned())),
    ("xml", "cases to unknown nodes", |bytes| decision(bytes, |n| format!("<case to='a{n}'>${{a}}</case>"))),
    ("xml", "paths", |bytes| fork(bytes, |n| format!("<path start='a{n}'/>"))),
    ("xml", "paths to one join", |bytes| fork(bytes, |_| "<path start='j'/>".to_owned())),
    ("xml", "parameters without value", |bytes| {
        parameters(bytes, |n| format!("<property><name>p{n}</name></property>"))
    }),
    ("xml", "parameters", |bytes| {
        parameters(bytes, |n| format!("<property><name>p{n}</name><value>${{p}}</value></property>"))
    }),
];

fn workflow(start: &str, nodes: &str) -> String {
    format!(
        "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'><start to='{start}'/>{nodes}\
         <end name='e'/></workflow-app>"
    )
}

fn action(name: &str, ok: &str) -> String {
    format!("<action name='{name}'><fs/><ok to='{ok}'/><error to='e'/></action>")
}

fn nodes(bytes: usize, node: impl Fn(usize) -> String) -> String {
    workflow("e", &numbered(bytes, node).0)
}

fn decision(bytes: usize, case: impl Fn(usize) -> String) -> String {
    let (cases, _) = numbered(bytes, case);
    workflow("d", &format!("<decision name='d'><switch>{cases}<default to='e'/></switch></decision>"))
}

fn fork(bytes: usize, path: impl Fn(usize) -> String) -> String {
    let (paths, _) = numbered(bytes, path);
    workflow("f", &format!("<fork name='f'>{paths}</fork><join name='j' to='e'/>"))
}

fn parameters(bytes: usize, parameter: impl Fn(usize) -> String) -> String {
    let (parameters, _) = numbered(bytes, parameter);
    workflow("e", "").replacen("<start", &format!("<parameters>{parameters}</parameters><start"), 1)
}

fn chain_of_actions(bytes: usize) -> String {
    let (nodes, last) = numbered(bytes, |n| action(&format!("a{n}"), &format!("a{}", n + 1)));
    workflow("a0", &(nodes + &action(&format!("a{last}"), "e")))
}

/// Two transitions from each decision to the next: 2^n paths for n decisions.
fn row_of_decisions(bytes: usize) -> String {
    let (nodes, last) = numbered(bytes, |n| {
        let next = format!("d{}", n + 1);
        let side = action(&format!("a{n}"), &next);
        format!(
            "<decision name='d{n}'><switch><case to='a{n}'>${{x}}</case>\
             <default to='{next}'/></switch></decision>{side}"
        )
    });
    workflow("d0", &(nodes + &action(&format!("d{last}"), "e")))
}

fn nested_forks(bytes: usize) -> String {
    let (forks, last) = numbered(bytes, |n| {
        let (next, side) = (n + 1, action(&format!("a{n}"), &format!("j{n}")));
        let out = if n == 0 { "e".to_owned() } else { format!("j{}", n - 1) };
        format!(
            "<fork name='f{n}'><path start='f{next}'/><path start='a{n}'/></fork>{side}<join name='j{n}' to='{out}'/>"
        )
    });
    workflow("f0", &(forks + &action(&format!("f{last}"), &format!("j{}", last - 1))))
}

fn unknown_nodes(bytes: usize) -> String {
    nodes(bytes, |n| action(&format!("a_rather_long_name_{n}"), &format!("another_long_name_{n}")))
}

//! What a workflow job would do, for people and for other programs.

use serde_json::{Value, json};

use super::{push_line, push_properties};
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{diagnostic, json};
use howdah_answers::check::dryrun::{DryNode, DryWorkflow};
use howdah_words::error::{Error, Result};

/// Writes what a workflow job would do, with the problems that do not refuse it; `OK` is Oozie's own answer.
///
/// # Errors
/// H0111 when standard output cannot take it.
pub(crate) fn workflow(workflow: &DryWorkflow, problems: &[Error], form: Form) -> Result<()> {
    if form != Form::Json {
        Screen::open().write(text(workflow))?;
        diagnostic::accompany(problems, form);
        return Ok(());
    }
    let problems: Vec<Value> = diagnostic::in_order(problems).into_iter().map(diagnostic::as_json).collect();
    json::print(&mut Screen::open(), &json!({ "workflow": workflow, "problems": problems }))
}

fn text(workflow: &DryWorkflow) -> String {
    let mut out = String::new();
    push_line(&mut out, &format!("{:<12} {}", "workflow", workflow.name));
    push_line(&mut out, &format!("{:<12} {}", "path", workflow.path));
    out.push_str("\nconfiguration\n");
    push_properties(&mut out, &workflow.configuration);
    out.push_str("\nnodes\n");
    let widest = |width: fn(&DryNode) -> usize| workflow.nodes.iter().map(width).max().unwrap_or(0);
    let widths = (widest(|node| node.name.chars().count()), widest(|node| node.kind.len()));
    for node in &workflow.nodes {
        push_node(&mut out, node, widths);
    }
    out.push_str("\nOK\n");
    out
}

/// A node with its transitions; those of a decision, which has a predicate for each, one per line.
fn push_node(out: &mut String, node: &DryNode, (name, kind): (usize, usize)) {
    let transitions_text = node.transitions.iter().map(|transition| format!("{} -> {}", transition.on, transition.to));
    let transitions: Vec<String> = transitions_text.collect();
    let is_decision = node.kind == "switch";
    let beside = if is_decision { String::new() } else { transitions.join(", ") };
    push_line(out, format!("  {:<name$}  {:<kind$}  {beside}", node.name, node.kind).trim_end());
    for case in transitions.iter().filter(|_| is_decision) {
        push_line(out, &format!("      {case}"));
    }
    if let Some(chosen) = &node.chosen {
        push_line(out, &format!("      now it would go to {chosen}"));
    }
    for detail in &node.details {
        push_line(out, format!("      {}: {}", detail.name, detail.value).trim_end().trim_end_matches(':'));
    }
}

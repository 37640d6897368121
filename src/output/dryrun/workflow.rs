//! What a workflow job would do, for people and for other programs.

use serde_json::{Value, json};

use super::{push_line, push_properties};
use crate::engine::dryrun::DryWorkflow;
use crate::error::{Error, Result};
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{diagnostic, json};

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
    let widest = workflow.nodes.iter().map(|node| node.name.len()).max().unwrap_or(0);
    for node in &workflow.nodes {
        let transitions: Vec<String> =
            node.transitions.iter().map(|transition| format!("{} -> {}", transition.on, transition.to)).collect();
        let line = format!("  {:<widest$}  {:<12}  {}", node.name, node.kind, transitions.join(", "));
        push_line(&mut out, line.trim_end());
    }
    out.push_str("\nOK\n");
    out
}

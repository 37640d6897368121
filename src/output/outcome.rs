//! What a verb did: a line per change of a job, a table of its actions, or one JSON document.

use serde_json::{Value, json};

use crate::output::form::Form;
use crate::output::screen::{Layout, Screen};
use crate::output::table::{self, Column, Keep, column};
use crate::output::text::{add_line, aside};
use crate::output::{diagnostic, json, theme};
use howdah_engine::apply::outcome::{ActionChange, NodeChange, NodeWork, Outcome, SlaChange};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;

const COLUMNS: [Column; 4] = [
    column("ACTION ID", Keep::Always),
    column("NOMINAL TIME", Keep::Until(1)),
    column("WAS", Keep::Always),
    column("NOW", Keep::Always),
];

/// Shows what a verb did to each job, or with a dry run would do; problems and notes go to standard error, or into the
/// JSON document.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn show(outcomes: &[Outcome], effect: Effect, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    if form == Form::Json {
        return json::print(&mut screen, &document(outcomes, effect));
    }
    if form == Form::Text || effect == Effect::DryRun {
        screen.write(render(outcomes, effect, screen.layout()))?;
    }
    for outcome in with_coordinators(outcomes) {
        if form == Form::Text {
            outcome.not_done.iter().for_each(diagnostic::note);
            outcome.notes.iter().for_each(|note| aside(&format!("note: {note}")));
        }
    }
    let refused: Vec<_> = with_coordinators(outcomes).filter_map(|outcome| outcome.refused.clone()).collect();
    diagnostic::explain(&refused);
    Ok(())
}

/// Returns every outcome, that of a bundle followed by those of its coordinators.
fn with_coordinators(outcomes: &[Outcome]) -> impl Iterator<Item = &Outcome> {
    outcomes.iter().flat_map(|outcome| std::iter::once(outcome).chain(&outcome.coordinators))
}

fn job(outcome: &Outcome) -> Value {
    let mut value = json!(outcome);
    value["notDone"] = json!(outcome.not_done.as_ref().map(diagnostic::as_json));
    value["problem"] = json!(outcome.refused.as_ref().map(diagnostic::as_json));
    if !outcome.coordinators.is_empty() {
        value["bundleCoordJobs"] = outcome.coordinators.iter().map(job).collect();
    }
    value
}

/// Returns what a verb did as a document.
pub(super) fn document(outcomes: &[Outcome], effect: Effect) -> Value {
    json!({ "dryRun": effect == Effect::DryRun, "jobs": outcomes.iter().map(job).collect::<Vec<_>>() })
}

/// Returns the text of what was done; empty when nothing was.
pub(crate) fn render(outcomes: &[Outcome], effect: Effect, layout: Layout) -> String {
    let mut text = String::new();
    let anything = with_coordinators(outcomes).any(|outcome| outcome.is_news() && outcome.refused.is_none());
    if effect == Effect::DryRun && anything {
        add_line(&mut text, "Dry run: this would be done, and nothing is.");
    } else if effect == Effect::DryRun {
        add_line(&mut text, "Dry run: nothing would be done.");
    }
    for outcome in with_coordinators(outcomes) {
        for change in &outcome.changes {
            let word = |value: &Option<String>| match value {
                Some(value) => theme::status(value, layout.colour),
                None => "none".to_owned(),
            };
            add_line(
                &mut text,
                format!("{}: {} {} -> {}", outcome.id, change.name, word(&change.from), word(&change.to)),
            );
        }
        for node in &outcome.nodes {
            add_line(&mut text, node_line(node));
        }
        let of_sla = outcome.sla_changes.iter().map(sla_row);
        let rows: Vec<Vec<String>> = outcome.actions.iter().map(row).chain(of_sla).collect();
        if !rows.is_empty() {
            text.push_str(&table::render(&COLUMNS, &rows, layout));
        }
        add_unlisted(&mut text, outcome);
    }
    text
}

/// Says how many actions changed when the table has only the first of them.
fn add_unlisted(text: &mut String, outcome: &Outcome) {
    let (listed, total) = (outcome.actions.len() as u64, outcome.action_counts.total());
    if total <= listed {
        return;
    }
    let counts = outcome.action_counts.0.iter().map(|count| {
        let now = count.status.as_deref().unwrap_or("deleted");
        format!("{} {} -> {now}", count.count, count.former_status)
    });
    add_line(text, format!("and {} more; in all {}", total - listed, counts.collect::<Vec<_>>().join(", ")));
}

fn node_line(node: &NodeChange) -> String {
    match &node.work {
        NodeWork::Attempt { attempt } => format!("{}: its attempt {attempt} is requested to end", node.id),
        NodeWork::SubWorkflow { external_id } => format!("{}: its sub-workflow {external_id} is killed", node.id),
    }
}

fn row(action: &ActionChange) -> Vec<String> {
    let now = action.status.clone().unwrap_or_else(|| "deleted".to_owned());
    vec![action.id.clone(), action.nominal_time.clone(), action.former_status.clone(), now]
}

fn sla_row(change: &SlaChange) -> Vec<String> {
    vec![change.id.clone(), change.nominal_time.clone(), change.from.clone(), change.to.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_engine::apply::outcome::{ActionCounts, Change};
    use howdah_words::error::{Error, ErrorCode};

    fn outcome() -> Outcome {
        let action = |number: u32, status: Option<&str>| ActionChange {
            id: format!("0000000-1-oozie-oozi-C@{number}"),
            action_number: number,
            nominal_time: "2026-01-01T00:00Z".to_owned(),
            former_status: "WAITING".to_owned(),
            status: status.map(str::to_owned),
        };
        let text = |text: &str| Some(text.to_owned());
        Outcome {
            id: "0000000-1-oozie-oozi-C".to_owned(),
            changes: vec![
                Change { name: "status", from: text("RUNNING"), to: text("PAUSED") },
                Change { name: "pauseTime", from: None, to: text("2026-01-01T00:00Z") },
            ],
            actions: vec![action(3, Some("KILLED")), action(4, None)],
            action_counts: ActionCounts::default(),
            nodes: Vec::new(),
            sla_changes: Vec::new(),
            coordinators: Vec::new(),
            notes: vec!["a note".to_owned()],
            not_done: Some(Error::new(ErrorCode::E1020, "x")),
            refused: None,
        }
    }

    #[test]
    fn a_person_reads_lines_and_a_table() {
        let wide = Layout { width: Some(80), colour: false };
        insta::assert_snapshot!(render(&[outcome()], Effect::DryRun, wide));
        assert_eq!(render(&[], Effect::Stored, wide), "");
    }

    #[test]
    fn a_node_has_one_line_that_names_it() {
        let check = |work: NodeWork, line: &str, program: &str| {
            let [id, name, status] = ["0000000-1-oozie-oozi-W@a-b_c", "a-b_c", "RUNNING"].map(str::to_owned);
            let node = NodeChange { id, name, status, work };
            assert_eq!(node_line(&node), format!("0000000-1-oozie-oozi-W@a-b_c: {line}"));
            assert!(json!(node).to_string().contains(program), "{node:?}");
        };
        check(NodeWork::Attempt { attempt: 2 }, "its attempt 2 is requested to end", r#""attempt":2"#);
        let child = NodeWork::SubWorkflow { external_id: "0000001-1-oozie-oozi-W".to_owned() };
        check(child, "its sub-workflow 0000001-1-oozie-oozi-W is killed", r#""externalId":"0000001-1-oozie-oozi-W""#);
    }

    #[test]
    fn a_program_reads_one_document() {
        insta::assert_snapshot!(json::text(&document(&[outcome()], Effect::Stored)));
    }
}

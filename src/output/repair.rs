//! What a rerun of many actions and workflow jobs does: a line for each job, the outputs, or one JSON document.

use serde_json::{Value, json};

use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::text::{add_line, aside};
use crate::output::visible::visible;
use crate::output::{diagnostic, json, outcome, rerun};
use howdah_engine::apply::outcome::{NO_STATUS, Outcome};
use howdah_engine::verbs::repair::RepairPlan;
use howdah_engine::verbs::repair::abandon::Loss;
use howdah_words::error::{Error, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::row::RepairStep;

/// How many actions of a job are named.
const MOST_NAMED: usize = 5;

/// Shows a plan before it is carried out: its jobs and actions, and the outputs that are deleted.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn list(plan: &RepairPlan, effect: Effect) -> Result<()> {
    let mut text = String::new();
    let would = if effect == Effect::DryRun { "would run" } else { "are to run" };
    let all = plan.actions() + plan.workflow_jobs();
    let verb = if all == 1 { would.replace("are", "is") } else { would.to_owned() };
    match all {
        0 => add_line(&mut text, format!("No action {}.", would.replace("are", "is"))),
        _ => add_line(&mut text, format!("{} {verb}:", subjects(plan))),
    }
    plan.outcomes.iter().filter_map(|outcome| line(plan, outcome)).for_each(|line| add_line(&mut text, line));
    Screen::open().write(text)?;
    rerun::list(&plan.outputs, effect)
}

/// Returns how many actions and workflow jobs run: `2 actions of 1 job and 3 workflow jobs`.
fn subjects(plan: &RepairPlan) -> String {
    let jobs = plan.outcomes.iter().filter(|outcome| !outcome.actions.is_empty()).count();
    let actions = format!("{} of {}", number_of(plan.actions(), "action"), number_of(jobs, "job"));
    let workflows = number_of(plan.workflow_jobs(), "workflow job");
    match (plan.actions(), plan.workflow_jobs()) {
        (_, 0) => actions,
        (0, _) => workflows,
        _ => format!("{actions} and {workflows}"),
    }
}

/// Returns the actions of one job in one line: `  NAME (ID): 7 actions (@1, @2, @3, @4, @5, ...), T to T`; or of a
/// workflow job its status and how often it was rerun: `  NAME (ID): KILLED, run 0`.
fn line(plan: &RepairPlan, outcome: &Outcome) -> Option<String> {
    if outcome.actions.is_empty() {
        return workflow_line(plan, outcome);
    }
    let (first, last) = (outcome.actions.first()?, outcome.actions.last()?);
    let total = usize::try_from(outcome.action_counts.total()).unwrap_or(usize::MAX);
    let mut named: Vec<String> =
        outcome.actions.iter().take(MOST_NAMED).map(|action| format!("@{}", action.action_number)).collect();
    if total > named.len() {
        named.push("...".to_owned());
    }
    let until = match total {
        1 => String::new(),
        more if more > outcome.actions.len() => " and later".to_owned(),
        _ => format!(" to {}", last.nominal_time),
    };
    let (job, actions) = (job(plan, outcome), number_of(total, "action"));
    Some(format!("  {job}: {actions} ({}), {}{until}", named.join(", "), first.nominal_time))
}

fn workflow_line(plan: &RepairPlan, outcome: &Outcome) -> Option<String> {
    let before = |name: &str| outcome.changes.iter().find(|change| change.name == name)?.from.clone();
    let (status, run) = (before("status")?, before("run")?);
    Some(format!("  {}: {status}, run {run}", job(plan, outcome)))
}

/// Returns the name and the id of a job; of one that will be created the name alone.
fn job(plan: &RepairPlan, outcome: &Outcome) -> String {
    let id = visible(&outcome.id);
    plan.names.get(&outcome.id).map_or_else(|| format!("{id} (new)"), |name| format!("{} ({id})", visible(name)))
}

/// A plan and what was done of it, or with a dry run would be.
pub(crate) struct Done {
    pub(crate) plan: RepairPlan,
    pub(crate) outcomes: Vec<Outcome>,
}

/// Prints one document of all plans, with the problems of those of which nothing was done.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(all: &[Done], problems: &[Error], effect: Effect) -> Result<()> {
    let outcomes: Vec<Outcome> = all.iter().flat_map(|done| done.outcomes.iter().cloned()).collect();
    let mut document = outcome::document(&outcomes, effect);
    document["cleanup"] = all.iter().flat_map(|done| &done.plan.outputs).map(rerun::as_json).collect();
    document["notes"] = all.iter().flat_map(|done| &done.plan.draft.notes).map(|note| json!(note)).collect();
    add_problems(&mut document, problems);
    json::print(&mut Screen::open(), &document)
}

fn add_problems(document: &mut Value, problems: &[Error]) {
    if !problems.is_empty() {
        document["problems"] = problems.iter().map(diagnostic::as_json).collect();
    }
}

/// Prints the document of interrupted reruns that are forgotten: how many actions and workflow jobs they have left,
/// what they have deleted, and the problems of those that stay.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn forgotten((steps, loss): (&[RepairStep], &Loss), problems: &[Error], effect: Effect) -> Result<()> {
    let mut document = outcome::document(&[], effect);
    let workflows = steps.iter().filter(|step| step.workflow_job.is_some()).count();
    document["forgotten"] = json!({ "actions": steps.len() - workflows, "workflowJobs": workflows });
    document["lost"] = json!({ "actions": loss.actions, "outputs": loss.outputs, "isAtMost": loss.is_at_most });
    add_problems(&mut document, problems);
    json::print(&mut Screen::open(), &document)
}

/// Returns how many actions wait now: those that were reset, and those that were created.
fn waiting(outcomes: &[Outcome]) -> String {
    let counts = || outcomes.iter().flat_map(|outcome| &outcome.action_counts.0);
    let sum = |is_new: bool| -> u32 {
        counts().filter(|count| (count.former_status == NO_STATUS) == is_new).map(|count| count.count).sum()
    };
    let words = |number: u32| number_of(usize::try_from(number).unwrap_or(usize::MAX), "action");
    match (sum(false), sum(true)) {
        (0, 0) => "Nothing is left to do.".to_owned(),
        (again, 0) => format!("Waiting again: {}.", words(again)),
        (0, new) => format!("Created: {}.", words(new)),
        (again, new) => format!("Waiting again: {}; created: {}.", words(again), words(new)),
    }
}

/// Shows what was done, or with a dry run would be; the plan itself was listed before.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn show(Done { plan, outcomes }: &Done, effect: Effect, form: Form) -> Result<()> {
    if form == Form::Text {
        let notes = outcomes.iter().flat_map(|outcome| &outcome.notes).chain(&plan.draft.notes);
        notes.for_each(|note| aside(&diagnostic::plain(&format!("note: {note}"))));
    }
    let refused: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.refused.clone()).collect();
    diagnostic::explain(&refused);
    let mut text = String::new();
    if effect == Effect::DryRun {
        add_line(&mut text, "Dry run: nothing is done.");
    } else if form == Form::Text {
        let done: u64 = outcomes.iter().map(|outcome| outcome.action_counts.total()).sum();
        let is_again = |outcome: &&Outcome| outcome.changes.iter().any(|change| change.name == "run");
        let workflows = outcomes.iter().filter(is_again).count();
        if done > 0 || workflows == 0 {
            add_line(&mut text, waiting(outcomes));
        }
        if workflows > 0 {
            add_line(&mut text, format!("Running again: {}.", number_of(workflows, "workflow job")));
        }
    }
    Screen::open().write(text)
}

/// Shows which outputs an interrupted rerun has deleted; nothing when it has deleted none.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn loss(loss: &Loss) -> Result<()> {
    if loss.outputs == 0 {
        return Ok(());
    }
    let mut named: Vec<String> = loss.actions.iter().take(MOST_NAMED).map(|name| visible(name)).collect();
    if loss.actions.len() > named.len() {
        named.push(format!("{} more", loss.actions.len() - named.len()));
    }
    let outputs = number_of(usize::try_from(loss.outputs).unwrap_or(usize::MAX), "output");
    let (up_to, actions) = (if loss.is_at_most { "Up to " } else { "" }, number_of(loss.actions.len(), "action"));
    let named = named.join(", ");
    let mut text = String::new();
    add_line(&mut text, format!("{up_to}{outputs} of {actions} that do not run again are deleted already: {named}"));
    Screen::open().write(text)
}

/// Returns a number with its noun, such as `1 job` or `2 jobs`.
pub(crate) fn number_of(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

//! The plan of `apply`, and what was done.

use serde_json::{Value, json};

use crate::output::screen::Screen;
use crate::output::text::add_line;
use crate::output::{diagnostic, json, text, update};
use howdah_engine::format::time;
use howdah_engine::verbs::desired::{Item, Manner, Replacement, Step, Wanted};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};

/// A plan and what it was made from.
pub(crate) struct Shown<'a> {
    pub(crate) items: &'a [Item],
    pub(crate) wanted: &'a [Wanted],
    pub(crate) manner: &'a Manner,
}

/// Prints the plan: a line for each job, below it what differs, and at the end how many jobs need what.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn plan(shown: &Shown<'_>) -> Result<()> {
    let mut text = String::new();
    for item in shown.items {
        add_step(&mut text, (&item.key.name, &item.step), file(item, shown), shown.manner);
    }
    add_line(&mut text, total(shown));
    Screen::open().write(text)
}

/// Adds what is done about a job; `file` describes a new one.
fn add_step(text: &mut String, (name, step): (&str, &Step), file: String, manner: &Manner) {
    let line = format!("{:<10} {name}: {}", word(step), explained(step, file, manner));
    add_line(text, diagnostic::plain(line.trim_end()));
    let differences = match step {
        Step::Update(revision) => update::rendered(&revision.update),
        Step::Replace(replacement) => compared(replacement, manner.actions),
        Step::Bundle(change) => {
            let mut members = String::new();
            for (name, step) in &change.members {
                add_step(&mut members, (name, step), String::new(), manner);
            }
            members
        }
        Step::Submit | Step::Unchanged(_) | Step::Ended(..) | Step::Gone(_) => return,
    };
    for line in differences.lines() {
        add_line(text, format!("    {line}").trim_end());
    }
}

/// Prints what was done about one job.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn done(item: &Item, job: &JobId) -> Result<()> {
    let name = diagnostic::plain(&item.key.name);
    text::line(&match &item.step {
        Step::Submit => format!("submitted {name}: {job}"),
        Step::Update(_) | Step::Bundle(_) => format!("updated {name}: {job}"),
        Step::Replace(replacement) => format!("replaced {name}: {job} continues {}", replacement.job.id),
        Step::Gone(_) => format!("killed {name}: {job}"),
        Step::Unchanged(_) | Step::Ended(..) => format!("unchanged {name}: {job}"),
    })
}

/// Prints the plan as one document, with the jobs that there are now.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn document(shown: &Shown<'_>, jobs: &[Option<String>], effect: Effect) -> Result<()> {
    let to_do = shown.items.iter().filter(|item| item.is_to_do(shown.manner)).count();
    let items: Vec<Value> = shown
        .items
        .iter()
        .enumerate()
        .map(|(index, item)| view(item, shown, jobs.get(index).and_then(Option::as_deref)))
        .collect();
    json::print(&mut Screen::open(), &json!({ "dryRun": effect == Effect::DryRun, "toDo": to_do, "jobs": items }))
}

fn word(step: &Step) -> &'static str {
    match step {
        Step::Submit => "new",
        Step::Update(_) | Step::Bundle(_) => "changed",
        Step::Replace(_) => "replaced",
        Step::Unchanged(_) | Step::Ended(..) => "unchanged",
        Step::Gone(_) => "gone",
    }
}

fn explained(step: &Step, file: String, manner: &Manner) -> String {
    match step {
        Step::Submit => file,
        Step::Bundle(change) => change.job.id.to_string(),
        Step::Update(revision) => match revision.new_end {
            None => revision.job.id.to_string(),
            Some(end) => format!("{}, with the new end {}", revision.job.id, time(end)),
        },
        Step::Replace(replacement) => {
            let Replacement { job, from: (number, nominal), why, .. } = &**replacement;
            let at = time(*nominal);
            let end = if job.status.is_terminal() { "" } else { " ends there" };
            format!("a new job begins with action {number} at {at}, {}{end} ({why})", job.id)
        }
        Step::Unchanged(job) => job.to_string(),
        Step::Ended(job, why) => format!("{job} stays as it is: {why}"),
        Step::Gone(job) if manner.prune => format!("{job} is killed"),
        Step::Gone(job) => format!("{job} continues; --prune kills it"),
    }
}

fn file(item: &Item, shown: &Shown<'_>) -> String {
    let wanted = item.wanted.and_then(|index| shown.wanted.get(index));
    wanted.map(|wanted| wanted.file.display().to_string()).unwrap_or_default()
}

fn compared(replacement: &Replacement, most: u32) -> String {
    let mut text = String::new();
    update::add_actions(&mut text, (replacement.compared, most), &replacement.actions);
    text
}

fn total(shown: &Shown<'_>) -> String {
    let to_do = shown.items.iter().filter(|item| item.is_to_do(shown.manner)).count();
    if to_do == 0 {
        return "Nothing is to be done.".to_owned();
    }
    let of = |wanted: &str| shown.items.iter().filter(|item| word(&item.step) == wanted).count();
    let words = ["new", "changed", "replaced", "unchanged", "gone"];
    let counts = words.map(|word| (of(word), word)).into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
    format!("{}.", counts.join(", "))
}

fn view(item: &Item, shown: &Shown<'_>, job: Option<&str>) -> Value {
    let kind = match item.kind {
        JobKind::Coordinator => "coordinator",
        JobKind::Workflow => "workflow",
        JobKind::Bundle => "bundle",
    };
    let mut view = json!({
        "name": item.key.name,
        "kind": kind,
        "change": word(&item.step),
        "toDo": item.is_to_do(shown.manner),
        "properties": item.wanted.map(|_| file(item, shown)),
        "before": before(&item.step),
        "id": job.or(match &item.step {
            Step::Unchanged(job) | Step::Ended(job, _) => Some(job.as_str()),
            _ => None,
        }),
    });
    add_change(&mut view, &item.step, shown.manner);
    view
}

/// Returns the job that there was before.
fn before(step: &Step) -> Option<&str> {
    match step {
        Step::Submit => None,
        Step::Update(revision) => Some(revision.job.id.as_str()),
        Step::Replace(replacement) => Some(replacement.job.id.as_str()),
        Step::Bundle(change) => Some(change.job.id.as_str()),
        Step::Unchanged(job) | Step::Ended(job, _) | Step::Gone(job) => Some(job.as_str()),
    }
}

/// Adds what differs.
fn add_change(view: &mut Value, step: &Step, manner: &Manner) {
    match step {
        Step::Update(revision) => {
            view["update"] = update::document(&revision.update);
            view["newEnd"] = json!(revision.new_end.map(time));
        }
        Step::Replace(replacement) => {
            view["firstAction"] = json!(replacement.from.0);
            view["nominalTime"] = json!(time(replacement.from.1));
            view["why"] = json!(replacement.why);
            view["actions"] = replacement.actions.iter().map(update::action).collect();
        }
        Step::Ended(_, why) => view["why"] = json!(why),
        Step::Bundle(change) => {
            let member = |(name, step): &(String, Step)| {
                let mut view = json!({
                    "name": name,
                    "change": word(step),
                    "toDo": step.is_to_do(manner),
                    "before": before(step),
                });
                add_change(&mut view, step, manner);
                view
            };
            view["coordinators"] = change.members.iter().map(member).collect();
        }
        Step::Submit | Step::Unchanged(_) | Step::Gone(_) => {}
    }
}

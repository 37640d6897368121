//! The plan of `apply`, and what was done.

use serde_json::{Value, json};

use crate::engine::format::time;
use crate::engine::verbs::desired::{Item, Manner, Replacement, Step, Wanted};
use crate::error::Result;
use crate::model::effect::Effect;
use crate::model::id::{JobId, JobKind};
use crate::output::screen::Screen;
use crate::output::text::add_line;
use crate::output::{diagnostic, json, text, update};

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
        let line = format!("{:<10} {}: {}", word(item), item.key.name, explained(item, shown));
        add_line(&mut text, diagnostic::plain(line.trim_end()));
        let differences = match &item.step {
            Step::Update(update, _) => update::rendered(update),
            Step::Replace(replacement) => compared(replacement),
            Step::Submit | Step::Unchanged(_) | Step::Gone(_) => continue,
        };
        for line in differences.lines() {
            add_line(&mut text, format!("    {line}").trim_end());
        }
    }
    add_line(&mut text, total(shown));
    Screen::open().write(text)
}

/// Prints what was done about one job.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn done(item: &Item, job: &JobId) -> Result<()> {
    let name = diagnostic::plain(&item.key.name);
    text::line(&match &item.step {
        Step::Submit => format!("submitted {name}: {job}"),
        Step::Update(..) => format!("updated {name}: {job}"),
        Step::Replace(replacement) => format!("replaced {name}: {job} continues {}", replacement.job.id),
        Step::Gone(_) => format!("killed {name}: {job}"),
        Step::Unchanged(_) => format!("unchanged {name}: {job}"),
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

fn word(item: &Item) -> &'static str {
    match &item.step {
        Step::Submit => "new",
        Step::Update(..) => "changed",
        Step::Replace(_) => "replaced",
        Step::Unchanged(_) => "unchanged",
        Step::Gone(_) => "gone",
    }
}

fn explained(item: &Item, shown: &Shown<'_>) -> String {
    match &item.step {
        Step::Submit => file(item, shown),
        Step::Update(update, None) => update.job.to_string(),
        Step::Update(update, Some(end)) => format!("{}, with the new end {}", update.job, time(*end)),
        Step::Replace(replacement) => {
            let Replacement { job, from: (number, nominal), why, .. } = &**replacement;
            let at = time(*nominal);
            let end = if job.status.is_terminal() { "" } else { " ends there" };
            format!("a new job begins with action {number} at {at}, {}{end} ({why})", job.id)
        }
        Step::Unchanged(job) => job.to_string(),
        Step::Gone(job) if shown.manner.prune => format!("{job} is killed"),
        Step::Gone(job) => format!("{job} continues; --prune kills it"),
    }
}

fn file(item: &Item, shown: &Shown<'_>) -> String {
    let wanted = item.wanted.and_then(|index| shown.wanted.get(index));
    wanted.map(|wanted| wanted.file.display().to_string()).unwrap_or_default()
}

fn compared(replacement: &Replacement) -> String {
    let mut text = String::new();
    update::add_actions(&mut text, replacement.compared, &replacement.actions);
    text
}

fn total(shown: &Shown<'_>) -> String {
    let to_do = shown.items.iter().filter(|item| item.is_to_do(shown.manner)).count();
    if to_do == 0 {
        return "Nothing is to be done.".to_owned();
    }
    let of = |wanted: &str| shown.items.iter().filter(|item| word(item) == wanted).count();
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
    let before = match &item.step {
        Step::Submit => None,
        Step::Update(update, _) => Some(update.job.as_str()),
        Step::Replace(replacement) => Some(replacement.job.id.as_str()),
        Step::Unchanged(job) | Step::Gone(job) => Some(job.as_str()),
    };
    let mut view = json!({
        "name": item.key.name,
        "kind": kind,
        "change": word(item),
        "toDo": item.is_to_do(shown.manner),
        "properties": item.wanted.map(|_| file(item, shown)),
        "before": before,
        "id": job.or(match &item.step { Step::Unchanged(job) => Some(job.as_str()), _ => None }),
    });
    match &item.step {
        Step::Update(planned, end) => {
            view["update"] = update::document(planned);
            view["newEnd"] = json!(end.map(time));
        }
        Step::Replace(replacement) => {
            view["firstAction"] = json!(replacement.from.0);
            view["nominalTime"] = json!(time(replacement.from.1));
            view["why"] = json!(replacement.why);
            view["actions"] = replacement.actions.iter().map(update::action).collect();
        }
        Step::Submit | Step::Unchanged(_) | Step::Gone(_) => {}
    }
    view
}

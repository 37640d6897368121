//! What an update changes: hunks of the definition and of the properties under Oozie's banners, then the changed
//! actions, or one JSON document.

use serde_json::{Value, json};

use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::text::{add_line, aside};
use crate::output::{cells, diagnostic, json};
use howdah_engine::verbs::update::{ActionChange, Aspect, Change, Update};
use howdah_words::error::{Error, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;

/// Columns up to which an old and a new value are on one line.
const ONE_LINE: usize = 100;

/// A job that was not updated, and why.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) job: JobId,
    pub(crate) errors: Vec<Error>,
}

/// Shows what updates changed, or with a dry run would change; problems go to standard error, or into the document.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn show(results: &[Result<Update, Refused>], (effect, form): (Effect, Form)) -> Result<()> {
    let mut screen = Screen::open();
    if form == Form::Json {
        let texts = results.iter().map(|result| json::text(&result.as_ref().map_or_else(refusal, document)));
        return screen.write(json::together(&texts.collect::<Vec<_>>()));
    }
    for result in results {
        match result {
            Ok(update) => show_one(&mut screen, update, (results.len(), form))?,
            Err(Refused { job, errors }) => {
                aside(&format!("{job} {} updated:", if effect == Effect::DryRun { "would not be" } else { "is not" }));
                diagnostic::explain(errors);
            }
        }
    }
    Ok(())
}

/// Shows one of several updates.
fn show_one(screen: &mut Screen, update: &Update, (number, form): (usize, Form)) -> Result<()> {
    if form == Form::Text || update.effect == Effect::DryRun {
        let heading = if number > 1 { format!("==> {} <==\n", update.job) } else { String::new() };
        screen.write(heading + &rendered(update))?;
    }
    if form == Form::Text {
        diagnostic::explain(&update.warnings);
        if let Some(why) = &update.unreadable {
            aside(&format!("note: the definition that {} has cannot be read any more: {why}", update.job));
        }
        aside(&format!("note: {}", verdict(update)));
    }
    Ok(())
}

fn refusal(refused: &Refused) -> Value {
    let problems: Vec<Value> = refused.errors.iter().map(diagnostic::as_json).collect();
    json!({ "coordJobId": refused.job.as_str(), "problems": problems })
}

/// Returns the result of the update, in one sentence.
fn verdict(update: &Update) -> String {
    let Update { job, version, effect, .. } = update;
    match (version, effect) {
        (None, _) => format!("{job} is unchanged: nothing differs, and nothing was stored"),
        (Some(version), Effect::Stored) => {
            format!("{job} has definition {version} now, for the actions that are created from now on")
        }
        (Some(version), Effect::DryRun) => {
            format!("{job} would have definition {version}; nothing was stored")
        }
    }
}

/// Returns everything that differs: the definition, the properties, the attributes and the next actions.
pub(crate) fn rendered(update: &Update) -> String {
    let mut text = differences(update);
    for (name, old, new) in &update.attributes {
        add_line(&mut text, diagnostic::plain(&format!("{name}: {old} -> {new}")));
    }
    if update.compared == 0 && update.unreadable.is_some() {
        add_line(&mut text, "the old definition cannot be read: no action was compared");
    } else {
        add_actions(&mut text, (update.compared, update.asked), &update.actions);
    }
    text
}

/// Returns the hunks of the definition and of the properties under Oozie's banners.
pub(crate) fn differences(update: &Update) -> String {
    let mut text = String::new();
    add_line(&mut text, "**********Job definition changes**********");
    for (file, hunks) in &update.definition {
        add_line(&mut text, format!("{}:", diagnostic::plain(file)));
        add_hunks(&mut text, hunks);
    }
    add_line(&mut text, "******************************************");
    add_line(&mut text, "**********Job conf changes****************");
    match &update.configuration {
        Some(hunks) => add_hunks(&mut text, hunks),
        None => add_line(&mut text, "No conf update requested"),
    }
    add_line(&mut text, "******************************************");
    text
}

fn add_hunks(text: &mut String, hunks: &str) {
    for line in hunks.lines() {
        add_line(text, diagnostic::plain(line));
    }
}

/// Adds the actions that change, those with the same changes together; nothing where none was to be compared.
pub(crate) fn add_actions(text: &mut String, (compared, asked): (u32, u32), actions: &[ActionChange]) {
    match (compared, actions.len()) {
        (0, _) if asked == 0 => return,
        (0, _) => return add_line(text, "no action is left to be created"),
        (_, 0) => return add_line(text, format!("the next {compared} actions stay as they are")),
        (_, changed) => add_line(text, format!("{changed} of the next {compared} actions change")),
    }
    for same in actions.chunk_by(|one, next| one.changes == next.changes) {
        let (Some(first), Some(last)) = (same.first(), same.last()) else { continue };
        add_line(text, "");
        if same.len() == 1 {
            add_line(text, format!("action {} at {}", first.number, first.nominal));
        } else {
            let (from, to) = (first.number, last.number);
            add_line(text, format!("actions {from} to {to}, from {} to {}", first.nominal, last.nominal));
        }
        for change in &first.changes {
            add_change(text, change);
        }
    }
}

fn add_change(text: &mut String, change: &Change) {
    let subject = match change.name.as_str() {
        "" => change.aspect.as_str().to_owned(),
        name => format!("{} {name}", change.aspect.as_str()),
    };
    let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "none".to_owned(), diagnostic::plain);
    let (old, new) = (shown(&change.old), shown(&change.new));
    let line = format!("  {subject}: {old} -> {new}");
    if cells::width(&line) <= ONE_LINE {
        return add_line(text, line);
    }
    add_line(text, format!("  {subject}:"));
    for (sign, value) in [('-', old), ('+', new)] {
        let is_list = matches!(change.aspect, Aspect::Input | Aspect::Output);
        let members: Vec<&str> = if is_list { value.split(',').collect() } else { vec![&value] };
        for member in members {
            add_line(text, format!("    {sign} {member}"));
        }
    }
}

/// Returns the update as a document.
pub(crate) fn document(update: &Update) -> Value {
    let file = |(name, hunks): &(String, String)| json!({ "file": name, "diff": hunks });
    let attribute = |(name, old, new): &(&'static str, String, String)| json!({ "name": name, "from": old, "to": new });
    json!({
        "coordJobId": update.job.as_str(),
        "dryRun": update.effect == Effect::DryRun,
        "definitionVersion": update.version,
        "definitionChanges": update.definition.iter().map(file).collect::<Vec<_>>(),
        "confChanges": update.configuration,
        "changes": update.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "comparedActions": update.compared,
        "actions": update.actions.iter().map(action).collect::<Vec<_>>(),
        "problems": update.warnings.iter().chain(&update.unreadable).map(diagnostic::as_json).collect::<Vec<_>>(),
    })
}

/// Returns the changes of one action as a document.
pub(crate) fn action(action: &ActionChange) -> Value {
    json!({
        "actionNumber": action.number,
        "nominalTime": action.nominal,
        "changes": action.changes.iter().map(change).collect::<Vec<_>>(),
    })
}

fn change(change: &Change) -> Value {
    let Change { name, old, new, .. } = change;
    json!({ "what": change.aspect.as_str(), "name": name, "from": old, "to": new })
}

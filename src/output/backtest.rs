//! The result of a backtest: a line with the counts, and what differs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::text::{add_line, block};
use crate::output::{diagnostic, json};
use howdah_move::backtest::{Explained, JobDifference, Report, Ruling};
use howdah_words::error::{Error, Result};

/// The most characters of a text that are shown to people.
const MOST_SHOWN: usize = 240;

/// The characters before the first difference that are shown.
const BEFORE: usize = 60;

/// Prints a report; problems go to standard error.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(report: &Report, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    match form {
        Form::Json => json::print(&mut screen, &document(report)),
        Form::Text | Form::Quiet => {
            diagnostic::explain(&report.problems);
            screen.write(render(report, form))
        }
    }
}

fn render(report: &Report, form: Form) -> String {
    let mut text = String::new();
    report.differences.iter().for_each(|difference| add_difference(&mut text, difference));
    if report.left_out > 0 {
        add_line(&mut text, format!("... and {} more differences\n", thousands(report.left_out)));
    }
    if form == Form::Text {
        add_rulings(&mut text, &report.rulings);
        if let Some(zone) = &report.zone {
            add_line(&mut text, format!("Zone of the dates: {zone}"));
        }
    }
    add_line(&mut text, summary(report));
    text
}

/// Returns the line with the counts.
fn summary(report: &Report) -> String {
    let mut counts = vec![format!("{} equal", thousands(report.equal))];
    if report.explained > 0 {
        let mut rulings: Vec<&str> = report.rulings.iter().map(|group| group.ruling.as_str()).collect();
        rulings.dedup();
        counts.push(format!("{} explained by {}", thousands(report.explained), rulings.join(", ")));
    }
    for (count, word) in [(report.different, "different"), (report.not_compared, "not compared")] {
        if count > 0 {
            counts.push(format!("{} {word}", thousands(count)));
        }
    }
    let (actions, jobs) = (counted(report.actions, "action"), counted(report.coordinators as u64, "coordinator"));
    format!("{actions} of {jobs}: {}", counts.join(", "))
}

/// Writes a number with its noun.
fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

fn add_difference(text: &mut String, found: &JobDifference) {
    let difference = &found.difference;
    let name = difference.name.as_ref().map(|name| format!(" [{name}]")).unwrap_or_default();
    add_line(text, format!("{}: {}{name}", id(found), difference.field.in_words()));
    add_texts(text, &difference.recorded, &difference.computed);
    text.push('\n');
}

/// Returns the id of the action, or of the job.
fn id(found: &JobDifference) -> String {
    found.number.map_or_else(|| found.job.clone(), |number| format!("{}@{number}", found.job))
}

fn add_texts(text: &mut String, recorded: &str, computed: &str) {
    let (recorded, computed) = shortened(recorded, computed);
    let lines = block(&[("Oozie", Some(shown(recorded))), ("howdah", Some(shown(computed)))]);
    lines.lines().for_each(|line| add_line(text, format!("  {line}")));
}

/// Returns a text, or words for an empty one.
fn shown(text: String) -> String {
    if text.is_empty() { "(empty)".to_owned() } else { text }
}

/// Returns two long texts around their first difference.
fn shortened(one: &str, other: &str) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let from =
        if one.chars().count().max(other.chars().count()) > MOST_SHOWN { same.saturating_sub(BEFORE) } else { 0 };
    let cut = |text: &str| {
        let mut kept: String = text.chars().skip(from).take(MOST_SHOWN).collect();
        if from > 0 {
            kept.insert_str(0, "...");
        }
        if text.chars().count() > from + MOST_SHOWN {
            kept.push_str("...");
        }
        kept
    };
    (cut(one), cut(other))
}

/// Adds one line for each ruling and job, and one example for each ruling.
fn add_rulings(text: &mut String, groups: &[Explained]) {
    let mut by_ruling: BTreeMap<Ruling, Vec<&Explained>> = BTreeMap::new();
    for group in groups {
        by_ruling.entry(group.ruling).or_default().push(group);
    }
    for (ruling, groups) in by_ruling {
        add_line(text, format!("{}: {}", ruling.as_str(), ruling.in_words()));
        for group in &groups {
            let name = group.name.as_ref().map(|name| format!(" [{name}]")).unwrap_or_default();
            let field = group.field.in_words();
            let actions = shortened(&group.actions, "").0;
            add_line(
                text,
                format!(
                    "  {} ({}): {field}{name} of {}: {actions}",
                    group.job,
                    group.job_name,
                    counted(group.count as u64, "action")
                ),
            );
        }
        if let Some(Explained { job, example, .. }) = groups.first() {
            add_line(text, format!("  for example {job}@{}:", example.number));
            let mut texts = String::new();
            add_texts(&mut texts, &example.recorded, &example.computed);
            texts.lines().for_each(|line| add_line(text, format!("  {line}")));
        }
        text.push('\n');
    }
}

/// Writes a number with commas.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

fn document(report: &Report) -> Value {
    json!({
        "actions": report.actions,
        "coordinators": report.coordinators,
        "equal": report.equal,
        "explained": report.explained,
        "different": report.different,
        "notCompared": report.not_compared,
        "timeZone": report.zone,
        "differences": report.differences.iter().map(difference).collect::<Vec<_>>(),
        "differencesLeftOut": report.left_out,
        "rulings": report.rulings.iter().map(explained).collect::<Vec<_>>(),
        "problems": report.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

fn difference(found: &JobDifference) -> Value {
    json!({
        "id": id(found),
        "coordJobId": found.job,
        "actionNumber": found.number,
        "field": found.difference.field,
        "name": found.difference.name,
        "recorded": found.difference.recorded,
        "computed": found.difference.computed,
    })
}

fn explained(group: &Explained) -> Value {
    json!({
        "ruling": group.ruling,
        "coordJobId": group.job,
        "coordJobName": group.job_name,
        "field": group.field,
        "name": group.name,
        "actions": group.actions,
        "actionCount": group.count,
        "example": {
            "actionNumber": group.example.number,
            "recorded": group.example.recorded,
            "computed": group.example.computed,
        },
    })
}

fn problem(error: &Error) -> Value {
    json!({ "code": error.code().as_str(), "message": error.message(), "help": error.help_text() })
}

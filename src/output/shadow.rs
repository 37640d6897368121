//! What the commands of a shadow print: the jobs that it follows, and how it compares with Oozie.

use std::path::Path;

use serde_json::{Value, json};

use crate::output::form::Form;
use crate::output::repair::number_of;
use crate::output::screen::Screen;
use crate::output::text::{add_line, block};
use crate::output::{diagnostic, json};
use howdah_engine::format::time;
use howdah_move::shadow::follow::Changed;
use howdah_move::shadow::{Folders, JobDifference, Report, Side};
use howdah_words::error::Result;
use howdah_words::model::row::CoordinatorJob;

/// Prints the jobs of a new shadow.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn created(jobs: &[CoordinatorJob], found: &Folders, (database, form): (&Path, Form)) -> Result<()> {
    let mut screen = Screen::open();
    if form == Form::Json {
        let job = |(job, shadowed): (&CoordinatorJob, &howdah_engine::submit::shadow::ShadowedJob)| {
            json!({ "id": job.id.as_str(), "oozieId": shadowed.oozie_id, "name": job.name,
                "nextNominalTime": shadowed.next.map(time), "openActions": shadowed.open.len() })
        };
        let left_out = |(folder, why): &(std::path::PathBuf, String)| json!({ "folder": folder, "reason": why });
        let jobs: Vec<Value> = jobs.iter().zip(&found.jobs).map(job).collect();
        let left_out: Vec<Value> = found.left_out.iter().map(left_out).collect();
        return json::print(&mut screen, &json!({ "jobs": jobs, "leftOut": left_out }));
    }
    let mut text = String::new();
    if form == Form::Text {
        for (job, shadowed) in jobs.iter().zip(&found.jobs) {
            let next = shadowed.next.map_or_else(
                || "no more actions".to_owned(),
                |next| format!("action {} at {}", shadowed.last_action + 1, time(next)),
            );
            let open = number_of(shadowed.open.len(), "open action");
            add_line(
                &mut text,
                diagnostic::plain(&format!("{} follows {} ({}): {next}, {open}", job.id, shadowed.oozie_id, job.name)),
            );
        }
        for (folder, why) in &found.left_out {
            add_line(&mut text, diagnostic::plain(&format!("{}: {why}", folder.display())));
        }
        let (jobs, place) = (number_of(jobs.len(), "coordinator"), database.display());
        add_line(&mut text, diagnostic::plain(&format!("{place} is a shadow of {jobs}: nothing in it starts.")));
    }
    screen.write(text)
}

/// Prints how many actions and jobs of a shadow changed.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn followed(changed: &Changed, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    let Changed { actions, jobs, problems } = changed;
    if form == Form::Json {
        let problems: Vec<Value> = problems.iter().map(diagnostic::as_json).collect();
        let document = json!({ "changedActions": actions, "changedJobs": jobs, "problems": problems });
        return json::print(&mut screen, &document);
    }
    diagnostic::explain(problems);
    let counts = [(*actions, "action"), (*jobs, "job")].into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> =
        counts.map(|(count, noun)| number_of(usize::try_from(count).unwrap_or(usize::MAX), noun)).collect();
    if form == Form::Quiet || counts.is_empty() {
        return Ok(());
    }
    screen.write(format!("{} changed as in Oozie.\n", counts.join(", ")))
}

/// Prints a comparison.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(report: &Report, (tolerance, form): (i64, Form)) -> Result<()> {
    let mut screen = Screen::open();
    if form == Form::Json {
        return json::print(&mut screen, &document(report, tolerance));
    }
    let mut text = String::new();
    report.differences.iter().for_each(|found| add_difference(&mut text, found));
    if report.left_out > 0 {
        add_line(&mut text, format!("... and {} more differences\n", report.left_out));
    }
    add_line(&mut text, summary(report));
    screen.write(text)
}

fn summary(report: &Report) -> String {
    let counts = [
        (report.different, "different"),
        (report.recent, "too recent to compare"),
        (report.stopped, "stopped by an operator"),
    ];
    let mut words = vec![format!("{} equal", report.equal)];
    words.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    let actions = number_of(usize::try_from(report.actions).unwrap_or(usize::MAX), "action");
    format!("{actions} of {}: {}", number_of(report.coordinators, "coordinator"), words.join(", "))
}

fn add_difference(text: &mut String, found: &JobDifference) {
    let JobDifference { oozie_id, number, found: difference, .. } = found;
    add_line(text, diagnostic::plain(&format!("{oozie_id}@{number}: {}", difference.field.in_words())));
    let lines = [("Oozie", Some(shown(&difference.oozie))), ("howdah", Some(shown(&difference.here)))];
    block(&lines).lines().for_each(|line| add_line(text, diagnostic::plain(&format!("  {line}"))));
    if let Some(reason) = &found.reason {
        add_line(text, diagnostic::plain(&format!("  {reason}")));
    }
    add_line(text, format!("  more: howdah explain {}@{number}\n", found.id));
}

fn shown(side: &Side) -> String {
    let Some(status) = &side.status else { return "not created".to_owned() };
    let at = side.at.map(|at| format!(" since {}", time(at))).unwrap_or_default();
    let note = side.note.as_ref().map(|note| format!(", {note}")).unwrap_or_default();
    format!("{status}{at}{note}")
}

fn document(report: &Report, tolerance: i64) -> Value {
    json!({
        "actions": report.actions,
        "coordinators": report.coordinators,
        "equal": report.equal,
        "different": report.different,
        "tooRecent": report.recent,
        "stopped": report.stopped,
        "toleranceMinutes": tolerance,
        "comparedUntil": report.horizon.map(time),
        "differences": report.differences.iter().map(difference).collect::<Vec<_>>(),
        "differencesLeftOut": report.left_out,
        "problems": report.problems.iter().map(diagnostic::as_json).collect::<Vec<_>>(),
    })
}

fn difference(found: &JobDifference) -> Value {
    let side = |side: &Side| json!({ "status": side.status, "time": side.at.map(time), "note": side.note });
    json!({
        "coordJobId": found.oozie_id,
        "actionNumber": found.number,
        "id": format!("{}@{}", found.id, found.number),
        "field": found.found.field,
        "oozie": side(&found.found.oozie),
        "howdah": side(&found.found.here),
        "reason": found.reason,
    })
}

//! The report of an import: the jobs, what they use, and what is missing.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::output::form::Form;
use crate::output::repair::number_of;
use crate::output::screen::Screen;
use crate::output::text::add_line;
use crate::output::{diagnostic, json};
use howdah_engine::format::time;
use howdah_move::import::{Import, ImportedJob, Missing};
use howdah_words::error::Result;
use howdah_words::model::id::JobKind;

/// Prints the report; `names` are the folders of the jobs.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(import: &Import, names: &[String], (to, form): (Option<&Path>, Form)) -> Result<()> {
    let mut screen = Screen::open();
    if form == Form::Json {
        return json::print(&mut screen, &document(import, names));
    }
    let mut text = String::new();
    for (job, name) in import.jobs.iter().zip(names) {
        add_job(&mut text, job, name);
    }
    add_missing(&mut text, &import.jobs);
    add_total(&mut text, import, to);
    screen.write(text)
}

fn word(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Coordinator => "coordinator",
        JobKind::Workflow => "workflow",
        JobKind::Bundle => "bundle",
    }
}

fn add_job(text: &mut String, job: &ImportedJob, name: &str) {
    let state = &job.state;
    let mut parts = vec![word(job.kind).to_owned()];
    parts.extend(state.status.clone());
    if !state.user.is_empty() {
        parts.push(format!("user {}", state.user));
    }
    let number = state.last_action.map(|last| format!(" (action {})", last.saturating_add(1))).unwrap_or_default();
    parts.extend(state.next.map(|next| format!("next {}{number}", time(next))));
    let open = state.open.len();
    if open > 0 {
        parts.push(format!("{open} open action{}", if open == 1 { "" } else { "s" }));
    }
    add_line(text, diagnostic::plain(&format!("{name}: {}", parts.join(", "))));
    let lists = [("stores", &job.uses.stores), ("actions", &job.uses.actions), ("credentials", &job.uses.credentials)];
    if let Some(workflow) = &job.uses.workflow {
        add_line(text, diagnostic::plain(&format!("  workflow: {workflow}")));
    }
    for (label, words) in lists.iter().filter(|(_, words)| !words.is_empty()) {
        add_line(text, diagnostic::plain(&format!("  {label}: {}", words.join(", "))));
    }
}

/// Each missing thing once, with the number of jobs that need it.
fn add_missing(text: &mut String, jobs: &[ImportedJob]) {
    let mut counts: BTreeMap<&Missing, usize> = BTreeMap::new();
    for missing in jobs.iter().flat_map(|job| &job.missing) {
        *counts.entry(missing).or_default() += 1;
    }
    if counts.is_empty() {
        return;
    }
    add_line(text, "\nMissing on this machine:");
    let mut sorted: Vec<(&Missing, usize)> = counts.into_iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (missing, count) in sorted {
        let jobs = if count == 1 { "1 job".to_owned() } else { format!("{count} jobs") };
        add_line(text, diagnostic::plain(&format!("  {} ({jobs})", missing.what)));
        if !missing.fix.is_empty() {
            add_line(text, diagnostic::plain(&format!("    {}", missing.fix)));
        }
    }
}

fn add_total(text: &mut String, import: &Import, to: Option<&Path>) {
    let count = |kind| import.jobs.iter().filter(|job| job.kind == kind).count();
    let (coordinators, bundles, workflows) =
        (count(JobKind::Coordinator), count(JobKind::Bundle), count(JobKind::Workflow));
    let others = match import.other_zones {
        0 => String::new(),
        others => format!(" ({others} other zones had the same offsets)"),
    };
    let zone = import.zone.as_ref().map(|zone| format!("; the dates of the export are in {zone}{others}"));
    let zone = zone.unwrap_or_default();
    let counts = [(coordinators, "coordinator"), (bundles, "bundle"), (workflows, "workflow")];
    let counts = counts.map(|(count, noun)| number_of(count, noun)).join(", ");
    add_line(text, format!("\n{counts}{zone}."));
    let stay = import.workflows.len();
    if stay > 0 {
        let stay = number_of(stay, "workflow job");
        add_line(text, format!("{stay} submitted without a coordinator run in Oozie, and stay there."));
    }
    if let Some(folder) = to {
        add_line(text, diagnostic::plain(&format!("Their files are in {}; nothing was submitted.", folder.display())));
    }
}

fn document(import: &Import, names: &[String]) -> Value {
    let jobs: Vec<Value> = import.jobs.iter().zip(names).map(|(job, name)| view(job, name)).collect();
    json!({
        "jobs": jobs,
        "runningWorkflows": import.workflows,
        "zone": import.zone,
        "otherZones": import.other_zones,
        "problems": import.problems.iter().map(diagnostic::as_json).collect::<Vec<_>>(),
    })
}

fn view(job: &ImportedJob, name: &str) -> Value {
    let state = &job.state;
    let missing = |missing: &Missing| json!({ "what": missing.what, "fix": missing.fix });
    json!({
        "folder": name,
        "kind": word(job.kind),
        "id": state.id,
        "name": state.name,
        "user": state.user,
        "status": state.status,
        "bundleId": state.bundle,
        "lastActionNumber": state.last_action,
        "nextNominalTime": state.next.map(time),
        "endTime": state.end.map(time),
        "pauseTime": state.pause.map(time),
        "openActions": state.open.iter().map(|open| json!({ "actionNumber": open.number, "status": open.status }))
            .collect::<Vec<_>>(),
        "applicationPath": state.application,
        "workflowPath": job.uses.workflow,
        "stores": job.uses.stores,
        "actions": job.uses.actions,
        "credentials": job.uses.credentials,
        "missing": job.missing.iter().map(missing).collect::<Vec<_>>(),
    })
}

//! What a bundle job would do, for people and for other programs.

use serde_json::{Value, json};

use super::{push_line, push_properties};
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{diagnostic, json};
use howdah_answers::check::dryrun::{DryBundle, DryBundleCoordinator};
use howdah_words::error::{Error, Result};

/// Writes what a bundle job would do, with the problems that do not refuse it.
///
/// # Errors
/// H0111 when standard output cannot take it.
pub(crate) fn bundle(bundle: &DryBundle, problems: &[Error], form: Form) -> Result<()> {
    if form != Form::Json {
        Screen::open().write(text(bundle))?;
        diagnostic::accompany(problems, form);
        return Ok(());
    }
    let problems: Vec<Value> = diagnostic::in_order(problems).into_iter().map(diagnostic::as_json).collect();
    json::print(&mut Screen::open(), &json!({ "bundle": bundle, "problems": problems }))
}

fn text(bundle: &DryBundle) -> String {
    let mut out = String::new();
    push_line(&mut out, &format!("{:<12} {}", "bundle", bundle.name));
    push_line(&mut out, &format!("{:<12} {}", "path", bundle.path));
    let kick_off = bundle.kick_off.as_deref().unwrap_or("at once");
    push_line(&mut out, &format!("{:<12} {kick_off}", "kick-off"));
    out.push_str("\nconfiguration of the job, which every coordinator gets\n");
    push_properties(&mut out, &bundle.configuration);
    for coordinator in &bundle.coordinators {
        push_coordinator(&mut out, coordinator);
    }
    out
}

fn push_coordinator(out: &mut String, coordinator: &DryBundleCoordinator) {
    let state = match (&coordinator.job, coordinator.enabled) {
        (_, false) => "  not enabled: it is not submitted",
        (None, true) => "  cannot be submitted as it is now",
        (Some(_), true) => "",
    };
    out.push('\n');
    push_line(out, &format!("coordinator  {}{state}", coordinator.name));
    push_line(out, &format!("  {:<10} {}", "path", coordinator.path));
    if let Some(job) = &coordinator.job {
        let frequency = format!("{} {} ({})", job.frequency, job.time_unit, job.clock);
        for (name, value) in [("frequency", &frequency), ("start", &job.start), ("end", &job.end)] {
            push_line(out, &format!("  {name:<10} {value}"));
        }
    }
}

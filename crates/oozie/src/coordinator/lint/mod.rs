//! Warnings about an application that Oozie accepts but that looks wrong (W0109 to W0125).
//!
//! Works on an [`Outline`], so it needs no properties, and warns of nothing that some property could correct. Bounds:
//! it checks the first `SAMPLED_ACTIONS` actions of `MOST_OUTPUTS` outputs and the end of the job, never expands a
//! range, and searches clock changes in one year. Must not refuse anything.

pub mod bounds;
mod clocks;
mod inputs;
mod instances;
mod outputs;
mod sla;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::BTreeSet;

use crate::coordinator::outline::Outline;
use crate::coordinator::phase::JobScope;
use howdah_words::error::{Error, ErrorCode, Location, Suggestions};

pub use clocks::clock_changes;
pub use texts::document_warnings;

/// Returns the warnings about an application, W0110 to W0115 and W0121 to W0123, each at its place.
pub fn warnings(outline: &Outline, job: JobScope<'_>) -> Vec<Error> {
    let mut warnings = Vec::new();
    warnings.extend(no_action(outline));
    warnings.extend(texts::days_of_week(outline));
    warnings.extend(clocks::cron_zone(outline));
    warnings.extend(concurrency_above_throttle(outline));
    warnings.extend(instances::warnings(outline, job));
    warnings.extend(inputs::warnings(outline, job));
    warnings.extend(outputs::warnings(outline, job));
    warnings.extend(sla::warnings(outline));
    warnings
}

/// Returns W0109 for each variable that has no value and is not one of the `declared` parameters.
pub(crate) fn undeclared_variables(outline: &Outline, declared: &BTreeSet<&str>) -> Vec<Error> {
    let events: BTreeSet<&str> =
        outline.inputs.iter().chain(&outline.outputs).map(|event| event.name.as_str()).collect();
    // A bare word may mean the event of its name (decision C23).
    let is_undeclared = |name: &str| !declared.contains(name) && !events.contains(name);
    let undeclared = outline.unknown_variables.iter().filter(|(name, _)| is_undeclared(name));
    let mut suggestions = Suggestions::default();
    let warning = |(name, place): (&String, &Location)| {
        let warning = Error::new(ErrorCode::W0109, name).at(place.clone());
        match suggestions.near(name, declared.iter().copied()) {
            Some(near) => warning.help(format!("did you mean [{near}]?")),
            None => {
                warning.help("declare it in <parameters>, so that submission reports it by name when it is missing")
            }
        }
    };
    undeclared.map(warning).collect()
}

/// Returns W0114 for a schedule whose first action would be due at the end or later.
fn no_action(outline: &Outline) -> Option<Error> {
    let schedule = outline.schedule.as_ref()?;
    if schedule.times().next().is_some() {
        return None;
    }
    let first = schedule.following(0, schedule.start)?;
    let [first, end] = [first, schedule.end].map(|at| schedule.processing.format(at));
    let warning = Error::with(ErrorCode::W0114, &[])
        .help(format!("the first action would be due at {first}, and the job ends at {end}"));
    Some(warning.at(outline.frequency_place.clone()?))
}

/// Returns W0115 where the definition sets both.
fn concurrency_above_throttle(outline: &Outline) -> Option<Error> {
    let ((concurrency, place), throttle) = (outline.concurrency.as_ref()?, outline.throttle?);
    let warning = Error::with(ErrorCode::W0115, &[concurrency, &throttle])
        .help("only waiting actions can become ready: raise <throttle>, or lower <concurrency>");
    (*concurrency > throttle).then(|| warning.at(place.clone()))
}

//! Inputs whose instances have the same URI, so that the action waits for less than it names.

use std::collections::BTreeSet;

use crate::coordinator::lint::bounds::SAMPLED_ACTIONS;
use crate::coordinator::outline::{EventOutline, Outline};
use crate::coordinator::phase::JobScope;
use crate::coordinator::resolve::Creation;
use howdah_calendar::Unit;
use howdah_words::error::{Error, ErrorCode};

/// The most instances of a range that are compared.
const MOST_INSTANCES: i64 = 48;

/// Returns W0136 for each range of inputs in which several instances have one URI.
pub(super) fn warnings(outline: &Outline, job: JobScope<'_>) -> Vec<Error> {
    outline.inputs.iter().filter_map(|input| shared_uri(outline, input, job)).collect()
}

fn shared_uri(outline: &Outline, input: &EventOutline, job: JobScope<'_>) -> Option<Error> {
    let (schedule, event) = (outline.schedule.as_ref()?, input.event().filter(|_| input.is_known)?);
    let sequence = &event.dataset.sequence;
    let (times, uris) = schedule.times().take(SAMPLED_ACTIONS).find_map(|nominal| {
        let creation = Creation { job, job_zone: &schedule.zone, nominal };
        let (start, end) = creation.range_times(&event)?;
        let before = sequence.last_index_at(start - 1).map_or(0, |index| index + 1);
        let last = sequence.last_index_at(end)?.min(before + MOST_INSTANCES - 1);
        let times: Vec<_> = (before..=last).map_while(|index| sequence.at(index)).collect();
        let uri = |at| event.dataset.uri(at, job.processing).ok();
        let uris: BTreeSet<String> = times.iter().copied().filter_map(uri).collect();
        // Times without a URI are refused elsewhere.
        (times.len() > 1 && !uris.is_empty() && uris.len() < times.len()).then_some((times.len(), uris.len()))
    })?;
    let step = sequence.step();
    let field = match step.unit {
        Unit::Minute if step.count % (24 * 60) == 0 => "${DAY}",
        Unit::Minute if step.count % 60 == 0 => "${HOUR}",
        Unit::Minute => "${MINUTE}",
        Unit::Hour => "${HOUR}",
        Unit::Day | Unit::Week => "${DAY}",
        Unit::Month => "${MONTH}",
        Unit::Year => "${YEAR}",
    };
    let warning = Error::with(ErrorCode::W0136, &[&times, &input.name, &uris]).at(input.place.clone());
    Some(warning.help(format!("put {field} into the <uri-template> of its dataset, or name one instance")))
}

//! Inputs whose instances have the same URI, so that the action waits for less than it names.

use std::collections::BTreeSet;

use crate::coordinator::action::Slot;
use crate::coordinator::definition::DataEvent;
use crate::coordinator::lint::bounds::SAMPLED_ACTIONS;
use crate::coordinator::outline::{EventOutline, Outline};
use crate::coordinator::phase::JobScope;
use crate::coordinator::resolve::Creation;
use crate::dataset::{Presence, Reach};
use howdah_calendar::Unit;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::time::Timestamp;

/// The most instances of an input that are compared.
const MOST_INSTANCES: i64 = 48;

/// A place in which every instance exists: what a search takes there is what it can take.
struct Everything;

impl Presence for Everything {
    fn is_present(&mut self, _dependency: &str) -> bool {
        true
    }
}

/// Returns W0136 for each input in which several instances have one URI.
pub(super) fn warnings(outline: &Outline, job: JobScope<'_>) -> Vec<Error> {
    outline.inputs.iter().filter_map(|input| shared_uri(outline, input, job)).collect()
}

fn shared_uri(outline: &Outline, input: &EventOutline, job: JobScope<'_>) -> Option<Error> {
    let (schedule, event) = (outline.schedule.as_ref()?, input.event().filter(|_| input.is_known)?);
    let sequence = &event.dataset.sequence;
    let (times, uris) = schedule.times().take(SAMPLED_ACTIONS).find_map(|nominal| {
        let times = times(&Creation { job, job_zone: &schedule.zone, nominal }, &event)?;
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

/// Returns the first instances that an action names, or finds where all of them exist.
fn times(creation: &Creation<'_>, event: &DataEvent) -> Option<BTreeSet<Timestamp>> {
    let sequence = &event.dataset.sequence;
    if let Some((start, end)) = creation.range_times(event) {
        let before = sequence.last_index_at(start - 1).map_or(0, |index| index + 1);
        let last = sequence.last_index_at(end)?.min(before + MOST_INSTANCES - 1);
        return Some((before..=last).map_while(|index| sequence.at(index)).collect());
    }
    let nominal = creation.nominal;
    let reach = Reach { nominal, latest_from: nominal, most_tried: MOST_INSTANCES.unsigned_abs() };
    let mut times = BTreeSet::new();
    for slot in creation.event(event).ok()?.slots {
        match slot {
            Slot::Instance(instance) => times.extend([instance.nominal]),
            Slot::Search(search) => {
                times.extend(search.resolve(&event.dataset, reach, creation.job.processing, &mut Everything).found);
            }
        }
    }
    Some(times)
}

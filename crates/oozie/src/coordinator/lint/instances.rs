//! Instances that no action can have, and texts that make the creation of every action fail (specification 6.6).

use std::sync::Arc;

use crate::coordinator::creation::{AnyAction, RangeEnd};
use crate::coordinator::definition::{DataEvent, Expression, Instances};
use crate::coordinator::lint::bounds::SAMPLED_ACTIONS;
use crate::coordinator::outline::{EventOutline, Outline};
use crate::coordinator::phase::{InstanceFunction, JobScope};
use crate::coordinator::resolve::Creation;
use crate::dataset::{Dataset, instance};
use howdah_calendar::Schedule;
use howdah_el::Knowledge;
use howdah_words::error::{Error, ErrorCode, Location, Result};
use howdah_words::model::time::{DAY, MINUTE, Timestamp};

/// How far ahead of the first action others are checked, in seconds.
const YEAR: i64 = 366 * DAY;

/// Returns W0111 for what fails when an action is created and W0110 for what never exists; one warning for each event
/// or instance.
pub(super) fn warnings(outline: &Outline, job: JobScope<'_>) -> Vec<Error> {
    let warning = |event| match failure(outline, event, job) {
        Some(failure) => vec![failing(&failure)],
        None => absent(outline, event, job),
    };
    outline.inputs.iter().chain(&outline.outputs).flat_map(warning).collect()
}

/// Returns what refuses the first action or, where that is not known, every action.
fn failure(outline: &Outline, event: &EventOutline, job: JobScope<'_>) -> Option<Error> {
    first_failure(outline, event, job).or_else(|| later_failure(outline, event, job)).or_else(|| {
        let any = AnyAction { job, knowledge: Knowledge::Partial };
        let instances = event.instances.as_deref()?;
        any.check_instances(instances).err().or_else(|| {
            // An absolute start is valid or invalid for all actions alike.
            let Instances::Range { start, .. } = instances else { return None };
            let Ok(RangeEnd::Calls(InstanceFunction::Absolute(time))) = any.range_end(start) else { return None };
            let refused = instance::index_of(event.dataset.as_ref()?, time).err();
            refused.map(|error| error.at(start.location()))
        })
    })
}

/// Returns what refuses the first action, where everything that it needs is known.
fn first_failure(outline: &Outline, event: &EventOutline, job: JobScope<'_>) -> Option<Error> {
    let (schedule, known) = (outline.schedule.as_ref()?, event.event().filter(|_| event.is_known)?);
    let creation = Creation { job, job_zone: &schedule.zone, nominal: schedule.times().next()? };
    create(&creation, &known).err()
}

/// Returns what refuses an action of the year after the first one: which end of a range is earlier may depend on the
/// length of a month or of a day.
fn later_failure(outline: &Outline, event: &EventOutline, job: JobScope<'_>) -> Option<Error> {
    let (schedule, known) = (outline.schedule.as_ref()?, event.event().filter(|_| event.is_known)?);
    let Instances::Range { start, .. } = known.instances.as_ref() else { return None };
    let first = schedule.times().next()?;
    // One action of each day.
    let mut from = first;
    let mut days = schedule.times().take_while(|nominal| *nominal < first + YEAR).filter(|nominal| {
        let is_next = *nominal >= from;
        from = if is_next { *nominal + DAY } else { from };
        is_next
    });
    let refused = |nominal| {
        let creation = Creation { job, job_zone: &schedule.zone, nominal };
        let error = creation.check_order(&known).err()?.at(start.location());
        let time = schedule.processing.format(nominal);
        Some(error.more_help(&format!("the job fails when it creates the action of {time}")))
    };
    days.find_map(refused)
}

/// Creates the instances of the first action, without the instances between the ends of a range.
fn create(creation: &Creation<'_>, event: &DataEvent) -> Result<()> {
    match event.instances.as_ref() {
        Instances::Single(texts) => {
            for text in texts.iter().filter(|text| is_one_instance(text)) {
                creation.event(&single(event, text))?;
            }
            Ok(())
        }
        Instances::Range { start, end } => {
            let (from, to) = (creation.range_end(&event.dataset, start)?, creation.range_end(&event.dataset, end)?);
            let Some(from) = fixed_start(&event.dataset, creation.nominal, &from) else { return Ok(()) };
            let InstanceFunction::Current(last) = to else { return Ok(()) };
            let checked = instance::absolute_start(&event.dataset, creation.nominal, from, last);
            checked.map(drop).map_err(|error| error.at(start.location()))
        }
    }
}

/// Returns the time at which a range starts, where its start-instance names one.
fn fixed_start(dataset: &Dataset, nominal: Timestamp, from: &InstanceFunction) -> Option<Timestamp> {
    match from {
        InstanceFunction::Absolute(time) => Some(*time),
        InstanceFunction::EndOf(period, number) => instance::end_of(dataset, nominal, *period, *number),
        _ => None,
    }
}

/// Builds W0111 with the message of the refusal.
fn failing(failure: &Error) -> Error {
    let warning = Error::new(ErrorCode::W0111, failure);
    let warning = match failure.location() {
        Some(place) => warning.at(place.clone()),
        None => warning,
    };
    warning.help(failure.help_text().unwrap_or("Oozie accepts the job, and it fails at its first action"))
}

/// Returns W0110 for the instances of an event that are before the dataset's first one even for the last action.
fn absent(outline: &Outline, event: &EventOutline, job: JobScope<'_>) -> Vec<Error> {
    let (Some(schedule), Some(known)) = (&outline.schedule, event.event().filter(|_| event.is_known)) else {
        return Vec::new();
    };
    // No action is due later, and later actions have later instances.
    let last = Creation { job, job_zone: &schedule.zone, nominal: schedule.end - MINUTE };
    match known.instances.as_ref() {
        Instances::Single(texts) => {
            let never = |text: &&Expression| is_one_instance(text) && is_before_initial(&last, &single(&known, text));
            texts.iter().filter(never).map(|text| absence(&known, schedule, text.location())).collect()
        }
        Instances::Range { end, .. } => {
            if !depends_on_day(end) && ends_before_initial(&last, &known.dataset, end) {
                return vec![absence(&known, schedule, end.location())];
            }
            let first = schedule.times().take(SAMPLED_ACTIONS).map(|nominal| Creation { nominal, ..last });
            let is_empty = |action: Creation<'_>| {
                let times = action.range_times(&known);
                times.is_some_and(|(start, end)| instance::none_between(&known.dataset, start, end))
            };
            first.chain([last]).all(is_empty).then(|| empty(&known, end.location())).into_iter().collect()
        }
    }
}

fn is_before_initial(creation: &Creation<'_>, event: &DataEvent) -> bool {
    creation.event(event).is_ok_and(|resolved| resolved.slots.is_empty() && resolved.before_initial > 0)
}

fn ends_before_initial(creation: &Creation<'_>, dataset: &Dataset, end: &Expression) -> bool {
    let range = match creation.range_end(dataset, end) {
        Ok(InstanceFunction::Current(number)) => instance::current(dataset, creation.nominal, number, number),
        Ok(InstanceFunction::Offset(count, unit)) => instance::offset(dataset, creation.nominal, count, unit),
        _ => return false,
    };
    range.times.is_empty()
}

fn absence(event: &DataEvent, schedule: &Schedule, place: Location) -> Error {
    let [initial, end] = [event.dataset.initial(), schedule.end].map(|at| schedule.processing.format(at));
    let text = &place.source.text[place.span.start..place.span.end];
    let dataset = &event.dataset.name;
    let why = format!(
        "even at the end of the job, {end}, it is no instance of dataset [{dataset}], which starts at {initial}"
    );
    Error::with(ErrorCode::W0110, &[&format!("Instance [{text}] of event [{}]", event.name), &why])
        .help("instances before the initial one are left out, and nothing waits for them")
        .at(place)
}

/// Builds W0110 for a range between whose ends the dataset has no instance.
fn empty(event: &DataEvent, place: Location) -> Error {
    let why = format!("dataset [{}] has no instance between its start and its end", event.dataset.name);
    Error::with(ErrorCode::W0110, &[&format!("The range of event [{}]", event.name), &why])
        .help("the range is empty, so nothing waits for it: let it start at an instance, as with coord:current")
        .at(place)
}

/// Returns the event with only one of its instances.
fn single(event: &DataEvent, text: &Expression) -> DataEvent {
    DataEvent { instances: Arc::new(Instances::Single(vec![text.clone()])), ..event.clone() }
}

/// Returns whether the text names one instance, at the same distance from every action.
fn is_one_instance(text: &Expression) -> bool {
    !depends_on_day(text) && !text.template.calls().any(|call| call.name.ends_with("Range"))
}

/// Returns whether the text depends on the length of a day or month, or on the distance between two zones.
fn depends_on_day(text: &Expression) -> bool {
    text.template.calls().any(|call| matches!(call.name.as_str(), "hoursInDay" | "daysInMonth" | "tzOffset"))
}

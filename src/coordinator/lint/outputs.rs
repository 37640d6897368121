//! Outputs that overwrite each other: two events of one action, or one event of all actions.

use super::SAMPLED_ACTIONS;
use crate::coordinator::definition::{DataEvent, Instances};
use crate::coordinator::outline::{EventOutline, Outline};
use crate::coordinator::phase::JobScope;
use crate::coordinator::resolve::Creation;
use crate::error::{Error, ErrorCode};
use crate::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// W0112 for each pair of outputs that an action writes to one URI, W0113 for one that all actions write.
pub(super) fn warnings(outline: &Outline, job: JobScope<'_>) -> Vec<Error> {
    let outputs = &outline.outputs;
    let mut warnings = Vec::new();
    for (number, output) in outputs.iter().enumerate() {
        let same = outputs[..number].iter().find_map(|earlier| same_output(outline, [earlier, output], job));
        warnings.extend(same.or_else(|| unchanging(outline, output)));
    }
    warnings
}

/// Warns when both outputs are one: by their texts, or for one of the first actions.
fn same_output(outline: &Outline, outputs: [&EventOutline; 2], job: JobScope<'_>) -> Option<Error> {
    let [first, second] = outputs;
    let uri = if is_same_text(outputs) {
        first.dataset.as_ref().map(|dataset| format!("instance of dataset {}", dataset.name))
    } else {
        shared_uri(outline, outputs, job)
    }?;
    let warning = Error::with(ErrorCode::W0112, &[&first.name, &second.name, &uri]);
    Some(warning.at(second.place.clone()).help("each output overwrites the other; give them datasets of their own"))
}

/// Whether the outputs are the same instance of the same dataset, whatever their texts come to.
fn is_same_text([first, second]: [&EventOutline; 2]) -> bool {
    let (Some(one), Some(other)) = (&first.dataset, &second.dataset) else { return false };
    let (Some(Instances::Single(these)), Some(Instances::Single(those))) = (&first.instances, &second.instances) else {
        return false;
    };
    one.name == other.name
        && these.len() == 1
        && those.len() == 1
        && these.iter().zip(those).all(|(this, that)| this.template == that.template)
}

/// A URI that both outputs have for one of the first actions.
fn shared_uri(outline: &Outline, outputs: [&EventOutline; 2], job: JobScope<'_>) -> Option<String> {
    let schedule = outline.schedule.as_ref()?;
    let [first, second] = outputs.map(known_single);
    let (first, second) = (first?, second?);
    schedule.times().take(SAMPLED_ACTIONS).find_map(|nominal| {
        let creation = Creation { job, job_zone: &schedule.zone, nominal };
        let (these, those) = (creation.event(&first).ok()?, creation.event(&second).ok()?);
        these.instances().find(|this| those.instances().any(|that| that.uri == this.uri)).map(|this| this.uri.clone())
    })
}

/// The event, when it has one instance that is known and not a range.
fn known_single(output: &EventOutline) -> Option<DataEvent> {
    let event = output.event().filter(|_| output.is_settled)?;
    match &event.instances {
        Instances::Single(texts) if texts.len() == 1 => {
            let spreads = texts[0].template.calls().any(|call| call.name.ends_with("Range"));
            (!spreads).then_some(event)
        }
        _ => None,
    }
}

/// Warns of a URI template that gives one URI for all times, in a job of several actions.
fn unchanging(outline: &Outline, output: &EventOutline) -> Option<Error> {
    let (schedule, dataset) = (outline.schedule.as_ref()?, output.dataset.as_ref()?);
    // An instant that differs from the epoch in every field of a template.
    let other = Timestamp::from_seconds(400 * DAY + HOUR + MINUTE);
    let [uri, at_other] = [Timestamp::EPOCH, other].map(|at| dataset.uri(at, schedule.processing));
    if uri != at_other || schedule.times().nth(1).is_none() {
        return None;
    }
    let warning = Error::new(ErrorCode::W0113, uri).at(output.place.clone());
    Some(warning.help("put ${YEAR}, ${MONTH}, ${DAY}, ${HOUR} or ${MINUTE} into the <uri-template> of its dataset"))
}

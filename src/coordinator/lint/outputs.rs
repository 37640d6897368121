//! Outputs that overwrite each other: two events of one action, or one event of all actions.

use std::collections::BTreeMap;

use super::{MOST_OUTPUTS, SAMPLED_ACTIONS};
use crate::calendar::Schedule;
use crate::coordinator::action::Instance;
use crate::coordinator::definition::{DataEvent, Expression, Instances};
use crate::coordinator::outline::{EventOutline, Outline};
use crate::coordinator::phase::JobScope;
use crate::coordinator::resolve::Creation;
use crate::error::{Error, ErrorCode};
use crate::model::time::Timestamp;

/// W0112 for each output that an action writes over another, W0113 for one that all actions write.
pub(super) fn warnings(outline: &Outline, job: JobScope<'_>) -> Vec<Error> {
    let mut written = Written { outline, job, texts: BTreeMap::new(), dependencies: BTreeMap::new() };
    let outputs = outline.outputs.iter().take(MOST_OUTPUTS);
    outputs.filter_map(|output| written.add(output).or_else(|| unchanging(outline, output))).collect()
}

/// The outputs seen so far, each by the name of its event.
struct Written<'a> {
    outline: &'a Outline,
    job: JobScope<'a>,
    /// By dataset and text of the instance.
    texts: BTreeMap<(String, String), &'a str>,
    /// By nominal time and dependency: what differs in its done-flag alone marks another step of the same data.
    dependencies: BTreeMap<(Timestamp, String), &'a str>,
}

impl<'a> Written<'a> {
    /// Adds an output; warns when there is one like it, by its text or for one of the first actions.
    fn add(&mut self, output: &'a EventOutline) -> Option<Error> {
        let event = output.event().filter(is_single)?;
        let Instances::Single(texts) = event.instances.as_ref() else { return None };
        let key = (event.dataset.name.clone(), texts.first()?.template.to_string());
        let what = format!("instance of dataset {}", key.0);
        if let Some(earlier) = self.texts.insert(key, &output.name) {
            return Some(same(output, earlier, &what));
        }
        let schedule = self.outline.schedule.as_ref().filter(|_| output.is_settled)?;
        let earlier = schedule.times().take(SAMPLED_ACTIONS).find_map(|nominal| {
            let instance = self.instance(schedule, &event, nominal)?;
            let earlier = self.dependencies.insert((nominal, instance.dependency), &output.name)?;
            Some((earlier, instance.uri))
        });
        earlier.map(|(earlier, uri)| same(output, earlier, &uri))
    }

    fn instance(&self, schedule: &Schedule, event: &DataEvent, nominal: Timestamp) -> Option<Instance> {
        let creation = Creation { job: self.job, job_zone: &schedule.zone, nominal };
        creation.event(event).ok()?.instances().next().cloned()
    }
}

/// Whether the event has one instance, and that is not a range.
fn is_single(event: &DataEvent) -> bool {
    match event.instances.as_ref() {
        Instances::Single(texts) => {
            let spreads = |text: &Expression| text.template.calls().any(|call| call.name.ends_with("Range"));
            texts.len() == 1 && !texts.iter().any(spreads)
        }
        Instances::Range { .. } => false,
    }
}

fn same(output: &EventOutline, earlier: &str, what: &str) -> Error {
    Error::with(ErrorCode::W0112, &[&earlier, &output.name, &what])
        .at(output.place.clone())
        .help("each output overwrites the other; give them datasets of their own")
}

/// Warns of a URI template without any field, in a job of several actions.
fn unchanging(outline: &Outline, output: &EventOutline) -> Option<Error> {
    let (schedule, dataset) = (outline.schedule.as_ref()?, output.dataset.as_ref()?);
    if dataset.uri_template.has_field() || schedule.times().nth(1).is_none() {
        return None;
    }
    let uri = dataset.uri(schedule.start, schedule.processing).ok()?;
    let warning = Error::new(ErrorCode::W0113, uri).at(output.place.clone());
    Some(warning.help("put ${YEAR}, ${MONTH}, ${DAY}, ${HOUR} or ${MINUTE} into the <uri-template> of its dataset"))
}

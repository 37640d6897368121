//! Outputs that overwrite each other: two events of one action, or one event of several actions; and inputs that are
//! outputs of their own action.

use std::collections::BTreeMap;

use crate::coordinator::definition::{DataEvent, Expression, Instances};
use crate::coordinator::instance::Instance;
use crate::coordinator::lint::bounds::{MOST_OUTPUTS, SAMPLED_ACTIONS};
use crate::coordinator::outline::{EventOutline, Outline};
use crate::coordinator::phase::JobScope;
use crate::coordinator::resolve::Creation;
use howdah_calendar::Schedule;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::time::Timestamp;

/// Returns W0112 for each output that an action writes over another, W0113 for one that all actions write, W0122 for
/// one that two actions write, W0121 for each input that its own action writes.
pub(super) fn warnings(outline: &Outline, job: JobScope<'_>) -> Vec<Error> {
    let mut written = Written { outline, job, texts: BTreeMap::new(), dependencies: BTreeMap::new() };
    let outputs = outline.outputs.iter().take(MOST_OUTPUTS);
    let mut warnings: Vec<Error> = outputs.filter_map(|output| written.add(output)).collect();
    let inputs = outline.inputs.iter().take(MOST_OUTPUTS);
    warnings.extend(inputs.filter_map(|input| written.by_its_own_action(input)));
    warnings
}

/// The outputs so far, each by the name of its event.
struct Written<'a> {
    outline: &'a Outline,
    job: JobScope<'a>,
    /// By dataset and text of the instance.
    texts: BTreeMap<(String, String), &'a str>,
    /// By dependency: the first of the sampled actions that writes it. Dependencies that differ only in the done-flag
    /// are separate steps of the same data.
    dependencies: BTreeMap<String, (Timestamp, &'a str)>,
}

impl<'a> Written<'a> {
    /// Adds an output; warns when one of the first actions, or another event of the same action, writes the same.
    fn add(&mut self, output: &'a EventOutline) -> Option<Error> {
        let (event, key) = single(output)?;
        let what = format!("instance of dataset {}", key.0);
        if let Some(earlier) = self.texts.insert(key, &output.name) {
            return Some(same(output, earlier, &what));
        }
        let schedule = self.outline.schedule.as_ref()?;
        let mut by_actions = None;
        for nominal in schedule.times().take(if output.is_known { SAMPLED_ACTIONS } else { 0 }) {
            let Some(instance) = self.instance(schedule, &event, nominal) else { continue };
            match self.dependencies.get(&instance.dependency) {
                Some((at, earlier)) if *at == nominal => return Some(same(output, earlier, &instance.uri)),
                Some((at, _)) if by_actions.is_none() => by_actions = Some((instance.uri, *at, nominal)),
                Some(_) => {}
                None => drop(self.dependencies.insert(instance.dependency, (nominal, &output.name))),
            }
        }
        unchanging(self.outline, output).or_else(|| {
            let (uri, earlier, later) = by_actions?;
            let [earlier, later] = [earlier, later].map(|at| schedule.processing.format(at));
            let warning = Error::with(ErrorCode::W0122, &[&earlier, &later, &uri]).at(output.place.clone());
            Some(warning.help("the later action overwrites the earlier one; give the dataset the job's frequency"))
        })
    }

    /// Returns W0121 for an input that the action itself writes.
    fn by_its_own_action(&self, input: &EventOutline) -> Option<Error> {
        let (event, key) = single(input)?;
        let warn = |output: &str, what: &str| {
            Error::with(ErrorCode::W0121, &[&input.name, &output, &what]).at(input.place.clone()).help(
                "the action waits for data that only it writes; name an earlier instance, such as ${coord:current(-1)}",
            )
        };
        if let Some(output) = self.texts.get(&key) {
            return Some(warn(output, &format!("instance of dataset {}", key.0)));
        }
        let schedule = self.outline.schedule.as_ref().filter(|_| input.is_known)?;
        schedule.times().take(SAMPLED_ACTIONS).find_map(|nominal| {
            let instance = self.instance(schedule, &event, nominal)?;
            let (at, output) = self.dependencies.get(&instance.dependency)?;
            (*at == nominal).then(|| warn(output, &instance.uri))
        })
    }

    fn instance(&self, schedule: &Schedule, event: &DataEvent, nominal: Timestamp) -> Option<Instance> {
        let creation = Creation { job: self.job, job_zone: &schedule.zone, nominal };
        creation.event(event).ok()?.instances().next().cloned()
    }
}

/// Returns the event with its dataset's name and its text, when it has one instance and that is not a range.
fn single(outline: &EventOutline) -> Option<(DataEvent, (String, String))> {
    let event = outline.event().filter(is_single)?;
    let Instances::Single(texts) = event.instances.as_ref() else { return None };
    let key = (event.dataset.name.clone(), texts.first()?.template.to_string());
    Some((event, key))
}

/// Returns whether the event has one instance and that is not a range.
fn is_single(event: &DataEvent) -> bool {
    match event.instances.as_ref() {
        Instances::Single(texts) => {
            let is_range = |text: &Expression| text.template.calls().any(|call| call.name.ends_with("Range"));
            texts.len() == 1 && !texts.iter().any(is_range)
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

//! Compares the instances of an action's events.
//!
//! What `latest` and `future` found depends on what existed at that time, which only the record shows: a recorded
//! result counts as equal when the search gives it back in a world where exactly these instances existed.

use std::collections::{HashMap, HashSet};

use super::comparison::Comparison;
use super::difference::{Field, Ruling};
use super::presence;
use crate::oozie_export::{RecordedAction, RecordedEvent};
use howdah_engine::settings::MOST_TRIED;
use howdah_oozie::coordinator::action::{ResolvedAction, ResolvedEvent, Slot};
use howdah_oozie::coordinator::definition::DataEvent;
use howdah_oozie::coordinator::instance::Instance;
use howdah_oozie::dataset::{Reach, Search};

/// Between the items of a list that Oozie stores.
const SEPARATOR: char = '#';

/// The same, to join a list.
const JOINT: &str = "#";

/// What a side without the event shows.
const ABSENT: &str = "no such event";

/// Compares the events; returns the action with the instances that were found.
pub(super) fn compare(comparison: &mut Comparison<'_>, mut resolved: ResolvedAction) -> Compared {
    let (recorded, coordinator) = (comparison.action.recorded, &comparison.compiled.application.coordinator);
    let mut is_reordered =
        compare_list(comparison, Field::Inputs, (&recorded.inputs, &coordinator.inputs), &mut resolved.inputs);
    is_reordered |=
        compare_list(comparison, Field::Outputs, (&recorded.outputs, &coordinator.outputs), &mut resolved.outputs);
    Compared { action: resolved, is_reordered }
}

/// An action with its instances, and whether a list of the record has another order.
pub(super) struct Compared {
    pub(super) action: ResolvedAction,
    pub(super) is_reordered: bool,
}

impl Compared {
    /// Returns the action with its instances in the order of the record; `None` when that is the same.
    pub(super) fn in_recorded_order(&self, recorded: &RecordedAction) -> Option<ResolvedAction> {
        self.is_reordered.then(|| {
            let mut action = self.action.clone();
            reorder(&mut action.inputs, &recorded.inputs);
            reorder(&mut action.outputs, &recorded.outputs);
            action
        })
    }
}

/// Compares one kind of events; returns whether a list has another order.
fn compare_list(
    comparison: &mut Comparison<'_>,
    field: Field,
    (recorded, declared): (&[RecordedEvent], &[DataEvent]),
    resolved: &mut [ResolvedEvent],
) -> bool {
    let mut is_reordered = false;
    for (event, declared) in resolved.iter_mut().zip(declared) {
        let Some(record) = recorded.iter().find(|record| record.name == event.name) else {
            comparison.named((field, &event.name), (ABSENT.to_owned(), uris(event)), None);
            continue;
        };
        if field == Field::Inputs {
            unresolved(comparison, record, event, declared);
        }
        is_reordered |= compare_uris(comparison, field, record, event);
    }
    for record in recorded {
        if !resolved.iter().any(|event| event.name == record.name) {
            comparison.named((field, &record.name), (record.uris.clone(), ABSENT.to_owned()), None);
        }
    }
    is_reordered
}

/// Compares the functions that are resolved later, or runs the searches whose results are recorded.
fn unresolved(
    comparison: &mut Comparison<'_>,
    record: &RecordedEvent,
    event: &mut ResolvedEvent,
    declared: &DataEvent,
) {
    match &record.unresolved {
        Some(written) => {
            let computed: Vec<String> = event.searches().map(Search::text).collect();
            let computed = computed.join(JOINT);
            if without_blanks(written) != without_blanks(&computed) {
                comparison.named((Field::Unresolved, &event.name), (written.clone(), computed), None);
            }
        }
        None if event.searches().next().is_some() => find(comparison, record, event, declared),
        None => {}
    }
}

pub(super) fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Replaces the searches of an event by the recorded instances, as far as the searches find them.
fn find(comparison: &Comparison<'_>, record: &RecordedEvent, event: &mut ResolvedEvent, declared: &DataEvent) {
    let (dataset, processing) = (&declared.dataset, comparison.processing());
    let recorded: HashSet<String> = record.uris.split(SEPARATOR).map(|uri| dataset.done_flag.dependency(uri)).collect();
    let nominal = comparison.action.nominal;
    let created = comparison.action.recorded.actual.as_deref().and_then(|at| processing.parse_datetime(at).ok());
    let latest_from = comparison.action.modified.into_iter().chain(created).max().unwrap_or(nominal);
    let reach = Reach { nominal, latest_from, most_tried: MOST_TRIED };
    for slot in std::mem::take(&mut event.slots) {
        let Slot::Search(search) = slot else {
            event.slots.push(slot);
            continue;
        };
        let found = presence::search(search, dataset, (reach, processing), &recorded);
        if found.is_complete {
            event.slots.extend(Instance::found(dataset, found.found, processing).map(Slot::Instance));
        } else {
            event.slots.push(slot);
        }
    }
}

/// Compares the URIs of an event; returns whether only their order differs.
fn compare_uris(comparison: &mut Comparison<'_>, field: Field, record: &RecordedEvent, event: &ResolvedEvent) -> bool {
    let computed = uris(event);
    if computed == record.uris {
        return false;
    }
    let same_items = computed.len() == record.uris.len() && has_same_items(&computed, &record.uris);
    let ruling = same_items.then_some(Ruling::C18);
    comparison.named((field, &event.name), (record.uris.clone(), computed), ruling);
    same_items
}

/// Returns whether two lists differ in their order alone.
fn has_same_items(one: &str, other: &str) -> bool {
    // The usual difference: oldest first, newest first.
    if one.split(SEPARATOR).eq(other.rsplit(SEPARATOR)) {
        return true;
    }
    let [mut one, mut other] = [one, other].map(|list| list.split(SEPARATOR).collect::<Vec<_>>());
    one.sort_unstable();
    other.sort_unstable();
    one == other
}

/// Returns the URIs of an event as Oozie stores them, with the searches that found nothing. A search among the outputs
/// never runs.
fn uris(event: &ResolvedEvent) -> String {
    let uris: Vec<&str> = event.instances().map(|instance| instance.uri.as_str()).collect();
    uris.join(JOINT)
}

/// Puts the instances of each event into the order of the record.
fn reorder(events: &mut [ResolvedEvent], recorded: &[RecordedEvent]) {
    for event in events {
        let Some(record) = recorded.iter().find(|record| record.name == event.name) else { continue };
        let places: HashMap<&str, usize> = record.uris.split(SEPARATOR).zip(0..).collect();
        event.slots.sort_by_key(|slot| match slot {
            Slot::Instance(instance) => places.get(instance.uri.as_str()).copied().unwrap_or(usize::MAX),
            Slot::Search(_) => usize::MAX,
        });
    }
}

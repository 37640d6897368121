//! Compares what an action still waits for: each recorded dependency must be one that howdah computes.

use std::collections::{BTreeSet, HashSet};

use super::comparison::Comparison;
use super::difference::{Field, Ruling};
use super::instances::without_blanks;
use crate::oozie_export::Missing;
use howdah_oozie::coordinator::action::{ResolvedAction, ResolvedEvent};
use howdah_oozie::dataset::Search;

pub(super) fn compare(comparison: &mut Comparison<'_>, resolved: &ResolvedAction) {
    for missing in comparison.action.missing {
        match missing {
            Missing::Listed { dependencies, unresolved } => {
                if !dependencies.is_empty() || !unresolved.is_empty() {
                    listed(comparison, resolved, (dependencies, unresolved));
                }
            }
            Missing::Logic(events) => {
                for event in events {
                    let all: Vec<&str> = event.instances.iter().map(|(dependency, _)| dependency.as_str()).collect();
                    logic(comparison, resolved, (&event.event, &all));
                }
            }
        }
    }
}

/// Compares a list from which Oozie has removed what it found.
fn listed(
    comparison: &mut Comparison<'_>,
    resolved: &ResolvedAction,
    (dependencies, unresolved): (&[String], &[String]),
) {
    let computed: HashSet<&str> = resolved.dependencies().map(|instance| instance.dependency.as_str()).collect();
    // A URI with a `#` is in pieces on Oozie's side.
    let pieces: HashSet<&str> = computed.iter().flat_map(|dependency| dependency.split('#')).collect();
    let strange: Vec<&str> =
        dependencies.iter().map(String::as_str).filter(|recorded| !pieces.contains(recorded)).collect();
    if !strange.is_empty() {
        let sorted: BTreeSet<&str> = computed.into_iter().collect();
        let computed: Vec<&str> = sorted.into_iter().collect();
        comparison.differs(Field::MissingDependencies, (strange.join("#"), computed.join("#")), None);
    }
    let searches: Vec<String> = resolved.inputs.iter().flat_map(ResolvedEvent::searches).map(Search::text).collect();
    let known: HashSet<String> = searches.iter().map(|text| without_blanks(text)).collect();
    if unresolved.iter().any(|text| !known.contains(&without_blanks(text))) {
        comparison.differs(Field::MissingDependencies, (unresolved.join("#"), searches.join("#")), None);
    }
}

/// Compares the list of an event of the input logic, which stays whole.
fn logic(comparison: &mut Comparison<'_>, resolved: &ResolvedAction, (event, recorded): (&str, &[&str])) {
    let found = resolved.inputs.iter().find(|input| input.name == event);
    let computed: Vec<&str> =
        found.into_iter().flat_map(ResolvedEvent::instances).map(|instance| instance.dependency.as_str()).collect();
    // Once `latest` or `future` is resolved, its instances are in the list too.
    let has_search = found.is_some_and(|found| found.searches().next().is_some());
    if computed == recorded || (has_search && computed.iter().all(|one| recorded.contains(one))) {
        return;
    }
    let sorted = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<BTreeSet<String>>();
    let same_items = computed.len() == recorded.len() && sorted(&computed) == sorted(recorded);
    let texts = (recorded.join("#"), computed.join("#"));
    comparison.named((Field::MissingDependencies, event), texts, same_items.then_some(Ruling::C18));
}

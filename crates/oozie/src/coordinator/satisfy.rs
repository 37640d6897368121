//! Whether the inputs of an action exist, with or without input logic (specification 6.3, 6.10).
//!
//! Searches (`latest`, `future`) run when everything else exists, all or none of them; with input logic they run when
//! the logic needs them. Must not depend on files or the clock: [`Presence`] says what exists, the caller gives the
//! time.

use crate::coordinator::action::{ResolvedAction, Slot, join};
use crate::coordinator::definition::Coordinator;
use crate::coordinator::input_logic::{Availability, InputLogic, Inputs, LogicResult};
use crate::coordinator::instance::Instance;
use crate::coordinator::phase::event::EventTexts;
use crate::dataset::{Presence, Reach, Search, SearchResult};

/// The time of a check of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Where searches start and how far they go.
    pub reach: Reach,
    /// Whole minutes since the later of nominal and created time.
    pub waited_minutes: i64,
}

/// The result of checking the inputs of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputReport {
    /// Whether the action may start; if so, its searches are replaced by what they found.
    pub is_complete: bool,
    /// The searches that ran, in document order; they stop after the first that found too little.
    pub searches: Vec<Searched>,
    /// The input logic with its results, if the application has one.
    pub logic: Option<LogicResult>,
}

/// A search that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The index of its event among the input events.
    pub event: usize,
    pub search: Search,
    pub sought: SearchResult,
}

impl Coordinator {
    /// Checks whether everything that the action needs exists.
    pub fn satisfy(&self, action: &mut ResolvedAction, moment: Moment, presence: &mut dyn Presence) -> InputReport {
        if let Some(logic) = &self.logic {
            return self.satisfy_logic(logic, action, moment, presence);
        }
        let missing = action.dependencies().any(|instance| !presence.is_present(&instance.dependency));
        if missing { InputReport::default() } else { self.search(action, moment.reach, presence) }
    }

    /// Runs the searches of an action's inputs: all of them, or none.
    pub fn search(&self, action: &mut ResolvedAction, reach: Reach, presence: &mut dyn Presence) -> InputReport {
        let processing = self.schedule.processing;
        let mut searches = Vec::new();
        for (event, resolved) in action.inputs.iter().enumerate() {
            for search in resolved.searches() {
                let sought = search.resolve(&self.inputs[event].dataset, reach, processing, presence);
                let is_complete = sought.is_complete;
                searches.push(Searched { event, search, sought });
                if !is_complete {
                    return InputReport { searches, ..InputReport::default() };
                }
            }
        }
        self.take(action, &searches);
        InputReport { is_complete: true, searches, logic: None }
    }

    /// Replaces the searches by what they found.
    fn take(&self, action: &mut ResolvedAction, searches: &[Searched]) {
        let mut found = searches.iter();
        for (resolved, event) in action.inputs.iter_mut().zip(&self.inputs) {
            for slot in std::mem::take(&mut resolved.slots) {
                match slot {
                    Slot::Instance(_) => resolved.slots.push(slot),
                    Slot::Search(_) => {
                        let times = found.next().map(|search| search.sought.found.clone()).unwrap_or_default();
                        let instances = Instance::found(&event.dataset, times, self.schedule.processing);
                        resolved.slots.extend(instances.map(Slot::Instance));
                    }
                }
            }
        }
    }

    fn satisfy_logic(
        &self,
        logic: &InputLogic,
        action: &mut ResolvedAction,
        moment: Moment,
        presence: &mut dyn Presence,
    ) -> InputReport {
        let seen = vec![None; action.inputs.len()];
        let mut inputs = InputCheck { coordinator: self, action, moment, presence, seen, searches: Vec::new() };
        let evaluated = logic.root.evaluate(&mut inputs, moment.waited_minutes);
        let (mut seen, mut searches) = (Seen(inputs.seen), inputs.searches);
        searches.sort_by_key(|search| search.event);
        let is_complete = evaluated.taken().is_some();
        if is_complete {
            action.logic = texts(logic, &mut seen, moment.waited_minutes);
            for (event, seen) in action.inputs.iter_mut().zip(seen.0) {
                if let Some(seen) = seen.filter(|seen| !seen.search_open) {
                    event.slots = seen.instances.into_iter().map(|(instance, _)| Slot::Instance(instance)).collect();
                }
            }
        }
        InputReport { is_complete, searches, logic: Some(evaluated) }
    }
}

/// Returns the values of `coord:dataIn` for the named elements, from the checks that satisfied the logic and nothing
/// else: an alternative that was not evaluated has no value. Of several elements of one name the first that is
/// satisfied counts.
fn texts(logic: &InputLogic, seen: &mut Seen, waited_minutes: i64) -> EventTexts {
    let mut texts = EventTexts::new();
    for (name, node) in logic.named() {
        let text = node.evaluate(seen, waited_minutes).taken().map(|taken| join(taken.iter()));
        let known = texts.entry(name.to_owned()).or_default();
        *known = known.take().or(text);
    }
    texts
}

/// The availability of each event that was checked.
struct Seen(Vec<Option<Availability>>);

impl Inputs for Seen {
    fn availability(&mut self, event: usize) -> Availability {
        self.0[event].clone().unwrap_or(Availability { instances: Vec::new(), search_open: true })
    }
}

/// A check of the inputs of one action; each event is checked once, when the logic needs it.
struct InputCheck<'a> {
    coordinator: &'a Coordinator,
    action: &'a ResolvedAction,
    moment: Moment,
    presence: &'a mut dyn Presence,
    seen: Vec<Option<Availability>>,
    searches: Vec<Searched>,
}

impl Inputs for InputCheck<'_> {
    fn availability(&mut self, event: usize) -> Availability {
        if let Some(seen) = &self.seen[event] {
            return seen.clone();
        }
        let found = self.check(event);
        self.seen[event] = Some(found.clone());
        found
    }
}

impl InputCheck<'_> {
    fn check(&mut self, event: usize) -> Availability {
        let dataset = &self.coordinator.inputs[event].dataset;
        let processing = self.coordinator.schedule.processing;
        let mut found = Availability::default();
        for slot in &self.action.inputs[event].slots {
            match slot {
                Slot::Instance(instance) => {
                    let present = self.presence.is_present(&instance.dependency);
                    found.instances.push((instance.clone(), present));
                }
                Slot::Search(search) => {
                    let sought = search.resolve(dataset, self.moment.reach, processing, self.presence);
                    found.search_open |= !sought.is_complete;
                    let there = Instance::found(dataset, sought.found.clone(), processing);
                    found.instances.extend(there.map(|instance| (instance, true)));
                    self.searches.push(Searched { event, search: *search, sought });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::coordinator::parse::testing::{ONE_INPUT, PLAIN, Parts};
    use crate::coordinator::phase::JobScope;
    use crate::dataset::testing::instant;
    use howdah_calendar::ProcessingZone;
    use howdah_words::model::Properties;

    struct Paths(BTreeSet<&'static str>);

    impl Presence for Paths {
        fn is_present(&mut self, dependency: &str) -> bool {
            self.0.contains(dependency)
        }
    }

    /// The event `in` waits for `/logs/2009`; `expect` is the value of `coord:dataIn` of the name, `None` when it
    /// waits.
    fn check(events: &str, name: &str, existing: &[&'static str], expect: Option<&str>) {
        let (coordinator, problems) = Parts { events, ..PLAIN }.parse(&[]);
        let coordinator = coordinator.unwrap_or_else(|| panic!("{problems:?}"));
        let configuration = Properties::new();
        let scope = JobScope { configuration: &configuration, processing: ProcessingZone::UTC };
        let nominal = instant("2009-06-01T00:00Z");
        let mut action = coordinator.resolve(scope, nominal).expect("the instances resolve");
        let reach = Reach { nominal, latest_from: nominal, most_tried: 1000 };
        let moment = Moment { reach, waited_minutes: 5 };
        let report = coordinator.satisfy(&mut action, moment, &mut Paths(existing.iter().copied().collect()));
        let logic = action.logic.get(name).cloned().flatten();
        let event = action.inputs.iter().find(|event| event.name == name).map(|event| join(event.instances()));
        assert_eq!(report.is_complete.then(|| logic.or(event)).flatten().as_deref(), expect, "{events}");
    }

    #[test]
    fn waits_for_all_inputs() {
        check(ONE_INPUT, "in", &["/logs/2009/_SUCCESS"], Some("/logs/2009"));
        check(ONE_INPUT, "in", &["/logs/2009"], None);
        let latest = ONE_INPUT.replace("coord:current(0)", "coord:latest(0)");
        check(&latest, "in", &["/logs/2009/_SUCCESS"], Some("/logs/2009"));
        check(&latest, "in", &[], None);
    }

    #[test]
    fn waits_for_what_the_logic_needs() {
        let logic = |inside: &str| format!("{ONE_INPUT}<input-logic>{inside}</input-logic>");
        let either = logic(r#"<or name="x"><data-in dataset="in"/></or>"#);
        check(&either, "x", &["/logs/2009/_SUCCESS"], Some("/logs/2009"));
        check(&either, "x", &[], None);
        let none_needed = logic(r#"<data-in name="x" dataset="in" min="0"/>"#);
        check(&none_needed, "x", &[], Some(""));
        // What was not evaluated has no value: `coord:dataIn` keeps its text.
        let second = r#"<or><data-in name="x" dataset="in" min="0"/><and name="y"><data-in dataset="in"/></and></or>"#;
        check(&logic(second), "x", &[], Some(""));
        check(&logic(second), "y", &[], None);
        check(&logic(r#"<data-in name="x" dataset="in" min="0" wait="6"/>"#), "x", &[], None);
        check(&logic(r#"<data-in name="x" dataset="in" min="0" wait="5"/>"#), "x", &[], Some(""));
    }
}

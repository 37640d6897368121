//! Whether the inputs of an action are there, with or without input logic (specification 6.3, 6.10).
//!
//! Searches (`latest`, `future`) are made when everything else is there, all or none of them; with input logic when
//! the logic comes to them. Must never know files or the clock: presence is asked through [`Presence`], the time is
//! told.

use crate::coordinator::action::{ResolvedAction, Slot, join};
use crate::coordinator::definition::Coordinator;
use crate::coordinator::input_logic::{Availability, InputLogic, Inputs, Judged};
use crate::coordinator::instance::Instance;
use crate::coordinator::phase::event::EventTexts;
use crate::dataset::{Presence, Reach, Search, SearchResult};

/// The time of a look at an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Where searches begin and how far they go.
    pub(crate) reach: Reach,
    /// Whole minutes since the later of nominal and created time.
    pub(crate) waited_minutes: i64,
}

/// What a look at the inputs of an action came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sight {
    /// Whether the action may start; then its searches are replaced by what they found.
    pub(crate) is_complete: bool,
    /// The searches that were made, in document order; the first that found too little is the last.
    pub(crate) searches: Vec<Searched>,
    /// The input logic as it was judged, if the application has one.
    pub(crate) logic: Option<Judged>,
}

/// A search that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Searched {
    /// The place of its event among the input events.
    pub(crate) event: usize,
    pub(crate) search: Search,
    pub(crate) sought: SearchResult,
}

impl Coordinator {
    /// Looks whether all that the action needs is there.
    pub(crate) fn satisfy(&self, action: &mut ResolvedAction, moment: Moment, presence: &mut dyn Presence) -> Sight {
        if let Some(logic) = &self.logic {
            return self.satisfy_logic(logic, action, moment, presence);
        }
        let missing = action.dependencies().any(|instance| !presence.is_present(&instance.dependency));
        if missing { Sight::default() } else { self.search(action, moment.reach, presence) }
    }

    /// Makes the searches of an action's inputs: all of them, or none.
    pub(crate) fn search(&self, action: &mut ResolvedAction, reach: Reach, presence: &mut dyn Presence) -> Sight {
        let processing = self.schedule.processing;
        let mut searches = Vec::new();
        for (event, resolved) in action.inputs.iter().enumerate() {
            for search in resolved.searches() {
                let sought = search.resolve(&self.inputs[event].dataset, reach, processing, presence);
                let is_complete = sought.is_complete;
                searches.push(Searched { event, search, sought });
                if !is_complete {
                    return Sight { searches, ..Sight::default() };
                }
            }
        }
        self.take(action, &searches);
        Sight { is_complete: true, searches, logic: None }
    }

    /// Puts what was found in the places of the searches.
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
    ) -> Sight {
        let seen = vec![None; action.inputs.len()];
        let mut look = Look { coordinator: self, action, moment, presence, seen, searches: Vec::new() };
        let judged = logic.root.judge(&mut look, moment.waited_minutes);
        let (mut seen, mut searches) = (Seen(look.seen), look.searches);
        searches.sort_by_key(|search| search.event);
        let is_complete = judged.taken().is_some();
        if is_complete {
            action.logic = texts(logic, &mut seen, moment.waited_minutes);
            for (event, seen) in action.inputs.iter_mut().zip(seen.0) {
                if let Some(seen) = seen.filter(|seen| !seen.search_open) {
                    event.slots = seen.instances.into_iter().map(|(instance, _)| Slot::Instance(instance)).collect();
                }
            }
        }
        Sight { is_complete, searches, logic: Some(judged) }
    }
}

/// What `coord:dataIn` gives for the named elements: judged by what was seen when the logic was satisfied and nothing
/// else, so an alternative that nobody looked at has nothing. Of several elements of one name the first that is
/// satisfied counts.
fn texts(logic: &InputLogic, seen: &mut Seen, waited_minutes: i64) -> EventTexts {
    let mut texts = EventTexts::new();
    for (name, node) in logic.named() {
        let text = node.judge(seen, waited_minutes).taken().map(|taken| join(taken.iter()));
        let known = texts.entry(name.to_owned()).or_default();
        *known = known.take().or(text);
    }
    texts
}

/// What was seen of each event.
struct Seen(Vec<Option<Availability>>);

impl Inputs for Seen {
    fn availability(&mut self, event: usize) -> Availability {
        self.0[event].clone().unwrap_or(Availability { instances: Vec::new(), search_open: true })
    }
}

/// A look at the inputs of one action; each event is looked at once, when the logic comes to it.
struct Look<'a> {
    coordinator: &'a Coordinator,
    action: &'a ResolvedAction,
    moment: Moment,
    presence: &'a mut dyn Presence,
    seen: Vec<Option<Availability>>,
    searches: Vec<Searched>,
}

impl Inputs for Look<'_> {
    fn availability(&mut self, event: usize) -> Availability {
        if let Some(seen) = &self.seen[event] {
            return seen.clone();
        }
        let found = self.look_at(event);
        self.seen[event] = Some(found.clone());
        found
    }
}

impl Look<'_> {
    fn look_at(&mut self, event: usize) -> Availability {
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
    use crate::calendar::ProcessingZone;
    use crate::coordinator::parse::testing::{ONE_INPUT, PLAIN, Parts};
    use crate::coordinator::phase::JobScope;
    use crate::dataset::testing::instant;
    use crate::model::Properties;

    struct Paths(BTreeSet<&'static str>);

    impl Presence for Paths {
        fn is_present(&mut self, dependency: &str) -> bool {
            self.0.contains(dependency)
        }
    }

    /// The event `in` waits for `/logs/2009`; `expect` is what `coord:dataIn` of the name gives, `None` when it waits.
    fn check(events: &str, name: &str, existing: &[&'static str], expect: Option<&str>) {
        let (coordinator, problems) = Parts { events, ..PLAIN }.parse(&[]);
        let coordinator = coordinator.unwrap_or_else(|| panic!("{problems:?}"));
        let configuration = Properties::new();
        let scope = JobScope { configuration: &configuration, processing: ProcessingZone::UTC };
        let nominal = instant("2009-06-01T00:00Z");
        let mut action = coordinator.resolve(scope, nominal).expect("the instances resolve");
        let reach = Reach { nominal, latest_from: nominal, most_tried: 1000 };
        let moment = Moment { reach, waited_minutes: 5 };
        let sight = coordinator.satisfy(&mut action, moment, &mut Paths(existing.iter().copied().collect()));
        let logic = action.logic.get(name).cloned().flatten();
        let event = action.inputs.iter().find(|event| event.name == name).map(|event| join(event.instances()));
        assert_eq!(sight.is_complete.then(|| logic.or(event)).flatten().as_deref(), expect, "{events}");
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
    fn waits_for_what_the_logic_wants() {
        let logic = |inside: &str| format!("{ONE_INPUT}<input-logic>{inside}</input-logic>");
        let either = logic(r#"<or name="x"><data-in dataset="in"/></or>"#);
        check(&either, "x", &["/logs/2009/_SUCCESS"], Some("/logs/2009"));
        check(&either, "x", &[], None);
        let none_needed = logic(r#"<data-in name="x" dataset="in" min="0"/>"#);
        check(&none_needed, "x", &[], Some(""));
        // What nobody looked at has nothing: `coord:dataIn` stays as it is written.
        let second = r#"<or><data-in name="x" dataset="in" min="0"/><and name="y"><data-in dataset="in"/></and></or>"#;
        check(&logic(second), "x", &[], Some(""));
        check(&logic(second), "y", &[], None);
        check(&logic(r#"<data-in name="x" dataset="in" min="0" wait="6"/>"#), "x", &[], None);
        check(&logic(r#"<data-in name="x" dataset="in" min="0" wait="5"/>"#), "x", &[], Some(""));
    }
}

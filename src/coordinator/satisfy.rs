//! Whether the inputs of an action are there, with or without input logic.
//!
//! Must never know files or the clock: presence is asked through [`Presence`], the time is told.

use crate::coordinator::action::{Instance, ResolvedAction, Slot, join};
use crate::coordinator::definition::Coordinator;
use crate::coordinator::input_logic::{Availability, InputLogic, Inputs, Outcome};
use crate::coordinator::phase::EventTexts;
use crate::dataset::{Presence, SearchResult};
use crate::model::time::Timestamp;

/// The time of a look at an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) nominal: Timestamp,
    pub(crate) now: Timestamp,
    /// Whole minutes since the later of nominal and created time.
    pub(crate) waited_minutes: i64,
}

impl Coordinator {
    /// Answers whether all that the action needs is there; then its searches are replaced by what they found.
    pub(crate) fn satisfy(&self, action: &mut ResolvedAction, moment: Moment, presence: &mut dyn Presence) -> bool {
        if let Some(logic) = &self.logic {
            return self.satisfy_logic(logic, action, moment, presence);
        }
        let missing = action.dependencies().any(|instance| !presence.is_present(&instance.dependency));
        !missing && self.search(action, moment, presence)
    }

    /// Makes the searches of an action's inputs: all of them, or none.
    ///
    /// Answers whether every search found its instances; then the slots hold them.
    pub(crate) fn search(&self, action: &mut ResolvedAction, moment: Moment, presence: &mut dyn Presence) -> bool {
        let processing = self.schedule.processing;
        let mut found = Vec::new();
        for (resolved, event) in action.inputs.iter().zip(&self.inputs) {
            for search in resolved.searches() {
                match search.resolve(&event.dataset, (moment.nominal, moment.now), processing, presence) {
                    SearchResult::Found(times) => found.push(times),
                    SearchResult::Unresolved(_) => return false,
                }
            }
        }
        let mut found = found.into_iter();
        for (resolved, event) in action.inputs.iter_mut().zip(&self.inputs) {
            for slot in std::mem::take(&mut resolved.slots) {
                match slot {
                    Slot::Instance(_) => resolved.slots.push(slot),
                    Slot::Search(_) => {
                        let times = found.next().unwrap_or_default();
                        let instances = Instance::found(&event.dataset, times, processing);
                        resolved.slots.extend(instances.map(Slot::Instance));
                    }
                }
            }
        }
        true
    }

    fn satisfy_logic(
        &self,
        logic: &InputLogic,
        action: &mut ResolvedAction,
        moment: Moment,
        presence: &mut dyn Presence,
    ) -> bool {
        let seen = vec![None; action.inputs.len()];
        let mut look = Look { coordinator: self, action, moment, presence, seen };
        if !matches!(logic.root.judge(&mut look, moment.waited_minutes), Outcome::Satisfied(_)) {
            return false;
        }
        let mut texts = EventTexts::new();
        for (name, node) in logic.named() {
            let text = match node.judge(&mut look, moment.waited_minutes) {
                Outcome::Satisfied(taken) => Some(join(taken.iter())),
                Outcome::Waiting | Outcome::Unsatisfied => None,
            };
            let known = texts.entry(name.to_owned()).or_default();
            *known = known.take().or(text);
        }
        let seen = look.seen;
        for (event, seen) in action.inputs.iter_mut().zip(seen) {
            if let Some(seen) = seen.filter(|seen| !seen.search_open) {
                event.slots = seen.instances.into_iter().map(|(instance, _)| Slot::Instance(instance)).collect();
            }
        }
        action.logic = texts;
        true
    }
}

/// A look at the inputs of one action; each event is looked at once, when the logic comes to it.
struct Look<'a> {
    coordinator: &'a Coordinator,
    action: &'a ResolvedAction,
    moment: Moment,
    presence: &'a mut dyn Presence,
    seen: Vec<Option<Availability>>,
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
        let times = (self.moment.nominal, self.moment.now);
        let mut found = Availability::default();
        for slot in &self.action.inputs[event].slots {
            match slot {
                Slot::Instance(instance) => {
                    let present = self.presence.is_present(&instance.dependency);
                    found.instances.push((instance.clone(), present));
                }
                Slot::Search(search) => {
                    let times = match search.resolve(dataset, times, processing, self.presence) {
                        SearchResult::Found(times) => times,
                        SearchResult::Unresolved(times) => {
                            found.search_open = true;
                            times
                        }
                    };
                    let there = Instance::found(dataset, times, processing);
                    found.instances.extend(there.map(|instance| (instance, true)));
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
        let moment = Moment { nominal, now: nominal, waited_minutes: 5 };
        let ready = coordinator.satisfy(&mut action, moment, &mut Paths(existing.iter().copied().collect()));
        let logic = action.logic.get(name).cloned().flatten();
        let event = action.inputs.iter().find(|event| event.name == name).map(|event| join(event.instances()));
        assert_eq!(ready.then(|| logic.or(event)).flatten().as_deref(), expect, "{events}");
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
        check(&logic(r#"<data-in name="x" dataset="in" min="0" wait="6"/>"#), "x", &[], None);
        check(&logic(r#"<data-in name="x" dataset="in" min="0" wait="5"/>"#), "x", &[], Some(""));
    }
}

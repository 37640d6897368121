//! The `input-logic` element (specification 6.10; decisions C19, C21, C22).
//!
//! `min` and `wait` apply to everything inside an element, except where an inner element sets its own. All events of a
//! `combine` must have the same number of instances. Must not depend on which data exists.

use super::attribute::tag_location;
use crate::coordinator::creation::{AnyAction, RangeEnd};
use crate::coordinator::definition::Instances;
use crate::coordinator::input_logic::{Enough, InputLogic, LogicNode, Rule};
use crate::coordinator::outline::EventOutline;
use crate::coordinator::parse::parser::Parser;
use crate::coordinator::phase::{InstanceFunction, SubmitInstances};
use howdah_calendar::whole_number;
use howdah_words::error::{Error, ErrorCode};
use howdah_xml::Element;

/// An element was refused and the problem was reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused;

impl Parser<'_> {
    /// Reads the input logic over the declared inputs, if there is one.
    pub(super) fn input_logic(
        &mut self,
        root: &Element,
        inputs: &[EventOutline],
    ) -> Result<Option<InputLogic>, Refused> {
        let Some(element) = root.child("input-logic") else { return Ok(None) };
        let mut nodes = self.logic_children(element, inputs, Enough::default()).ok_or(Refused)?;
        if nodes.is_empty() {
            let error = Error::new(ErrorCode::E1028, "there is nothing in it");
            let error = error.help("name the data-in that an action has to wait for, or remove the element");
            self.problems.push(error.at(tag_location(self, element)));
            return Err(Refused);
        }
        let root = if nodes.len() == 1 { nodes.remove(0) } else { LogicNode { name: None, rule: Rule::All(nodes) } };
        Ok(Some(InputLogic { root }))
    }

    fn logic_children(&mut self, element: &Element, inputs: &[EventOutline], outer: Enough) -> Option<Vec<LogicNode>> {
        let nodes: Vec<Option<LogicNode>> =
            element.elements().map(|child| self.logic_node(child, inputs, outer)).collect();
        nodes.into_iter().collect()
    }

    /// Reads one element; its own `min` and `wait` win over those of the elements around it.
    fn logic_node(&mut self, element: &Element, inputs: &[EventOutline], outer: Enough) -> Option<LogicNode> {
        let name = match element.attribute("name") {
            Some(name) => Some(self.evaluate(name, &mut SubmitInstances(self.job))?).filter(|name| !name.is_empty()),
            None => None,
        };
        let enough = self.enough(element, outer)?;
        let rule = match element.name.as_str() {
            "and" => Rule::All(self.logic_children(element, inputs, enough)?),
            "or" => Rule::Any(self.logic_children(element, inputs, enough)?),
            "combine" => Rule::Combine(self.combined_events(element, inputs)?, enough),
            _ => Rule::Event(self.logic_event(element, inputs)?, enough),
        };
        Some(LogicNode { name, rule })
    }

    fn enough(&mut self, element: &Element, outer: Enough) -> Option<Enough> {
        let min = self.logic_number(element, "min").ok()?.and_then(|min| usize::try_from(min).ok());
        let wait_minutes = self.logic_number(element, "wait").ok()?;
        Some(Enough { min: min.or(outer.min), wait_minutes: wait_minutes.unwrap_or(outer.wait_minutes) })
    }

    /// Reads a whole number that is not negative, if the attribute exists.
    fn logic_number(&mut self, element: &Element, name: &str) -> Result<Option<i64>, Refused> {
        let Some(text) = element.attribute(name) else { return Ok(None) };
        let value = self.plain(text).ok_or(Refused)?;
        let number = whole_number(&value).filter(|number| *number >= 0).ok_or_else(|| {
            let message = format!("{name} = [{value}] must be a whole number that is not negative");
            Error::new(ErrorCode::E1028, message).help("write 0, 1, 2 and so on, or leave it out")
        });
        self.keep(number, text).map(Some).ok_or(Refused)
    }

    /// Returns the index of the event that a `data-in` of the logic names.
    fn logic_event(&mut self, element: &Element, inputs: &[EventOutline]) -> Option<usize> {
        let text = element.attribute("dataset")?;
        let name = self.evaluate(text, &mut SubmitInstances(self.job))?;
        let place = inputs.iter().position(|event| event.name == name);
        let Some(place) = place else {
            let otherwise = "name a data-in of <input-events>, not its dataset";
            let advice = self.advice(&name, inputs.iter().map(|event| event.name.as_str()), otherwise);
            self.report(Error::new(ErrorCode::E1028, format!("Data set not found : {name}")).help(advice), text);
            return None;
        };
        Some(place)
    }

    fn combined_events(&mut self, element: &Element, inputs: &[EventOutline]) -> Option<Vec<usize>> {
        let events: Vec<Option<usize>> = element.elements().map(|child| self.logic_event(child, inputs)).collect();
        let events = events.into_iter().collect::<Option<Vec<_>>>()?;
        if let Some(problem) = self.combine_problem(&events, inputs) {
            self.problems.push(Error::new(ErrorCode::E1028, problem).at(tag_location(self, element)));
            return None;
        }
        Some(events)
    }

    /// Returns why events cannot be combined.
    fn combine_problem(&self, events: &[usize], inputs: &[EventOutline]) -> Option<String> {
        let instances = || events.iter().filter_map(|event| inputs[*event].instances.as_deref());
        if events.len() < 2 {
            return Some("combine needs at least two data-in".to_owned());
        }
        if instances().any(searches) {
            return Some("Combine is not supported for latest/future".to_owned());
        }
        let mut lengths = instances().filter_map(|instances| self.number_of_instances(instances));
        let first = lengths.next()?;
        lengths.any(|length| length != first).then(|| {
            let names: Vec<&str> = events.iter().map(|event| inputs[*event].name.as_str()).collect();
            format!("Combine should have same range. DataSets : [{}]", names.join(", "))
        })
    }

    /// Returns how many instances an event has; `None` where the number differs between actions or is not known.
    fn number_of_instances(&self, instances: &Instances) -> Option<i64> {
        let any_action = AnyAction { job: self.job, knowledge: self.knowledge };
        match instances {
            Instances::Single(texts) => i64::try_from(texts.len()).ok(),
            Instances::Range { start, end } => {
                match (any_action.range_end(start).ok()?, any_action.range_end(end).ok()?) {
                    (
                        RangeEnd::Calls(InstanceFunction::Current(first)),
                        RangeEnd::Calls(InstanceFunction::Current(last)),
                    ) => Some(last.saturating_sub(first).saturating_add(1)),
                    _ => None,
                }
            }
        }
    }
}

/// Returns whether an instance is found only when the action is about to start.
fn searches(instances: &Instances) -> bool {
    let search = |name: &str| name.starts_with("latest") || name.starts_with("future");
    let texts = match instances {
        Instances::Single(texts) => texts.iter().collect(),
        Instances::Range { start, end } => vec![start, end],
    };
    texts.iter().any(|text| text.template.calls().any(|call| call.prefix == "coord" && search(&call.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::parse::testing::{ONE_INPUT, PLAIN, Parts};

    /// Shows the leaves with their `min` and `wait`, and the operators around them.
    fn tree(node: &LogicNode) -> String {
        let rule = match &node.rule {
            Rule::Event(_, enough) => format!("in{}", rules(*enough)),
            Rule::Combine(events, enough) => format!("combine{}{}", events.len(), rules(*enough)),
            Rule::All(children) => format!("and({})", children.iter().map(tree).collect::<Vec<_>>().join(" ")),
            Rule::Any(children) => format!("or({})", children.iter().map(tree).collect::<Vec<_>>().join(" ")),
        };
        node.name.as_ref().map_or(rule.clone(), |name| format!("{name}={rule}"))
    }

    fn rules(enough: Enough) -> String {
        let min = enough.min.map(|min| format!("/{min}")).unwrap_or_default();
        if enough.wait_minutes == 0 { min } else { format!("{min}+{}", enough.wait_minutes) }
    }

    fn check(logic: &str, expect: &str) {
        let events = format!("{ONE_INPUT}<input-logic>{logic}</input-logic>");
        let (coordinator, problems) = Parts { events: &events, ..PLAIN }.parse(&[]);
        let coordinator = coordinator.unwrap_or_else(|| panic!("{logic}: {problems:?}"));
        assert_eq!(tree(&coordinator.logic.expect("a logic").root), expect, "{logic}");
    }

    const IN: &str = r#"<data-in dataset="in"/>"#;

    #[test]
    fn min_and_wait_apply_to_all_inside_without_their_own() {
        check(&format!(r#"<or min="2" wait="10">{IN}{IN}</or>"#), "or(in/2+10 in/2+10)");
        check(&format!(r#"<or min="2" wait="10"><and>{IN}</and></or>"#), "or(and(in/2+10))");
        check(&format!(r#"<or min="2" wait="10"><and wait="5">{IN}</and></or>"#), "or(and(in/2+5))");
        check(r#"<or min="2" wait="10"><data-in dataset="in" min="0"/></or>"#, "or(in/0+10)");
        check(r#"<or wait="10"><and><data-in dataset="in" wait="0"/></and></or>"#, "or(and(in))");
        check(&format!(r#"<and min="1"><combine wait="3">{IN}{IN}</combine></and>"#), "and(combine2/1+3)");
        check(&format!(r#"<and min="1"><combine min="2">{IN}{IN}</combine></and>"#), "and(combine2/2)");
    }

    #[test]
    fn names_and_several_elements_below_the_root() {
        check(&format!(r#"<or name="x"><and name="y">{IN}</and></or>"#), "x=or(y=and(in))");
        check(&format!("{IN}<or>{IN}</or>"), "and(in or(in))");
        check(r#"<data-in name="x" dataset="in"/>"#, "x=in");
    }
}

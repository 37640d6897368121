//! Input and output events (specification 6.3, 6.6; decisions C15, C35, C42).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::coordinator::creation::AnyAction;
use crate::coordinator::definition::{Expression, Instances};
use crate::coordinator::outline::EventOutline;
use crate::coordinator::parse::parser::{Datasets, Parser};
use crate::coordinator::phase::{OtherProperties, SubmitInstances};
use crate::dataset::{Dataset, check_uri};
use howdah_calendar::Schedule;
use howdah_el::{Knowledge, PartlyKnown};
use howdah_words::error::{Error, ErrorCode, Location, Result};
use howdah_xml::{Element, Text};

/// The two kinds of events, by their element names.
pub(super) struct Kind {
    list: &'static str,
    event: &'static str,
    /// The word in Oozie's message about a repeated name.
    word: &'static str,
}

/// `data-in`.
pub(super) const INPUT: Kind = Kind { list: "input-events", event: "data-in", word: "dataIn" };
/// `data-out`.
pub(super) const OUTPUT: Kind = Kind { list: "output-events", event: "data-out", word: "dataOut" };

impl Parser<'_> {
    /// Reads the declared events of a kind, as far as they are known.
    pub(super) fn events(&mut self, root: &Element, datasets: &Datasets, kind: &Kind) -> Vec<EventOutline> {
        let Some(list) = root.child(kind.list) else { return Vec::new() };
        let mut names = BTreeSet::new();
        let mut events = Vec::new();
        for element in list.children_named(kind.event) {
            if let Some(name) = element.attribute("name").filter(|name| !names.insert(name.value.clone())) {
                let error = Error::plain(ErrorCode::E0803, format!("Duplicate {} name {}", kind.word, name.value));
                self.report(error.help("give each event a name of its own"), name);
            }
            let instances = self.instances(element, kind).map(Arc::new);
            let is_known = instances.as_ref().is_some_and(|instances| self.is_known(instances));
            let dataset = self.event_dataset(element, datasets);
            let (name, place) = match element.attribute("name") {
                Some(name) => (name.value.clone(), name.span),
                None => (String::new(), element.tag),
            };
            let place = Location::new(&self.source, place);
            events.push(EventOutline { name, place, dataset, instances, is_known, nocleanup: nocleanup(element) });
        }
        events
    }

    fn event_dataset(&mut self, element: &Element, datasets: &Datasets) -> Option<Arc<Dataset>> {
        let text = element.attribute("dataset")?;
        let name = self.evaluate(text, &mut SubmitInstances(self.job))?;
        if let Some(declared) = datasets.get(&name) {
            let dataset = declared.as_ref()?;
            // An instance without a URI is refused with its action.
            let uri = dataset.uri(dataset.initial(), self.job.processing).ok();
            let checked = uri.map_or(Ok(()), |uri| check_uri(&uri));
            return self.keep(checked.map(|()| Arc::clone(dataset)), text);
        }
        // A dataset that may be in a file that could not be read is not undefined. One that is declared inside the
        // event, the form in which Oozie stores a job, is left to the schema to refuse.
        if !self.include_lost && element.child("dataset").is_none() {
            let error = Error::plain(ErrorCode::E0803, format!("undefined dataset: {name}"));
            let otherwise = "declare it in <datasets>, or include the file that does";
            let advice = self.advice(&name, datasets.keys().map(String::as_str), otherwise);
            self.report(error.help(advice), text);
        }
        None
    }

    fn instances(&mut self, element: &Element, kind: &Kind) -> Option<Instances> {
        if let (Some(start), Some(end)) = (element.child("start-instance"), element.child("end-instance")) {
            let start = self.instance(&start.text(), "start-instance", kind);
            let end = self.instance(&end.text(), "end-instance", kind);
            let (start, end) = (start?, end?);
            self.unless_refused(|any| any.check_range(&start, &end))?;
            return Some(Instances::Range { start, end });
        }
        let singles: Vec<Option<Expression>> = element
            .children_named("instance")
            .map(|instance| {
                let expression = self.instance(&instance.text(), "instance", kind)?;
                self.refuse_range_start(&expression)?;
                self.unless_refused(|any| any.check_instance(&expression))?;
                Some(expression)
            })
            .collect();
        singles.into_iter().collect::<Option<Vec<_>>>().map(Instances::Single)
    }

    /// Returns whether everything that the texts of instances name is known. Their evaluation does not show it: here
    /// stand-ins replace the action, and another action may take another branch.
    fn is_known(&self, instances: &Instances) -> bool {
        let job = self.job;
        let known = |text: &Expression| {
            let mut phase = SubmitInstances(job);
            !text.template.has_unknowns(&mut PartlyKnown::over(&mut phase, OtherProperties(job.configuration)))
        };
        self.knowledge == Knowledge::Complete
            || match instances {
                Instances::Single(texts) => texts.iter().all(known),
                Instances::Range { start, end } => known(start) && known(end),
            }
    }

    /// Reads one instance text: not empty, one instance only, and accepted by the phase that checks it.
    fn instance(&mut self, text: &Text, tag: &str, kind: &Kind) -> Option<Expression> {
        if text.value.is_empty() {
            let error = Error::new(ErrorCode::E1021, format!("<{tag}> tag within {} is empty!", kind.list))
                .help("write an instance such as ${coord:current(0)}, or remove the element");
            self.report(error, text);
            return None;
        }
        if has_bare_comma(&text.value) {
            let message = format!(
                "{} {tag} '{}' contains more than one date instance. Coordinator job NOT SUBMITTED.",
                kind.list, text.value
            );
            let error =
                Error::new(ErrorCode::E1021, message).help(format!("write one <{tag}> element for each instance"));
            self.report(error, text);
            return None;
        }
        let expression = self.checked_expression(text, &mut SubmitInstances(self.job))?;
        self.warn_of_digits(&text.value, text);
        if kind.event == OUTPUT.event { self.refuse_search(expression) } else { Some(expression) }
    }

    /// Searches need existing instances, and an output does not exist yet (decision C49).
    fn refuse_search(&mut self, expression: Expression) -> Option<Expression> {
        const SEARCHES: [&str; 4] = ["latest", "latestRange", "future", "futureRange"];
        let is_search = |name: &str| SEARCHES.contains(&name);
        let search = expression.template.calls().find(|call| call.prefix == "coord" && is_search(&call.name));
        let search = search.map(|call| (format!("coord:{}()", call.name), expression.text.locate(call.span)));
        let Some((function, span)) = search else { return Some(expression) };
        let place = Location::new(&self.source, span);
        let why = "an output event cannot search for existing instances";
        let error =
            Error::with(ErrorCode::E1006, &[&function, &why]).help("write coord:current(n) or coord:offset(n, unit)");
        self.report_at(error, place);
        None
    }

    /// Refuses ranges that end before they start (E1010), and forgets their instances.
    pub(super) fn check_order(&mut self, events: &mut [EventOutline], schedule: &Schedule) {
        for event in events {
            if self.unless_refused(|any| any.check_order(event, schedule)).is_none() {
                event.instances = None;
            }
        }
    }

    /// Asks whether no action can be created, and reports the problem; `None` where there is one.
    fn unless_refused(&mut self, check: impl Fn(&AnyAction<'_>) -> Result<()>) -> Option<()> {
        let refused = check(&AnyAction { job: self.job, knowledge: self.knowledge }).err();
        let refuses = refused.is_some();
        self.problems.extend(refused);
        (!refuses).then_some(())
    }

    /// `absolute` and `endOf...` are valid only as the start of a range (specification 6.6.8).
    fn refuse_range_start(&mut self, expression: &Expression) -> Option<()> {
        let misplaced = expression
            .template
            .calls()
            .find(|call| call.prefix == "coord" && (call.name == "absolute" || call.name.starts_with("endOf")));
        let Some(call) = misplaced else { return Some(()) };
        let message = format!("coord:{} is allowed only in a <start-instance>", call.name);
        let place = Location::new(&self.source, expression.text.locate(call.span));
        let error = Error::new(ErrorCode::E1010, message).at(place);
        self.problems.push(error.help("name one instance with coord:current or coord:offset, or write a range"));
        None
    }
}

/// Returns whether a rerun keeps the event's instances: accepts the two words that XML has for true.
fn nocleanup(element: &Element) -> bool {
    element.attribute("nocleanup").is_some_and(|text| matches!(text.value.trim(), "true" | "1"))
}

/// Returns whether the text has a comma outside the parentheses of every call.
fn has_bare_comma(text: &str) -> bool {
    // Most texts have none at all.
    if !text.contains(',') {
        return false;
    }
    let (mut braces, mut parentheses) = (0_u32, 0_u32);
    let mut quote = None;
    let mut previous = ' ';
    for character in text.chars() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) if braces > 0 => quote = Some(character),
            ('{', None) if previous == '$' => braces += 1,
            ('}', None) => braces = braces.saturating_sub(1),
            ('(', None) if braces > 0 => parentheses += 1,
            (')', None) if braces > 0 => parentheses = parentheses.saturating_sub(1),
            (',', None) if braces == 0 || parentheses == 0 => return true,
            _ => {}
        }
        previous = character;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_belong_inside_calls() {
        for (text, expect) in [
            ("${coord:current(0)}", false),
            ("${coord:offset(1, \"DAY\")}", false),
            ("${coord:current(0)},${coord:current(1)}", true),
            ("2009-01-01T00:00Z,2009-01-02T00:00Z", true),
            ("${coord:current(0), coord:current(1)}", true),
            ("${coord:conf('a,b')}", false),
        ] {
            assert_eq!(has_bare_comma(text), expect, "{text}");
        }
    }
}

//! The SLA elements of a workflow application, and their texts evaluated as submission does it (coordinator
//! specification 12; `SubmitXCommand`).
//!
//! Every action of the definition counts, whether it can be reached or not, as with Oozie. Must not depend on the
//! meaning of the texts: that is `crate::sla`.

use super::submission::evaluate_sla;
use howdah_el::is_literal;
use howdah_words::error::{Error, Location};
use howdah_words::model::Properties;
use howdah_xml::{Document, Element};

/// The SLA element of a workflow job or of one of its actions.
#[derive(Clone, Copy, Debug)]
pub struct SlaElement<'a> {
    /// The action that contains it; `None`: it is about the whole job.
    pub node: Option<&'a str>,
    info: &'a Element,
    document: &'a Document,
}

/// A child of an SLA element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlaValue {
    pub name: String,
    pub value: String,
    /// The place of its text.
    pub place: Location,
}

/// Finds the SLA elements of a definition: the job's, then those of its actions in document order.
pub fn elements(document: &Document) -> impl Iterator<Item = SlaElement<'_>> {
    let actions = document.root.children_named("action");
    let actions = actions.map(|action| (action.attribute("name").map(|name| name.value.as_str()), action));
    let holders = std::iter::once((None, &document.root)).chain(actions);
    holders.filter_map(move |(node, holder)| Some(SlaElement { node, info: holder.child("info")?, document }))
}

impl SlaElement<'_> {
    /// Returns what it is about, for a message.
    pub fn subject(&self) -> String {
        self.node.map_or_else(|| "workflow".to_owned(), |node| format!("action {node}"))
    }

    /// Returns the place where the element starts.
    pub fn place(&self) -> Location {
        self.document.locate(self.info.tag)
    }

    /// Returns its children with their values over the job's properties and the units of time, and E1004 with the place
    /// of each that has none.
    pub fn evaluated(&self, configuration: &Properties) -> (Vec<SlaValue>, Vec<Error>) {
        let (mut values, mut errors) = (Vec::new(), Vec::new());
        for child in self.info.elements() {
            let text = child.text();
            match evaluate_sla(&text.value, configuration) {
                Ok(value) => values.push(self.value(child, value)),
                Err(fault) => {
                    let place = self.document.locate(text.locate(fault.span));
                    errors.push(fault.into_error().at(place));
                }
            }
        }
        (values, errors)
    }

    /// Returns its children without any expression: no property changes them.
    pub fn literals(&self) -> Vec<SlaValue> {
        let texts = self.info.elements().map(|child| (child, child.text().value));
        texts.filter(|(_, text)| is_literal(text)).map(|(child, text)| self.value(child, text)).collect()
    }

    fn value(&self, child: &Element, value: String) -> SlaValue {
        SlaValue { name: child.name.to_string(), value, place: self.document.locate(child.text().span) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    const WORKFLOW: &str = "<workflow-app><action name='a'><fs/><info>\
        <should-end>${n * HOURS}</should-end></info></action><action name='b'><fs/></action><info>\
        <nominal-time>${at}</nominal-time><should-end> 5 </should-end></info></workflow-app>";

    /// Each element with its subject, its children, and their faults.
    fn check(properties: &[(&str, &str)], expect: &[&str]) {
        let document = read(&SourceText::new("w.xml", WORKFLOW)).unwrap();
        let conf = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let reported = |element: SlaElement<'_>| {
            let (values, errors) = element.evaluated(&conf);
            let values = values.iter().map(|value| format!("{}={}", value.name, value.value));
            let errors = errors.iter().map(|error| {
                let place = error.location().expect("a place");
                format!("{} {}", error.code(), &WORKFLOW[place.span.start..place.span.end])
            });
            let parts: Vec<String> = std::iter::once(element.subject()).chain(values).chain(errors).collect();
            parts.join(" ")
        };
        assert_eq!(elements(&document).map(reported).collect::<Vec<_>>(), expect, "{properties:?}");
    }

    #[test]
    fn texts_are_evaluated_over_the_properties_of_the_job() {
        check(
            &[("n", "2"), ("at", "2026-03-01T00:00Z")],
            &["workflow nominal-time=2026-03-01T00:00Z should-end=5", "action a should-end=120"],
        );
        check(&[("n", "2")], &["workflow should-end=5 E1004 at", "action a should-end=120"]);
        check(&[("at", "x"), ("n", "x")], &["workflow nominal-time=x should-end=5", "action a E1004 n * HOURS"]);
    }

    #[test]
    fn literals_are_known_without_properties() {
        let document = read(&SourceText::new("w.xml", WORKFLOW)).unwrap();
        let literals: Vec<SlaValue> = elements(&document).flat_map(|element| element.literals()).collect();
        assert_eq!(
            literals.iter().map(|value| (&*value.name, &*value.value)).collect::<Vec<_>>(),
            [("should-end", "5")]
        );
    }
}

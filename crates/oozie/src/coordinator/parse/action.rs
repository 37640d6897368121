//! The action of an application: the workflow it runs, its configuration, its SLA.

use super::attribute::tag_location;
use crate::coordinator::definition::{ConfigurationValue, Expression};
use crate::coordinator::outline::Outline;
use crate::coordinator::parse::parser::Parser;
use crate::coordinator::phase::event::EventNames;
use crate::coordinator::phase::{SlaSubmit, SubmitData};
use howdah_el::Knowledge;
use howdah_words::error::{Error, ErrorCode, Location};
use howdah_xml::{Element, Text};

/// App-path, configuration values and SLA values.
type Action = (String, Vec<ConfigurationValue>, Vec<ConfigurationValue>);

impl Parser<'_> {
    /// The `action` element; `None` when something in it is refused.
    ///
    /// `events` is `None` when not all names are known that `coord:dataIn` may use.
    pub(super) fn action(
        &mut self,
        action: Option<&Element>,
        events: Option<&EventNames>,
        outline: &mut Outline,
    ) -> Option<Action> {
        let action = action?;
        let workflow = action.child("workflow")?;
        let path_text = workflow.child("app-path")?.text();
        let app_path = self.plain(&path_text);
        if app_path.as_deref() == Some("") {
            let error = Error::with(ErrorCode::E1006, &[&"app-path", &"the path of the workflow application is empty"]);
            let error = error.help("write the path of the workflow application into <app-path>");
            self.problems.push(error.at(tag_location(self, workflow)));
        }
        let configuration = self.configuration(workflow.child("configuration"), events);
        let sla = self.sla(action.elements().find(|element| element.name == "info"));
        outline.sla = sla.clone().unwrap_or_default();
        Some((app_path?, configuration?, sla?))
    }

    fn configuration(
        &mut self,
        configuration: Option<&Element>,
        events: Option<&EventNames>,
    ) -> Option<Vec<ConfigurationValue>> {
        let properties = configuration.into_iter().flat_map(|element| element.children_named("property"));
        let values: Vec<Option<ConfigurationValue>> = properties
            .map(|property| {
                let name = property.child("name")?.text();
                let value = property.child("value").map(Element::text)?;
                let none = EventNames::default();
                let name = self.evaluate(&name, &mut SubmitData::new(self.job, events.unwrap_or(&none)));
                let value = self.configuration_value(&value, events);
                Some(ConfigurationValue { name: name?, value: value? })
            })
            .collect();
        values.into_iter().collect()
    }

    /// Checks a text of the configuration; a stand-in is used for what depends on an action.
    fn configuration_value(&mut self, text: &Text, events: Option<&EventNames>) -> Option<Expression> {
        let Some(events) = events else {
            return self.called_expression(text, &mut SubmitData::new(self.job, &EventNames::default()));
        };
        let mut phase = SubmitData::new(self.job, events);
        let value = self.checked_expression(text, &mut phase);
        for word in phase.bare_words.into_iter().filter(|_| self.knowledge == Knowledge::Complete) {
            let warning = Error::new(ErrorCode::W0104, &word).help(format!("write '{word}', in quotes"));
            self.problems.push(warning.at(Location::new(&self.source, text.span)));
        }
        value
    }

    fn sla(&mut self, info: Option<&Element>) -> Option<Vec<ConfigurationValue>> {
        let values: Vec<Option<ConfigurationValue>> = info
            .into_iter()
            .flat_map(Element::elements)
            .map(|child| {
                let text = child.text();
                let value = self.checked_expression(&text, &mut SlaSubmit(self.job))?;
                Some(ConfigurationValue { name: child.name.to_string(), value })
            })
            .collect();
        values.into_iter().collect()
    }
}

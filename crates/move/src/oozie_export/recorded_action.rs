//! What Oozie stored of an action it created: times, instances and configuration (`actionXml`).

use std::sync::Arc;

use howdah_words::error::SourceText;
use howdah_xml::{self as xml, Element};

/// An action as Oozie stored it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedAction {
    pub number: Option<String>,
    /// In the processing time zone, with its suffix.
    pub nominal: Option<String>,
    /// When it was created, in the processing time zone.
    pub actual: Option<String>,
    pub inputs: Vec<RecordedEvent>,
    pub outputs: Vec<RecordedEvent>,
    pub app_path: String,
    /// The action's own configuration, in document order.
    pub configuration: Vec<(String, String)>,
}

/// The instances of a data-in or data-out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    pub name: String,
    /// The URIs with `#` between them.
    pub uris: String,
    /// The functions that are resolved later, with `#` between them.
    pub unresolved: Option<String>,
}

impl RecordedAction {
    /// Reads the document of an action; `name` is its name in problems.
    ///
    /// # Errors
    /// What is wrong with the document, in words.
    pub fn read(name: &str, text: String) -> Result<Self, String> {
        let source: Arc<SourceText> = SourceText::new(name, text);
        let document = xml::read(&source).map_err(|errors| match errors.first() {
            Some(error) => error.message().to_owned(),
            None => "the document cannot be read".to_owned(),
        })?;
        let root = &document.root;
        if root.name != "coordinator-app" {
            return Err(format!("the document is <{}>, not <coordinator-app>", root.name));
        }
        let attribute = |name| root.attribute(name).map(|text| text.value.clone());
        let workflow = root.child("action").and_then(|action| action.child("workflow"));
        Ok(Self {
            number: attribute("instance-number"),
            nominal: attribute("action-nominal-time"),
            actual: attribute("action-actual-time"),
            inputs: events(root.child("input-events"), "data-in"),
            outputs: events(root.child("output-events"), "data-out"),
            app_path: text_of(workflow, "app-path").unwrap_or_default(),
            configuration: configuration(workflow),
        })
    }
}

fn text_of(element: Option<&Element>, name: &str) -> Option<String> {
    Some(element?.child(name)?.text().value)
}

fn events(list: Option<&Element>, name: &str) -> Vec<RecordedEvent> {
    let event = |element: &Element| RecordedEvent {
        name: element.attribute("name").map(|name| name.value.clone()).unwrap_or_default(),
        uris: text_of(Some(element), "uris").unwrap_or_default(),
        unresolved: text_of(Some(element), "unresolved-instances"),
    };
    list.into_iter().flat_map(|list| list.children_named(name)).map(event).collect()
}

fn configuration(workflow: Option<&Element>) -> Vec<(String, String)> {
    let list = workflow.and_then(|workflow| workflow.child("configuration"));
    let properties = list.into_iter().flat_map(|list| list.children_named("property"));
    properties
        .filter_map(|property| Some((text_of(Some(property), "name")?, text_of(Some(property), "value")?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_read() {
        let text = "<coordinator-app name='a' instance-number='3' action-nominal-time='2026-01-02T00:00Z'>
            <input-events>
              <data-in name='i' dataset='d'><uris>/a#/b</uris><dataset name='d'/></data-in>
              <data-in name='l' dataset='d'><unresolved-instances>${coord:latest(0)}</unresolved-instances></data-in>
            </input-events>
            <output-events><data-out name='o' dataset='d'><uris/></data-out></output-events>
            <action><workflow><app-path> /wf </app-path><configuration>
              <property><name>x</name><value>1</value></property><property><name>y</name><value/></property>
            </configuration></workflow></action></coordinator-app>";
        let read = RecordedAction::read("a", text.to_owned()).unwrap();
        assert_eq!((read.number.as_deref(), read.nominal.as_deref()), (Some("3"), Some("2026-01-02T00:00Z")));
        let shown = |events: &[RecordedEvent]| -> Vec<String> {
            let show = |event: &RecordedEvent| format!("{}={}{:?}", event.name, event.uris, event.unresolved);
            events.iter().map(show).collect()
        };
        assert_eq!(shown(&read.inputs), ["i=/a#/bNone", "l=Some(\"${coord:latest(0)}\")"]);
        assert_eq!(shown(&read.outputs), ["o=None"]);
        let pairs = [("x", "1"), ("y", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!((read.app_path.as_str(), read.configuration), ("/wf", pairs.to_vec()));
    }

    #[test]
    fn other_documents_are_refused() {
        assert!(RecordedAction::read("a", "<workflow-app/>".to_owned()).unwrap_err().contains("<workflow-app>"));
        assert!(RecordedAction::read("a", "<coordinator-app>".to_owned()).is_err());
    }
}

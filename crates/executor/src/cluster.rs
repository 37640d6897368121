//! The cluster that an action names: its `name-node` and `resource-manager` as properties of Hadoop.
//!
//! Follows the workflow specification, sections 3.2.2 and 3.2.6. They are added to the action's configuration; the
//! action's own properties win.

use crate::context::ActionContext;
use howdah_words::model::Properties;
use howdah_xml::Element;

/// The resource manager that means none: the jobs run inside the client.
const LOCAL: &str = "local";

/// Returns the action's configuration with its cluster.
pub(super) fn configuration(element: &Element, context: &ActionContext<'_>) -> Properties {
    let mut configuration = context.configuration.clone();
    let mut add = |name: &str, value: String| {
        configuration.entry(name.to_owned()).or_insert(value);
    };
    let text = |name| element.child(name).map(|child: &Element| child.text().value).filter(|text| !text.is_empty());
    if let Some(name_node) = text("name-node") {
        add("fs.defaultFS", name_node);
    }
    match text("resource-manager").or_else(|| text("job-tracker")) {
        Some(manager) if manager == LOCAL => add("mapreduce.framework.name", LOCAL.to_owned()),
        Some(manager) => add("yarn.resourcemanager.address", manager),
        None => {}
    }
    configuration
}

/// Returns the same over the site files of that cluster: what a program needs that starts jobs there itself.
pub(super) fn whole_configuration(element: &Element, context: &ActionContext<'_>) -> Properties {
    let mut whole = context.cluster.clone();
    whole.extend(configuration(element, context));
    whole
}

/// Checks whether the jobs of the action run inside their client.
pub(super) fn is_local(configuration: &Properties) -> bool {
    configuration.get("mapreduce.framework.name").is_some_and(|framework| framework == LOCAL)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element};
    use super::*;

    fn check(body: &str, expect: &[(&str, &str)], is_local_too: bool) {
        let mut sandbox = Sandbox::new();
        sandbox.configuration = [("a".to_owned(), "b".to_owned())].into();
        let got = configuration(&element(&format!("<pig>{body}</pig>")), &sandbox.context());
        let pairs: Vec<(&str, &str)> = got.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!((pairs.as_slice(), is_local(&got)), (expect, is_local_too), "{body}");
    }

    #[test]
    fn the_cluster_is_part_of_the_configuration() {
        check("", &[("a", "b")], false);
        check(
            "<job-tracker>local</job-tracker><name-node>file:///</name-node>",
            &[("a", "b"), ("fs.defaultFS", "file:///"), ("mapreduce.framework.name", "local")],
            true,
        );
        check(
            "<resource-manager>rm:8032</resource-manager><job-tracker>old:1</job-tracker>",
            &[("a", "b"), ("yarn.resourcemanager.address", "rm:8032")],
            false,
        );
    }
}

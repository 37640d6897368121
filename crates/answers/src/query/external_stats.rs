//! The counters of a node as Oozie shows them beside it: where its configuration asks for that (specification 3.2.2).
//!
//! Expressions read them whatever the configuration says.

use crate::query::context::Query;
use howdah_engine::stored_graph;
use howdah_engine::stored_properties::read_properties;
use howdah_oozie::configuration::read_configuration;
use howdah_oozie::workflow::definition::NodeKind;
use howdah_oozie::workflow::submission::evaluate_over_properties;
use howdah_words::error::{Result, SourceText};
use howdah_words::model::row::{WorkflowJob, WorkflowNode};
use howdah_xml::Element;

const WANTED: &str = "oozie.action.external.stats.write";
/// The site's bound for the characters that are shown; a negative one is none.
const LONGEST: &str = "oozie.external.stats.max.size";

impl Query<'_> {
    /// The counters of a node, if they are to be shown: as its own configuration says, else the `global` section, else
    /// the job's properties.
    pub(super) fn external_stats(&self, job: &WorkflowJob, node: &WorkflowNode) -> Result<Option<String>> {
        let Some(stats) = &node.stats else { return Ok(None) };
        let longest = self.settings.properties.get(LONGEST).and_then(|text| text.trim().parse::<usize>().ok());
        if longest.is_some_and(|longest| stats.chars().count() > longest) {
            return Ok(None);
        }
        let graph = stored_graph::graph(self.snapshot, job)?;
        let body = graph.node(&node.name).and_then(|node| match &node.kind {
            NodeKind::Action(action) => Some(&action.body),
            _ => None,
        });
        let properties = read_properties(&self.snapshot.document(job.configuration)?)?;
        let said = body.into_iter().chain(&graph.global).find_map(said_in);
        let said = said.or_else(|| properties.get(WANTED).cloned()).unwrap_or_default();
        let said = evaluate_over_properties(&said, &properties).unwrap_or_default();
        Ok(said.trim().eq_ignore_ascii_case("true").then(|| stats.clone()))
    }
}

/// What the `configuration` of an element says.
fn said_in(element: &Element) -> Option<String> {
    let source = SourceText::new("configuration", "");
    let mut read = read_configuration(element.child("configuration")?, &source).ok()?;
    read.values.remove(WANTED)
}

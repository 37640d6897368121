//! The definition of a stored workflow job, for questions about a node that the job may not have reached.
//!
//! Reads only the database: the definition is the submitted one. The runner keeps its own graphs.

use std::sync::Arc;

use crate::stored_properties::read_properties;
use howdah_oozie::workflow::definition::Workflow;
use howdah_oozie::workflow::parse;
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result, SourceText, did_you_mean};
use howdah_words::model::Properties;
use howdah_words::model::row::WorkflowJob;
use howdah_xml as xml;

/// Returns the graph of a workflow job.
///
/// # Errors
/// E0710 when the stored definition cannot be read any more.
pub fn graph(snapshot: &Snapshot, job: &WorkflowJob) -> Result<Workflow> {
    let source = SourceText::new(format!("{} (definition)", job.id), snapshot.document(job.definition)?);
    let configuration = read_properties(&snapshot.document(job.configuration)?)?;
    read_graph(&source, &configuration)
}

/// E0605 for a name that no node of the definition has, with the names of the nodes as help.
pub fn no_such_node(job: &WorkflowJob, graph: &Workflow, name: &str) -> Error {
    let names = graph.nodes().iter().map(|node| node.name.as_str());
    let help = match did_you_mean(name, names.clone()) {
        Some(near) => format!("did you mean {}@{near}?", job.id),
        None => format!("its nodes are {}", names.collect::<Vec<_>>().join(", ")),
    };
    Error::new(ErrorCode::E0605, format!("{}@{name}", job.id)).help(help)
}

pub(crate) fn unreadable(errors: Vec<Error>, source: &SourceText) -> Error {
    errors.into_iter().next().unwrap_or_else(|| Error::new(ErrorCode::E0710, &source.name))
}

/// Reads the graph of a definition that was accepted at submission.
pub(crate) fn read_graph(source: &Arc<SourceText>, configuration: &Properties) -> Result<Workflow> {
    let document = xml::read(source).map_err(|errors| unreadable(errors, source))?;
    let (workflow, errors) = parse::parse(&document, configuration);
    workflow.ok_or_else(|| unreadable(errors, source))
}

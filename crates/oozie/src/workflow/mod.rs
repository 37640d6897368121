//! Workflow applications: definition, graph, functions, steps, state machines.
//!
//! In reading order: `parse` turns a document into a `definition`, `validate` checks its graph and `decision` finds
//! cases without effect; `step` moves an `instance` from node to node; `resolve` evaluates what a node contains in a
//! `context`, `submission` what is evaluated before there are nodes, `sla` finds the SLA elements, `expressions` checks
//! both without any run, `knowledge` says what is known before one; `global` merges configurations; `job_state`,
//! `action_state`, `user_retry`, `transient_retry`, `suspend_nodes` and `rerun` are the rules of statuses. Follows the
//! workflow specification and what Oozie does. Pure: takes texts and values, returns values.

pub mod action_configuration;
pub mod action_state;
mod basic_functions;
mod constants;
pub mod context;
pub mod credentials;
mod decision;
pub mod definition;
pub mod expressions;
mod fork_join;
pub mod functions;
pub mod global;
pub mod instance;
mod java_regex;
pub mod job_state;
pub mod knowledge;
pub mod lint;
pub mod parse;
#[cfg(test)]
mod random_graph;
pub mod rerun;
pub mod resolve;
pub mod same_output;
pub mod sla;
pub mod step;
pub mod submission;
pub mod suspend_nodes;
#[cfg(test)]
mod testing;
pub mod transient_retry;
pub mod user_retry;
pub mod validate;
pub mod variables;

use howdah_words::error::Error;
use howdah_words::model::Properties;
use howdah_xml::Document;

pub use definition::Workflow;
pub use validate::ForkJoinCheck;

/// Reads and checks the definition in a document that the schema accepts; `conf` are the job's properties, formal
/// parameters included.
///
/// All problems are in the order in which Oozie finds them, warnings last; with an error among them the workflow must
/// not run.
pub fn load(document: &Document, conf: &Properties, check: ForkJoinCheck) -> (Option<Workflow>, Vec<Error>) {
    let (workflow, mut problems) = parse::parse(document, conf);
    if let (Some(workflow), true) = (&workflow, problems.is_empty()) {
        problems = validate::validate(workflow, check);
        if problems.iter().all(Error::is_warning) {
            problems.extend(decision::warnings(workflow));
        }
    }
    (workflow, problems)
}

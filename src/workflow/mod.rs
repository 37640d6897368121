//! Workflow applications: definition, graph, functions, steps, state machines.
//!
//! In reading order: `parse` turns a document into a `definition`, `validate` checks its graph and `decision` finds
//! cases without effect; `step` moves an `instance` from node to node; `resolve` evaluates what a node contains in a
//! `context`, `submission` what is evaluated before there are nodes, `sla` finds the SLA elements, `expressions` checks
//! both without any run, `knowledge` says what is known before one; `global` merges configurations; `job_state`,
//! `action_state`, `user_retry`, `transient_retry`, `suspend_nodes` and `rerun` are the rules of statuses. Follows the
//! workflow specification and what Oozie does. Pure: takes texts and values, returns values.

pub(crate) mod action_state;
mod basic_functions;
mod constants;
pub(crate) mod context;
pub(crate) mod credentials;
mod decision;
pub(crate) mod definition;
pub(crate) mod expressions;
mod fork_join;
pub(crate) mod functions;
pub(crate) mod global;
pub(crate) mod instance;
mod java_regex;
pub(crate) mod job_state;
pub(crate) mod knowledge;
pub(crate) mod parse;
#[cfg(test)]
mod random_graph;
pub(crate) mod rerun;
pub(crate) mod resolve;
pub(crate) mod same_output;
pub(crate) mod sla;
pub(crate) mod step;
pub(crate) mod submission;
pub(crate) mod suspend_nodes;
#[cfg(test)]
mod testing;
pub(crate) mod transient_retry;
pub(crate) mod user_retry;
pub(crate) mod validate;
pub(crate) mod variables;

use crate::error::Error;
use crate::model::Properties;
use crate::xml::Document;

pub(crate) use definition::Workflow;
pub(crate) use validate::ForkJoinCheck;

/// Reads and checks the definition in a document that the schema accepts; `conf` are the job's properties, formal
/// parameters included.
///
/// All problems are in the order in which Oozie finds them, warnings last; with an error among them the workflow must
/// not run.
pub(crate) fn load(document: &Document, conf: &Properties, check: ForkJoinCheck) -> (Option<Workflow>, Vec<Error>) {
    let (workflow, mut problems) = parse::parse(document, conf);
    if let (Some(workflow), true) = (&workflow, problems.is_empty()) {
        problems = validate::validate(workflow, check);
        if problems.iter().all(Error::is_warning) {
            problems.extend(decision::warnings(workflow));
        }
    }
    (workflow, problems)
}

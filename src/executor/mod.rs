//! Turns an action element into work: a command, file operations, a mail, a clone, a child workflow job.
//!
//! The element comes with its expressions already
//! evaluated. Nothing is done here but deciding what to do: the work is done by the shim of the attempt
//! ([`run_attempt`]), so that a crash of the runner in its middle is covered by the start protocol. Must never know the
//! store, the graph or the retry policy.

mod arguments;
mod cluster;
mod distcp;
mod elsewhere;
mod email;
mod ending;
mod file_operation;
mod foresight;
mod fs;
mod git;
mod hive;
mod hive2;
mod java;
mod jvm;
mod launch;
mod main_class;
mod map_reduce;
mod outcome;
mod permissions;
mod pig;
mod place;
mod report;
mod shell;
mod shipping;
mod spark;
mod spark_options;
mod sqoop;
mod ssh;
mod stage;
mod streaming;
mod sub_workflow;
mod termination;
mod words;
mod work;

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use fs::default_name_node;
pub(crate) use outcome::{Failure, FailureKind, NodeResult, child_result, result, result_of};
pub(crate) use place::Place;
pub(crate) use report::Report;
pub(crate) use sub_workflow::{ChildRequest, LIBRARY as PARENT_LIBRARY, ParentJob, plan as plan_sub_workflow};
use work::Task;
pub(crate) use work::{Work, place_of, run_attempt};

use crate::host::located::{Base, Located};
use crate::host::mounts::Mounts;
use crate::model::Properties;
use crate::model::time::Timestamp;
use crate::xml::{self, Element};

/// What an action is started with.
#[derive(Clone, Debug)]
pub(crate) struct ActionContext<'a> {
    /// Where other stores are on this machine.
    pub(crate) mounts: &'a Mounts,
    /// The application: its folder, in which relative `file` entries are found, and its store.
    pub(crate) application: &'a Base,
    /// The entries of `lib/` and of `oozie.libpath`.
    pub(crate) library: &'a [Located],
    /// The attempt's own working folder; created by the shim.
    pub(crate) directory: &'a Path,
    /// The user's home folder.
    pub(crate) home: &'a Path,
    /// The settings of the site.
    pub(crate) site: &'a Properties,
    /// The id of the workflow job.
    pub(crate) job_id: &'a str,
    /// The name of the node.
    pub(crate) node: &'a str,
    /// A text that nobody can guess, by which what the action does elsewhere is found again.
    pub(crate) token: &'a str,
    /// The user of the job.
    pub(crate) user: &'a str,
    /// The configuration of the job.
    pub(crate) job_configuration: &'a Properties,
    /// The environment that commands inherit.
    pub(crate) environment: &'a BTreeMap<String, String>,
    /// The action's effective configuration (decision W12); holds its own limits too.
    pub(crate) configuration: &'a Properties,
    /// The site files of the cluster that the action names; empty for an action that is not given them.
    pub(crate) cluster: &'a Properties,
    /// `oozie.action.fs.glob.max`: most files that one pattern may match.
    pub(crate) glob_max: usize,
    /// `oozie.action.max.output.data`: most bytes of captured output.
    pub(crate) output_max: usize,
    /// When the action is started.
    pub(crate) now: Timestamp,
}

/// How the work of an action begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Started {
    /// As an attempt under a shim.
    Attempt(Work),
    /// As a workflow job of its own.
    Child(ChildRequest),
}

/// The types of action that [`start`] knows.
pub(crate) const TYPES: [&str; 14] = [
    "distcp",
    "email",
    "fs",
    "git",
    "hive",
    "hive2",
    "java",
    "map-reduce",
    "pig",
    "shell",
    "spark",
    "sqoop",
    "ssh",
    "sub-workflow",
];

/// Decides how the action `element` (the child of `action` that names the type) begins.
/// A failure has the kind, code and message that Oozie gives it; E0723's words for a type that is not supported.
pub(crate) fn start(
    element: &Element,
    context: &ActionContext<'_>,
    parent: &ParentJob<'_>,
) -> Result<Started, Failure> {
    if element.name == "sub-workflow" {
        return sub_workflow::plan(element, parent).map(Started::Child);
    }
    main_class::check(element, context)?;
    let task = task(element, context)?;
    let place = Place::of(&element.name, context)?;
    Ok(Started::Attempt(Work { body: xml::write(element), place, task }))
}

fn task(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    match element.name.as_str() {
        "distcp" => distcp::plan(element, context),
        "email" => email::plan(element, context),
        "fs" => fs::plan(element, context),
        "git" => git::plan(element, context),
        "hive" => hive::plan(element, context),
        "hive2" => hive2::plan(element, context),
        "java" => java::plan(element, context),
        "map-reduce" => map_reduce::plan(element, context),
        "pig" => pig::plan(element, context),
        "shell" => shell::plan(element, context),
        "spark" => spark::plan(element, context),
        "sqoop" => sqoop::plan(element, context),
        "ssh" => ssh::plan(element, context),
        other => Err(Failure::failed("E0723", format!("Unsupported action type [{other}]"))),
    }
}

#[cfg(test)]
mod testing;

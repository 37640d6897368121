//! Turns an action element, with evaluated expressions, into work: a command, file operations, a mail, a clone, a child
//! workflow job.
//!
//! Only decides what to do. The shim of the attempt does the work (`perform::run_attempt`), so the start protocol
//! covers a crash of the runner. Must not depend on the store, the graph or the retry policy.

mod arguments;
mod blocked;
mod cluster;
pub(crate) mod command_work;
pub mod context;
mod distcp;
mod element;
mod email;
pub(crate) mod end_rule;
mod ending;
pub mod failure;
mod file_operation;
pub mod file_operations;
mod fs;
mod git;
mod hive;
mod hive2;
mod java;
mod jvm;
mod launch;
mod main_class;
mod map_reduce;
pub mod note;
mod outcome;
pub mod perform;
mod permissions;
mod pig;
mod place;
mod precheck;
mod remote_jobs;
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
mod tidy;
mod words;
mod work;

use crate::context::ActionContext;
use howdah_xml::{self as xml, Element};
use work::Task;

pub use crate::failure::Failure;
pub use fs::default_name_node;
pub use outcome::{child_result, result, result_of};
pub use place::Place;
pub use report::Report;
pub use sub_workflow::{ChildRequest, LIBRARY as PARENT_LIBRARY, ParentJob, plan as plan_sub_workflow};
pub use tidy::tidy_recorded;
pub use work::{Work, body_of, environment_of, place_of};

/// How the work of an action starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Started {
    /// As an attempt under a shim.
    Attempt(Work),
    /// As a child workflow job.
    Child(ChildRequest),
}

/// The types of action that [`start`] knows.
pub const TYPES: [&str; 14] = [
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

/// Decides how the action `element` (the child of `action` that names the type) starts. A failure has the kind, code
/// and message of Oozie; the message of E0723 for a type that is not supported.
pub fn start(element: &Element, context: &ActionContext<'_>) -> Result<Started, Failure> {
    if element.name == "sub-workflow" {
        return sub_workflow::start(element, context).map(Started::Child);
    }
    main_class::check(element, context)?;
    let task = task(element, context)?;
    let place = Place::of(&element.name, context)?;
    Ok(Started::Attempt(Work { body: xml::write(element), place, task }))
}

/// The codes of failures for which the text of an action is enough.
const OF_THE_TEXT: [&str; 7] = ["EM001", "EM004", "FS001", "FS007", "FS010", "FS011", "JA010"];

/// Returns the failure with which the action `element` always ends, as far as its evaluated text alone shows it: a
/// relative path of `fs`, an `env-var` without a value, a recipient that is no address.
pub fn failure_of_text(element: &Element, context: &ActionContext<'_>) -> Option<Failure> {
    match task(element, context) {
        Err(failure) => Some(failure).filter(|failure| OF_THE_TEXT.contains(&failure.code.as_str())),
        Ok(Task::Mail(work)) => email::bad_recipient(&work.letter),
        Ok(_) => None,
    }
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

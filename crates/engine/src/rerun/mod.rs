//! Resets a workflow job that has ended, so that it runs again under its id.

pub(crate) mod unknown_command;
pub mod walk;
pub(crate) mod workflow_rerun;

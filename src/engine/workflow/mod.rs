//! Workflow jobs: how they come into being, go on and end.
//!
//! The graph and its rules are in `crate::workflow`; here are their effects.

mod action_defaults;
pub(crate) mod advance;
pub(crate) mod application_files;
mod begin;
mod cluster;
mod collected;
pub(crate) mod control;
pub(crate) mod create;
mod evaluation;
pub(crate) mod launch;
pub(crate) mod lint;
mod mirror;
pub(crate) mod outside;
pub(crate) mod recall;
pub(crate) mod rerun;
pub(crate) mod run;
pub(crate) mod runner;
#[cfg(feature = "internals")]
pub(crate) mod scripted;
pub(crate) mod stored;
mod unmounted;

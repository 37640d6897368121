//! Coordinator applications (the coordinator specification).
//!
//! Pure: definitions and numbers in, decisions out. Must not depend on files, the database or the clock.

pub(crate) mod action;
pub(crate) mod action_state;
mod check;
mod creation;
pub(crate) mod definition;
pub(crate) mod input_logic;
pub(crate) mod instance;
pub(crate) mod job_state;
pub(crate) mod lint;
pub(crate) mod materialize;
pub(crate) mod operation;
pub(crate) mod outline;
pub(crate) mod parse;
pub(crate) mod phase;
pub(crate) mod queue;
pub(crate) mod readiness;
mod resolve;
pub(crate) mod satisfy;
pub(crate) mod settings;
pub(crate) mod timing;

pub(crate) use check::check;

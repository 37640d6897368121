//! Coordinator applications (the coordinator specification).
//!
//! Pure: definitions and numbers in, decisions out. Must not depend on files, the database or the clock.

pub mod action;
pub mod action_state;
mod check;
mod creation;
pub mod definition;
pub mod input_logic;
pub mod instance;
pub mod job_state;
pub mod lint;
pub mod materialize;
pub mod operation;
pub mod outline;
pub mod parse;
pub mod phase;
pub mod queue;
pub mod readiness;
mod resolve;
pub mod satisfy;
pub mod settings;
pub mod timing;

pub use check::check;

//! `explain`: why a job or an action is in its current state, found out when it is asked.
//!
//! Nothing is cached: inputs are checked again, limits are counted again, failures are read from the workflow job. A
//! reason that is no longer true is never given. When the given reason goes away, the next tick moves the action or
//! gives another reason. Must not decide what a step decides: both use the same pure functions.

mod action;
mod bundle;
pub mod command;
mod creation;
pub mod explanation;
pub mod hold;
mod job;
mod node;
mod ready;
mod waiting;
pub mod why;
mod wording;
mod workflow;

#[cfg(test)]
mod tests;

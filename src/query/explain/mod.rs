//! `explain`: why a job or an action stands where it stands, found out at the moment it is asked.
//!
//! Nothing here is remembered: inputs are looked for again, limits are counted again, failures are read from the
//! workflow job. A reason that is no longer true is never given, and when the reason that is given goes away the next
//! tick moves the action on or gives another one. Must never decide what a step decides: it asks the same pure
//! functions.

mod action;
mod bundle;
pub(crate) mod command;
mod creation;
pub(crate) mod explanation;
pub(crate) mod hold;
mod job;
mod node;
mod ready;
mod waiting;
pub(crate) mod why;
mod wording;
mod workflow;

#[cfg(test)]
mod tests;

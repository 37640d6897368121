//! The phases in which an expression of a coordinator is evaluated.
//!
//! The same text means different things in each phase, so a phase is a type: it provides variables and functions to the
//! language, and decides which calls it postpones. Must not depend on files, the database or the clock.

mod action_create;
mod action_start;
mod date;
pub mod event;
mod hcatalog;
mod job;
mod partial;
pub mod result;
mod signature;
mod sla;
mod submit;

pub use action_create::{ActionInstances, InstanceFunction, RangeEnds};
pub use action_start::{ActionFacts, ActionStart};
pub(crate) use hcatalog::asks_for_output;
pub use job::JobScope;
pub(crate) use partial::{BeforeAction, OtherProperties};
pub use sla::{SlaCreate, SlaSubmit};
pub use submit::{FrequencyPhase, InitialInstance, JobName, Plain, SubmitData, SubmitInstances, TimeoutPhase};

#[cfg(test)]
mod tests;

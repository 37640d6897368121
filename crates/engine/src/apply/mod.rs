//! Applies decisions about jobs in the open transaction; commands and steps of the tick share it.

pub mod change;
pub mod control;
pub mod coordinator;
pub mod invocation;
pub mod outcome;
pub mod selection;
pub mod workflow;

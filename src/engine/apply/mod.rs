//! Applies decisions about jobs in the open transaction; commands and steps of the tick share it.

pub(crate) mod change;
pub(crate) mod control;
pub(crate) mod coordinator;
pub(crate) mod invocation;
pub(crate) mod outcome;
pub(crate) mod selection;
pub(crate) mod workflow;

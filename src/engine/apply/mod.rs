//! Carries out what was decided about jobs, in the open transaction: what verbs and steps share.

pub(crate) mod change;
pub(crate) mod control;
pub(crate) mod coordinator;
pub(crate) mod invocation;
pub(crate) mod outcome;
pub(crate) mod selection;
pub(crate) mod workflow;

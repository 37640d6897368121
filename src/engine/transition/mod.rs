//! The only modules that change a status: each change stores its event and its notification in the open transaction.

pub(crate) mod bundle;
pub(crate) mod cause;
pub(crate) mod coordinator;
mod incident;
pub(crate) mod parent_action;
pub(crate) mod reason;
pub(crate) mod workflow;

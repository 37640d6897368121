//! The only modules that change a status: each change stores its event and its notification in the open transaction.

pub mod bundle;
pub mod cause;
pub mod coordinator;
mod incident;
pub mod parent_action;
pub mod reason;
pub mod workflow;

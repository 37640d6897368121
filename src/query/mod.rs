//! What an operator may see: queries that assemble plain structs under Oozie's REST field names.
//!
//! Each struct is printed as JSON as it is, and rendered as a table by `output`; both say the same. Reads one snapshot
//! of the database and each path once per query, and changes nothing. Must not print or depend on terminals.

pub(crate) mod action_detail;
pub(crate) mod actions;
pub(crate) mod attempt;
pub(crate) mod bulk;
pub(crate) mod bundle;
pub(crate) mod chain;
pub(crate) mod completion;
pub(crate) mod context;
pub(crate) mod coordinator;
mod counts_by_kind;
pub(crate) mod delivery;
pub(crate) mod end_state;
pub(crate) mod error_text;
pub(crate) mod events;
pub(crate) mod explain;
mod external_stats;
pub(crate) mod failure_policy;
pub(crate) mod file;
pub(crate) mod filter;
#[cfg(feature = "serve")]
pub(crate) mod graph;
mod health;
pub(crate) mod inputs;
pub(crate) mod instance;
pub(crate) mod json;
pub(crate) mod kill_message;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod node_settings;
pub(crate) mod producer;
pub(crate) mod secret_name;
pub(crate) mod site;
pub(crate) mod sla;
pub(crate) mod status;
pub(crate) mod stored;
pub(crate) mod summary;
pub(crate) mod target;
mod total;
pub(crate) mod workflow;

pub(crate) use context::{Query, run};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

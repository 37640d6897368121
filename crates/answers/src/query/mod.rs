//! What an operator may see: queries that assemble plain structs under Oozie's REST field names.
//!
//! Each struct is printed as JSON as it is, and rendered as a table by `output`; both say the same. Reads one snapshot
//! of the database and each path once per query, and changes nothing. Must not print or depend on terminals.

pub mod action_detail;
pub mod actions;
pub mod attempt;
pub mod bulk;
pub mod bundle;
pub mod chain;
pub mod completion;
pub mod context;
pub mod coordinator;
mod counts_by_kind;
pub mod delivery;
pub mod end_state;
pub mod error_text;
pub mod events;
pub mod explain;
mod external_stats;
pub mod failure_policy;
pub mod file;
pub mod filter;
#[cfg(feature = "serve")]
pub mod graph;
mod health;
pub mod inputs;
pub mod instance;
pub mod json;
pub mod kill_message;
pub mod log;
pub mod metrics;
pub mod node_settings;
pub mod producer;
pub mod site;
pub mod sla;
pub mod status;
pub mod stored;
pub mod summary;
pub mod target;
mod total;
pub mod veil;
pub mod workflow;

pub use context::{Query, run};

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

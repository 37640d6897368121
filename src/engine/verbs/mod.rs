//! What an operator does to jobs and actions; one file per family of verbs.
//!
//! A verb writes in one transaction that is stored or, for `--dry-run`, taken back (`Effect`), so what a dry run prints
//! is what the verb would store. Verbs that need more than the database do this outside of the transaction and then
//! check again that nothing has changed: `rerun` deletes outputs, `update` reads the new definition. The pure state
//! machines decide whether a status allows a verb.

pub(crate) mod bundle;
pub(crate) mod change;
pub(crate) mod control;
pub(crate) mod desired;
pub(crate) mod many;
pub(crate) mod node;
pub(crate) mod pause_all;
pub(crate) mod recall;
pub(crate) mod repair;
pub(crate) mod rerun;
pub(crate) mod shadow;
pub(crate) mod sla;
pub(crate) mod start;
pub(crate) mod takeover;
pub(crate) mod update;

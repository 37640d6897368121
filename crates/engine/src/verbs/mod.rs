//! What an operator does to jobs and actions; one file per family of verbs.
//!
//! A verb writes in one transaction that is stored or, for `--dry-run`, taken back (`Effect`), so what a dry run prints
//! is what the verb would store. Verbs that need more than the database do this outside of the transaction and then
//! check again that nothing has changed: `rerun` deletes outputs, `update` reads the new definition. The pure state
//! machines decide whether a status allows a verb.

pub mod bundle;
pub mod change;
pub mod control;
pub mod desired;
pub mod here;
pub mod many;
pub mod node;
pub mod pause_all;
pub mod recall;
pub mod repair;
pub mod rerun;
pub mod restore;
pub mod sla;
pub mod start;
pub mod update;

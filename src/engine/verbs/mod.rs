//! What an operator does to jobs and actions; one file per family of verbs.
//!
//! A verb writes in one transaction that is stored or, for `--dry-run`, taken back (`Effect`), so what a dry run
//! prints is what the verb would store. Those that need more than the database do that outside of the transaction and
//! look once more whether what they saw still holds: `rerun` deletes outputs, `update` reads the new definition.
//! Whether a status allows a verb is decided in the pure machines.

pub(crate) mod bundle;
pub(crate) mod change;
pub(crate) mod control;
pub(crate) mod many;
pub(crate) mod node;
pub(crate) mod recall;
pub(crate) mod rerun;
pub(crate) mod sla;
pub(crate) mod update;

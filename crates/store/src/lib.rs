//! The SQLite file with the state of all jobs.
//!
//! Decides nothing: it stores rows, returns them, and reports whether a status was still the expected one. Must not
//! depend on what a status means, read a clock or touch other files. No query text exists outside this module. Follows
//! section "State" of `ARCHITECTURE.md`.
//!
//! [`Store`] opens the file; [`Snapshot`] reads; [`Transaction`] is a snapshot that may also write. Each table has a
//! file in this folder that adds its methods to the two.
#![expect(clippy::disallowed_methods, reason = "the file of the database is created and copied here")]

mod action_list;
mod attempt;
mod backup;
mod birth;
mod bundle_coordinator;
mod bundle_job;
mod check;
mod column;
mod connect;
mod coordinator_action;
mod coordinator_definition;
mod coordinator_job;
mod coordinator_output;
mod database;
mod delivery;
mod document;
mod earlier;
mod event;
mod failure;
mod incident;
mod job_filter;
mod job_name;
pub mod kept;
mod last_tick;
mod migrate;
mod new_file;
mod nominal_times;
mod notification;
mod open;
mod open_mode;
mod place;
mod purge;
mod repair;
mod restore;
mod row;
mod shadow;
mod site;
mod site_pause;
mod sla;
mod snapshot;
mod stamp;
mod store_failure;
mod takeover;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod workflow_hold;
mod workflow_job;
mod workflow_node;

pub use action_list::ActionList;
pub use backup::BackupMark;
pub use birth::Birth;
pub use connect::sqlite_version;
pub use coordinator_action::{ActionFilter, ActionOrder, FirstMissing, NewActions, WaitingAction, WaitingPlace};
pub use database::{Saved, Store};
pub use delivery::DeliverySubject;
pub use earlier::{Earlier, EarlierJob, EarlierStart};
pub use job_filter::{FrequencyFilter, JobFilter, JobOrder, Page};
pub use nominal_times::{NominalTimes, Times};
pub use open_mode::OpenMode;
pub use purge::{Counts, EndedBefore, Kind, Limit};
pub use restore::restore;
pub use sla::{Alert, Bounds, SlaFilter};
pub use snapshot::{Snapshot, Transaction};

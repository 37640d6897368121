//! The rules of Apache Oozie's definitions: configuration, datasets, coordinators, workflows, bundles, SLAs.
//!
//! Pure: no clock, no file, no process, no database, no state of the process.

pub mod bundle;
pub mod configuration;
pub mod coordinator;
pub mod dataset;
mod elsewhere;
pub mod sla;
pub mod workflow;

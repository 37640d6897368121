//! What howdah's own vector harness, fuzz targets and benchmarks may use; not a public interface.
//!
//! `any_text` is for the fuzz targets. The others are one file per set of vectors: each turns a record's `input` into
//! howdah's result, through the same code that the commands use, and decides nothing itself.

pub mod any_text;
mod configuration;
mod cron;
mod datetime;
mod dispute;
mod dry_run;
mod el_functions;
mod el_language;
mod instances;
mod job_status;
mod judge;
mod languages;
mod materialization;
mod materialized_action;
mod nominal_times;
mod oozie_export;
mod properties;
mod ready_queue;
mod record;
mod rerun_change;
mod schema;
mod selectors;
mod simulation;
mod skip_timeout;
mod sla;
mod storing;
mod submission;
mod wf_el;
mod wf_graph;

pub use dry_run::workflow_refusals;
pub use judge::{Verdict, judge};
pub use languages::{Action, Coordinator, Cron, coordinator_problems};
pub use oozie_export::exported_coordinators;
pub use schema::schema_verdict;
pub use simulation::{Command, Script, Simulation};
pub use storing::{Filling, fill, store_actions};

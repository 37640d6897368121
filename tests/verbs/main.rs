//! Each verb: what it prints and what it changes: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

mod answers;
mod change;
mod completions;
mod control;
mod dryrun;
mod eval;
mod explain;
mod lints;
mod listing;
mod overview;
mod pause;
mod pause_all;
mod refusals;
mod site;
mod site_files;
mod specification;
#[path = "../shared/tiers.rs"]
mod tiers;
mod time;
mod top;
mod update;
mod validate;
mod validate_job;
mod zone_data;

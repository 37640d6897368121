//! The program as its users meet it: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

mod alerts;
mod application;
mod bundles;
mod change;
mod contention;
mod control;
mod corpus;
mod corpus_dryrun;
mod courier;
mod database;
#[path = "../simulated_year/dice.rs"]
mod dice;
mod disk;
mod dryrun;
mod engines;
mod eval;
mod explain;
mod foreground;
mod inputs;
mod killed;
mod layers;
mod lints;
mod listing;
mod materialization;
mod metastore;
mod nodes;
mod pause;
mod readme;
mod receiver;
mod refusals;
mod rerun;
mod rerun_workflow;
mod revenue;
mod sandbox;
mod sla;
mod source;
mod specification;
mod start_protocol;
mod steps;
mod time;
mod update;
mod users;
mod validate;
mod validate_job;

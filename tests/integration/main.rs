//! The program as its users meet it: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

mod application;
mod change;
mod contention;
mod control;
mod corpus;
mod corpus_dryrun;
mod database;
mod disk;
mod dryrun;
mod eval;
mod foreground;
mod inputs;
mod layers;
mod lints;
mod materialization;
mod nodes;
mod pause;
mod readme;
mod refusals;
mod rerun;
mod rerun_workflow;
mod revenue;
mod sandbox;
mod source;
mod start_protocol;
mod steps;
mod time;
mod update;
mod validate;
mod validate_job;

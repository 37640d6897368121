//! The program as its users meet it: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

mod alerts;
mod application;
mod change;
mod contention;
mod control;
mod corpus;
mod corpus_dryrun;
mod courier;
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
mod readme;
mod receiver;
mod refusals;
mod revenue;
mod sandbox;
mod sla;
mod source;
mod start_protocol;
mod time;
mod validate;
mod validate_job;

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
mod disk;
mod dryrun;
mod engines;
mod eval;
mod explain;
mod foreground;
mod inputs;
mod layers;
mod lints;
mod materialization;
mod metastore;
mod nodes;
mod readme;
mod receiver;
mod refusals;
mod revenue;
mod sandbox;
mod source;
mod specification;
mod start_protocol;
mod time;
mod validate;
mod validate_job;

//! Oozie's web services and its command line: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

mod oozie;
mod oozie_client;
mod oozie_commands;
mod oozie_json;
#[path = "../shared/tiers.rs"]
mod tiers;
mod web;

//! Moving in from a running Oozie: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

mod backtest;
mod backtest_published;
mod import;
mod shadow;
mod takeover;
mod takeover_bundle;
#[path = "../shared/tiers.rs"]
mod tiers;

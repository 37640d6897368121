//! howdah runs Apache Oozie coordinator and workflow definitions on one machine.
//!
//! The modules in reading order, lowest layer first; who may import whom is in `ARCHITECTURE.md`
//! and held by `tests/integration/layers.rs`.

mod error;
mod model;

mod calendar;
mod el;
mod xml;

mod bundle;
mod configuration;
mod coordinator;
mod dataset;
mod workflow;

mod host;
mod store;

mod engine;
mod executor;

mod cli;
mod output;

#[doc(hidden)]
pub mod internals;

pub use cli::run;

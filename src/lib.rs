//! howdah runs Apache Oozie coordinator and workflow definitions on one machine.
//!
//! The modules in reading order, lowest layer first; `ARCHITECTURE.md` states which module may import which, and
//! `tests/integration/layers.rs` checks it.

mod error;
mod model;

mod calendar;
mod el;
mod xml;

mod bundle;
mod configuration;
mod coordinator;
mod dataset;
mod oozie_export;
mod oozie_rest;
mod sla;
mod workflow;

mod host;
mod store;

mod engine;
mod executor;

mod check;
mod query;

mod cli;
mod output;

/// Definitions are read into many small values, and the system's allocator takes a fifth of the time of a validation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The items that the project's own tests and benchmarks call; not part of the program.
#[cfg(feature = "internals")]
#[doc(hidden)]
#[path = "../tests/internals/mod.rs"]
pub mod internals;

pub use cli::run;

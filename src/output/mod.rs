//! Everything that is shown: tables, texts, diagnostics, progress, JSON.
//!
//! Renders the structs of `query`. Must not decide anything about jobs. Standard output is written through
//! [`screen::Screen`] alone, so a closed output is no error and no text controls the terminal; standard error, and the
//! whole terminal of `top`, have the same filter ([`visible::printable`]).

pub(crate) mod actions;
pub(crate) mod apply;
#[cfg(feature = "move")]
pub(crate) mod backtest;
pub(crate) mod cells;
pub(crate) mod changes;
pub(crate) mod codes;
pub(crate) mod config;
mod decision;
pub(crate) mod diagnostic;
pub(crate) mod dryrun;
pub(crate) mod eval;
mod excerpt;
pub(crate) mod explain;
pub(crate) mod files;
pub(crate) mod form;
#[cfg(feature = "serve")]
pub(crate) mod graph;
#[cfg(feature = "move")]
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod jobs;
pub(crate) mod json;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod next;
pub(crate) mod node;
pub(crate) mod oozie;
pub(crate) mod oozie_json;
pub(crate) mod outcome;
#[cfg(feature = "serve")]
pub(crate) mod page;
pub(crate) mod progress;
pub(crate) mod purge;
pub(crate) mod repair;
pub(crate) mod rerun;
pub(crate) mod screen;
#[cfg(feature = "move")]
pub(crate) mod shadow;
pub(crate) mod site;
pub(crate) mod site_pause;
pub(crate) mod sla;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod table_zone;
#[cfg(feature = "move")]
pub(crate) mod takeover;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod theme;
#[cfg(feature = "top")]
pub(crate) mod top;
pub(crate) mod update;
pub(crate) mod validation;
pub(crate) mod visible;
#[cfg(feature = "top")]
pub(crate) mod whole_terminal;
pub(crate) mod zones;

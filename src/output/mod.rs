//! Everything that is shown: tables, texts, diagnostics, progress, JSON.
//!
//! Renders the structs of `query` and decides nothing about jobs. Standard output is written through
//! [`screen::Screen`] alone, so that a reader that has gone away never matters and nothing speaks to the terminal; what
//! is written to standard error goes through the same filter ([`visible::printable`]).

pub(crate) mod cells;
mod decision;
pub(crate) mod diagnostic;
pub(crate) mod dryrun;
pub(crate) mod eval;
mod excerpt;
pub(crate) mod explain;
pub(crate) mod form;
pub(crate) mod info;
pub(crate) mod jobs;
pub(crate) mod json;
pub(crate) mod log;
pub(crate) mod next;
pub(crate) mod node;
pub(crate) mod outcome;
pub(crate) mod progress;
pub(crate) mod purge;
pub(crate) mod rerun;
pub(crate) mod screen;
mod secret;
pub(crate) mod sla;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod table_zone;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod theme;
pub(crate) mod update;
pub(crate) mod validation;
pub(crate) mod visible;
pub(crate) mod zones;

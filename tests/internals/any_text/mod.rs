//! What must hold for any text whatever: the entry points of the fuzz targets, of the replay of what they found, and
//! of the benchmark of growth.
//!
//! Each takes a text through the parsers that the commands use and goes on with what came of it, within bounds. A
//! refusal is fine; a panic is not, and neither is a place outside of the text or a text that changes when it is
//! printed and read again.

mod cron;
mod datetime;
mod el;
mod filter;
mod properties;
mod xml;

use crate::error::{Error, Location};

/// What must hold for a text: it panics when that does not hold.
pub type Demand = fn(&str);

/// The name of each kind of text and what must hold for it.
pub const KINDS: [(&str, Demand); 6] = [
    ("cron", cron::holds),
    ("datetime", datetime::holds),
    ("el", el::holds),
    ("filter", filter::holds),
    ("properties", properties::holds),
    ("xml", xml::holds),
];

/// Demands what must hold for a text of a kind.
///
/// # Panics
/// When it does not hold, and for a kind that is not in [`KINDS`].
pub fn holds(kind: &str, text: &str) {
    let (_, demand) = KINDS.iter().find(|(name, _)| *name == kind).expect("a kind of text");
    demand(text);
}

/// A problem must say something, and point at whole characters of the text that it is about.
fn assert_shown(problem: &Error) {
    assert!(!problem.message().is_empty(), "{problem}");
    if let Some(Location { source, span }) = problem.location() {
        assert!(source.text.get(span.start..span.end).is_some(), "{problem}: {span:?} is no part of the text");
    }
}

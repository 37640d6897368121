//! Properties that hold for any text: the entry points of the fuzz targets, of the replay of their findings, and of the
//! benchmark of growth.
//!
//! Each passes a text through the parsers that the commands use and uses the result, within limits. A refusal is fine;
//! a panic is not, nor is a place outside of the text, nor a text that changes when it is printed and read again.

mod cron;
mod datetime;
mod el;
mod filter;
mod properties;
mod request;
mod xml;

use howdah_words::error::{Error, Location};

/// Checks a text: panics when a property does not hold.
pub type Demand = fn(&str);

/// The name of each kind of text and its check.
pub const KINDS: &[(&str, Demand)] = &[
    ("cron", cron::holds),
    ("datetime", datetime::holds),
    ("el", el::holds),
    ("filter", filter::holds),
    ("properties", properties::holds),
    ("request", request::holds),
    ("xml", xml::holds),
];

/// Checks a text of a kind.
///
/// # Panics
/// When a property does not hold, and for a kind that is not in [`KINDS`].
pub fn holds(kind: &str, text: &str) {
    let (_, demand) = KINDS.iter().find(|(name, _)| *name == kind).expect("a kind of text");
    demand(text);
}

/// A problem must have a message, and point at whole characters of its text.
fn assert_shown(problem: &Error) {
    assert!(!problem.message().is_empty(), "{problem}");
    if let Some(Location { source, span }) = problem.location() {
        assert!(source.text.get(span.start..span.end).is_some(), "{problem}: {span:?} is no part of the text");
    }
}

//! Reads the zone of an id that a user wrote.

use crate::calendar::Zone;
use crate::error::{Error, ErrorCode, Location, Result, SourceText, Span};

pub(crate) fn zone(id: &str) -> Result<Zone> {
    Zone::parse(id).map_err(|error| Error::new(ErrorCode::H0002, &error).help(error.help()).at(whole(id)))
}

/// Marks a text of the command line as one place.
pub(crate) fn whole(text: &str) -> Location {
    Location::new(&SourceText::new("<argument>", text), Span::new(0, text.len()))
}

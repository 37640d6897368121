//! The zone of an id that a person wrote.

use crate::calendar::Zone;
use crate::error::{Error, ErrorCode, Location, Result, SourceText, Span};

pub(crate) fn zone(id: &str) -> Result<Zone> {
    Zone::parse(id).map_err(|error| Error::new(ErrorCode::H0002, &error).help(error.help()).at(whole(id)))
}

/// A text of the command line, all of it.
pub(crate) fn whole(text: &str) -> Location {
    Location::new(&SourceText::new("<argument>", text), Span::new(0, text.len()))
}

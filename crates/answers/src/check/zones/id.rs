//! Reads the zone of an id that a user wrote.

use howdah_calendar::Zone;
use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText, Span};

/// Reads the id of a zone, as Oozie reads it.
///
/// # Errors
/// H0002, with the ids that look alike.
pub fn zone(id: &str) -> Result<Zone> {
    Zone::parse(id).map_err(|error| Error::new(ErrorCode::H0002, &error).help(error.help()).at(whole(id)))
}

/// Marks a text of the command line as one place.
pub fn whole(text: &str) -> Location {
    Location::new(&SourceText::new("<argument>", text), Span::new(0, text.len()))
}

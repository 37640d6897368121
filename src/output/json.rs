//! One JSON document on standard output.

use serde::Serialize;

use crate::error::Result;
use crate::output::screen::Screen;

/// A document, indented, with a line end.
pub(crate) fn text(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("a view becomes JSON: its maps have text keys") + "\n"
}

/// Prints a document.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(screen: &mut Screen, document: &impl Serialize) -> Result<()> {
    screen.write(text(document))
}

//! XML as the definitions use it: a bounded reader with spans, a writer, and the published schemas as tables.
//!
//! Checks the form of the documents only. Does not interpret expressions, paths or dates.

mod character;
mod element;
mod reader;
mod schema;
mod writer;

pub use character::illegal_character;
pub use element::{Document, Element, Node, Text};
pub use reader::read;
pub use schema::{DocumentKind, SchemaVersion, check, kind_of, split_namespace};
pub use schema::{Edition, check_as};
pub use writer::{escape_text, write};

//! XML as the definitions use it: a bounded reader with spans, a writer, and the published schemas as tables.
//!
//! Checks the form of the documents only. Does not interpret expressions, paths or dates.

mod character;
mod element;
mod reader;
mod schema;
mod writer;

pub(crate) use character::illegal_character;
pub(crate) use element::{Document, Element, Node, Text};
pub(crate) use reader::read;
pub(crate) use schema::{DocumentKind, SchemaVersion, check, kind_of, split_namespace};
#[cfg(feature = "internals")]
pub(crate) use schema::{Edition, check_as};
pub(crate) use writer::{escape_text, write};

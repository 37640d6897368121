//! What the complete reader has read so far. Must not depend on how it reads.

use std::sync::Arc;

use quick_xml::reader::NsReader;

use super::pending::Pending;
use super::shared::Shared;
use crate::element::Element;
use howdah_words::error::{Error, SourceText};

/// An element whose end tag has not been read yet.
pub(super) struct Open {
    pub(super) element: Element,
    pub(super) has_elements: bool,
}

pub(super) struct Reader<'s> {
    pub(super) source: &'s Arc<SourceText>,
    /// The text without byte order mark, and how many bytes that left out.
    pub(super) text: &'s str,
    pub(super) base: usize,
    pub(super) xml: NsReader<&'s [u8]>,
    pub(super) open: Vec<Open>,
    pub(super) pending: Pending,
    pub(super) root: Option<Element>,
    /// Prefixes and namespaces.
    pub(super) shared: Shared,
    /// Local names.
    pub(super) names: Shared,
    pub(super) problems: Vec<Error>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s Arc<SourceText>) -> Self {
        let text = source.text.strip_prefix('\u{FEFF}').unwrap_or(&source.text);
        let mut xml = NsReader::from_str(text);
        xml.config_mut().enable_all_checks(true);
        Self {
            source,
            text,
            base: source.text.len() - text.len(),
            xml,
            open: Vec::new(),
            pending: Pending::None,
            root: None,
            shared: Shared::new(),
            names: Shared::new(),
            problems: Vec::new(),
        }
    }
}

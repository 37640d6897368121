//! Shares the names and namespaces of a document: few different ones occur.

use std::sync::Arc;

/// Texts kept for sharing between elements; with more of them a search costs more than a copy.
const MAX_SHARED: usize = 64;

/// One allocation per distinct text, as long as there are few.
pub(super) struct Shared {
    texts: Vec<Arc<str>>,
    /// Where a text with the same length and ends was found last.
    hints: [u8; MAX_SHARED],
}

impl Shared {
    pub(super) const fn new() -> Self {
        Self { texts: Vec::new(), hints: [0; MAX_SHARED] }
    }

    /// Returns the one allocation of this text.
    pub(super) fn get(&mut self, text: &str) -> Arc<str> {
        let ends = text.as_bytes().first().zip(text.as_bytes().last());
        let key = ends.map_or(0, |(first, last)| text.len() + 5 * usize::from(*first) + 3 * usize::from(*last));
        let hint = &mut self.hints[key % MAX_SHARED];
        if let Some(known) = self.texts.get(usize::from(*hint)).filter(|known| ***known == *text) {
            return Arc::clone(known);
        }
        let place = self.texts.iter().position(|known| **known == *text).unwrap_or(self.texts.len());
        *hint = u8::try_from(place).unwrap_or_default();
        if let Some(known) = self.texts.get(place) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        if place < MAX_SHARED {
            self.texts.push(Arc::clone(&text));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_one_allocation() {
        let mut shared = Shared::new();
        // The second and the third have the same length and ends.
        let texts = ["", "name", "nope", "n\u{e9}e", "a"];
        let first: Vec<_> = texts.iter().map(|text| shared.get(text)).collect();
        for (text, first) in texts.iter().zip(&first).chain(texts.iter().zip(&first).rev()) {
            let again = shared.get(text);
            assert!(Arc::ptr_eq(&again, first) && *again == **text, "{text}");
        }
        for number in 0..2 * MAX_SHARED {
            let text = format!("text {number}");
            assert_eq!(*shared.get(&text), *text);
            assert_eq!(*shared.get(&text), *text);
        }
        assert_eq!(shared.texts.len(), MAX_SHARED);
    }
}

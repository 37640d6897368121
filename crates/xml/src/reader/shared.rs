//! Shares the names and namespaces of a document: few different ones occur.

use std::sync::Arc;

/// Texts kept for sharing between elements; with more of them a search costs more than a copy.
const MAX_SHARED: usize = 64;
/// Several times as many, so that few texts have the same one.
const HINTS: usize = 256;
/// No text has this place.
const NONE: u8 = u8::MAX;

/// One allocation per distinct text, as long as there are few.
pub(super) struct Shared {
    texts: Vec<Arc<str>>,
    /// Where a text of the same key was found last; [`NONE`] when there was none.
    hints: [u8; HINTS],
}

impl Shared {
    pub(super) const fn new() -> Self {
        Self { texts: Vec::new(), hints: [NONE; HINTS] }
    }

    /// Returns the one allocation of this text.
    pub(super) fn get(&mut self, text: &str) -> Arc<str> {
        let hint = &mut self.hints[key(text.as_bytes()) % HINTS];
        if let Some(known) = self.texts.get(usize::from(*hint)).filter(|known| ***known == *text) {
            return Arc::clone(known);
        }
        let known = if *hint == NONE { None } else { self.texts.iter().position(|known| **known == *text) };
        let place = known.unwrap_or(self.texts.len());
        // What is not kept has the place after the last one, which finds nothing.
        *hint = u8::try_from(place).unwrap_or(NONE);
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

/// Returns a number that differs for most names: from the length, both ends and the middle.
fn key(text: &[u8]) -> usize {
    let (Some(first), Some(last)) = (text.first(), text.last()) else { return 0 };
    let middle = text[text.len() / 2];
    text.len() + 43 * usize::from(*first) + 41 * usize::from(*last) + 21 * usize::from(middle)
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

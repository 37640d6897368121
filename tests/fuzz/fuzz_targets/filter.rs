//! Checks the properties of any text as `filter`.
#![no_main]

use howdah_internals::any_text;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    if let Ok(text) = std::str::from_utf8(text) {
        any_text::holds("filter", text);
    }
});

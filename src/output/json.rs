//! One JSON document on standard output.

use std::fmt::Write as _;

use serde::Serialize;

use crate::output::screen::Screen;
use crate::output::visible::moves_cursor;
use howdah_words::error::Result;

/// Returns a document, indented, with a line end.
pub(crate) fn text(document: &impl Serialize) -> String {
    escaped(serde_json::to_string_pretty(document).expect("a view becomes JSON: its maps have text keys") + "\n")
}

/// Returns the document with every character escaped that could control a terminal. JSON leaves some unescaped; they
/// are only in strings.
pub(crate) fn escaped(document: String) -> String {
    let is_control = |character: char| character != '\n' && moves_cursor(character);
    if !document.contains(is_control) {
        return document;
    }
    let mut out = String::with_capacity(document.len() + 16);
    for character in document.chars() {
        if is_control(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// Returns one document for the documents of several jobs: the only one as it is, or a list of them.
pub(crate) fn together(documents: &[String]) -> String {
    if let [one] = documents {
        return one.clone();
    }
    // No string of a document contains a line end.
    let indented = documents.iter().map(|document| format!("  {}", document.trim_end().replace('\n', "\n  ")));
    format!("[\n{}\n]\n", indented.collect::<Vec<_>>().join(",\n"))
}

/// Prints a document.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(screen: &mut Screen, document: &impl Serialize) -> Result<()> {
    screen.write(text(document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_documents_are_one_list() {
        let documents = [text(&["a\nb"]), text(&1)];
        assert_eq!(together(&documents[1..]), "1\n");
        let list: serde_json::Value = serde_json::from_str(&together(&documents)).unwrap();
        assert_eq!(list, serde_json::json!([["a\nb"], 1]));
        assert_eq!(together(&documents), serde_json::to_string_pretty(&list).unwrap() + "\n");
    }

    #[test]
    fn no_document_controls_a_terminal() {
        let value = "a\u{1b}\u{7f}\u{9b}\u{202e}\u{e0041}\n\u{e9}";
        let document = text(&[value]);
        assert_eq!(document, "[\n  \"a\\u001b\\u007f\\u009b\\u202e\\udb40\\udc41\\n\u{e9}\"\n]\n");
        assert_eq!(serde_json::from_str::<Vec<String>>(&document).unwrap(), [value]);
    }
}

//! What a code means, as text, as JSON and as the page `docs/codes.md`.

use serde::Serialize;

use crate::output::cells::wrapped;
use crate::output::explain::sentence;
use crate::output::screen::Layout;
use crate::output::text::add_line;
use crate::output::theme;
use howdah_words::error::{CodeMeaning, summary};

/// A code in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct CodeView {
    code: &'static str,
    severity: &'static str,
    class: &'static str,
    message: &'static str,
    meaning: &'static str,
    advice: &'static str,
    example: Vec<&'static str>,
}

impl CodeView {
    /// Returns the document of a code.
    pub(crate) fn of(meaning: &CodeMeaning) -> Self {
        Self {
            code: meaning.code,
            severity: meaning.severity(),
            class: meaning.class(),
            message: meaning.message(),
            meaning: meaning.meaning,
            advice: meaning.advice(),
            example: meaning.example().collect(),
        }
    }
}

/// Returns the text of a code.
pub(crate) fn render(meaning: &CodeMeaning, layout: Layout) -> String {
    let code = theme::heading(meaning.code, layout.colour);
    let mut text = format!("{code}  {}  {}\n\n", kind(meaning), summary(meaning.message()));
    let advice = format!("What to do: {}", sentence(meaning.advice()));
    for paragraph in [meaning.meaning, &advice] {
        let lines = layout.width.map_or_else(|| vec![paragraph.to_owned()], |width| wrapped(paragraph, width));
        add_line(&mut text, lines.join("\n") + "\n");
    }
    add_line(&mut text, "Example:");
    meaning.example().for_each(|line| add_line(&mut text, format!("  {line}")));
    text
}

/// Returns the kind of a code in words.
fn kind(meaning: &CodeMeaning) -> &'static str {
    match meaning.class() {
        "node" => "error of a node",
        _ => meaning.severity(),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes the page")]
mod tests {
    use std::path::Path;

    use super::*;
    use howdah_words::error::meanings;

    const HEAD: &str = "# Codes\n\nEvery code that howdah prints: what it means, what to do, and an example. \
                        `howdah explain CODE` prints the\nsection of a code. In a message, `...` is a name or a \
                        value. Codes that begin with E have Oozie's meaning, H is howdah's\nown, W warns; the others \
                        are the error codes of nodes.\n";

    fn section(meaning: &CodeMeaning) -> String {
        let example = meaning.example().collect::<Vec<_>>().join("\n");
        format!(
            "\n## {}\n\n`{}` ({})\n\n{}\n\nWhat to do: {}\n\n```text\n{example}\n```\n",
            meaning.code,
            summary(meaning.message()),
            kind(meaning),
            meaning.meaning,
            sentence(meaning.advice()),
        )
    }

    /// After a change of a code, run `UPDATE_GENERATED=1 cargo test generated`.
    #[test]
    fn the_generated_page_of_codes_matches_this_program() {
        let page: String =
            std::iter::once(HEAD.to_owned()).chain(meanings().map(|meaning| section(&meaning))).collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/codes.md");
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == page, "docs/codes.md is out of date: UPDATE_GENERATED=1 cargo test generated");
    }
}

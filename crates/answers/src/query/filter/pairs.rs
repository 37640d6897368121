//! Pairs of names and values between semicolons.

use howdah_words::error::did_you_mean;

/// Why a part is no pair, in Oozie's words.
pub(crate) const NO_PAIR: &str = "elements must be semicolon-separated name=value pairs";

/// The parts between semicolons; nothing between two of them is no part.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').filter(|part| !part.is_empty())
}

/// Name and value of a part with one `=` that has something behind it; equals signs that end the part do not count.
pub fn pair(part: &str) -> Option<(&str, &str)> {
    let (name, value) = part.trim_end_matches('=').split_once('=')?;
    (!value.contains('=')).then_some((name, value))
}

/// Advice for a word that is none of `words`: the near miss, or all of them.
pub fn one_of(given: &str, words: &[&str]) -> String {
    match did_you_mean(given.trim(), words.iter().copied()) {
        Some(word) => format!("did you mean {word}?"),
        None => format!("one of {}", words.join(", ")),
    }
}

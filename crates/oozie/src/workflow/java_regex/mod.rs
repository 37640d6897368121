//! Java's regular expressions and replacement texts, for `replaceAll` and `appendAll`.
//!
//! Translates what Java reads differently (`\d`, `\w` and `\s` mean ASCII, `\Q...\E` quotes, `$` also matches before a
//! final line end) and leaves the rest to the engine. The work on one text is limited: a pattern that tries too many
//! ways to match a text is refused.

mod replacement;
mod translation;

use std::cell::OnceCell;

use fancy_regex::{Captures, Regex, RegexBuilder, RuntimeError};

use replacement::{Piece, parse_replacement};
use translation::translate;

/// Longest pattern that is compiled, in bytes.
const LONGEST_PATTERN: usize = 10_000;
/// Largest compiled pattern, in bytes: short patterns such as `((a{99}){99}){99}` expand to very large ones.
const MOST_COMPILED: usize = 1 << 18;
/// Smallest limit under which patterns are compiled, in bytes; a larger pattern costs more for each byte of a text.
const LEAST_COMPILED: usize = 1 << 10;
/// How often one search may backtrack; the limits are tried one after the other, because nearly all searches need few.
const BACKTRACKS: [usize; 4] = [30, 1_000, 30_000, 900_000];
/// Steps that all searches in one text may take. A step is one attempted way to match, or [`BYTES_PER_STEP`] bytes that
/// are read.
const MOST_STEPS: usize = 2_000_000;
/// Bytes that count as a step.
const BYTES_PER_STEP: usize = 1000;

/// What the engine cannot do in one pass over the text: lookaround, references to groups, atomic groups and possessive
/// quantifiers.
const BACKTRACKING: [&str; 21] = [
    "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?(", "++", "*+", "?+", "}+", "\\1", "\\2", "\\3", "\\4", "\\5", "\\6",
    "\\7", "\\8", "\\9", "\\k", "\\G",
];

/// A compiled pattern.
pub(super) struct JavaRegex {
    translated: String,
    /// The pattern with each limit of [`BACKTRACKS`] that was needed so far.
    compiled: [OnceCell<Regex>; BACKTRACKS.len()],
    /// The size limit under which it could be compiled, in bytes.
    size: usize,
    /// Whether one match may read the whole rest of a text.
    is_unbounded: bool,
    /// Whether it has parts for which the engine backtracks.
    backtracks: bool,
}

impl JavaRegex {
    /// Compiles a pattern; the error says what is wrong with it.
    pub(super) fn new(pattern: &str) -> Result<Self, String> {
        if pattern.len() > LONGEST_PATTERN {
            return Err(format!("the regular expression is longer than {LONGEST_PATTERN} bytes"));
        }
        let translated = translate(pattern);
        let mut size = LEAST_COMPILED;
        let first = loop {
            match compile(&translated, size, BACKTRACKS[0]) {
                Ok(compiled) => break compiled,
                Err(error) if size >= MOST_COMPILED => return Err(format!("regular expression [{pattern}]: {error}")),
                Err(_) => size *= 4,
            }
        };
        let is_unbounded = translated.contains(['*', '+']) || translated.contains(",}");
        let backtracks = BACKTRACKING.iter().any(|part| translated.contains(part));
        let compiled: [OnceCell<Regex>; BACKTRACKS.len()] = Default::default();
        compiled[0].get_or_init(|| first);
        Ok(Self { translated, compiled, size, is_unbounded, backtracks })
    }

    fn with_limit(&self, number: usize) -> &Regex {
        self.compiled[number].get_or_init(|| {
            compile(&self.translated, self.size, BACKTRACKS[number]).expect("it was compiled with another limit")
        })
    }

    /// Finds the first match at or after `from`; subtracts the cost of the search from `steps`.
    fn search<'t>(&self, text: &'t str, from: usize, steps: &mut usize) -> Result<Option<Captures<'t>>, String> {
        let bytes = if self.is_unbounded { text.len() - from } else { self.translated.len() };
        // A large pattern may follow many ways through the text at the same time.
        let bytes = bytes * ((self.size / LEAST_COMPILED).pow(2) / 4).max(1);
        for (number, limit) in BACKTRACKS.iter().enumerate() {
            // Each way may read all the bytes again.
            let ways = if self.backtracks { *limit } else { 1 };
            let cost = ways * (1 + bytes / BYTES_PER_STEP);
            *steps = steps.checked_sub(cost).ok_or_else(too_many_steps)?;
            match self.with_limit(number).captures_from_pos(text, from) {
                Err(fancy_regex::Error::RuntimeError(RuntimeError::BacktrackLimitExceeded)) => {}
                found => return found.map_err(|error| error.to_string()),
            }
        }
        Err(too_many_steps())
    }

    /// Replaces every match; `$1`, `${name}` and `\` in the replacement mean what they mean in Java. The result has at
    /// most `limit` bytes.
    pub(super) fn replace_all(&self, text: &str, replacement: &str, limit: usize) -> Result<String, String> {
        let groups: Vec<Option<&str>> = self.with_limit(0).capture_names().collect();
        let mut pieces: Option<Vec<Piece>> = None;
        let mut out = String::new();
        let mut end = 0;
        for captures in self.matches(text) {
            let captures = captures?;
            let Some(found) = captures.get(0) else { continue };
            // As in Java, a replacement is read only when there is something to replace.
            let pieces = match &mut pieces {
                Some(pieces) => pieces,
                none => none.insert(parse_replacement(replacement, &groups)?),
            };
            out.push_str(&text[end..found.start()]);
            for piece in pieces.iter() {
                out.push_str(piece.text(&captures));
            }
            end = found.end();
            if out.len() > limit {
                return Err(format!("the result is longer than {limit} bytes"));
            }
        }
        out.push_str(&text[end..]);
        Ok(out)
    }

    fn matches<'r, 't>(&'r self, text: &'t str) -> Matches<'r, 't> {
        Matches { regex: self, text, from: Some(0), steps: MOST_STEPS }
    }

    /// Returns the parts between the matches, without empty ones at the end; one part when nothing matches.
    pub(super) fn split<'t>(&self, text: &'t str) -> Result<Vec<&'t str>, String> {
        let mut parts = Vec::new();
        let mut end = 0;
        for captures in self.matches(text) {
            let captures = captures?;
            let Some(found) = captures.get(0) else { continue };
            if found.end() == 0 {
                continue;
            }
            parts.push(&text[end..found.start()]);
            end = found.end();
        }
        if parts.is_empty() {
            return Ok(vec![text]);
        }
        parts.push(&text[end..]);
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        Ok(parts)
    }
}

/// The matches in a text, from its start to its end.
struct Matches<'r, 't> {
    regex: &'r JavaRegex,
    text: &'t str,
    /// Where the next search starts; `None` at the end, and after an error.
    from: Option<usize>,
    steps: usize,
}

impl<'t> Iterator for Matches<'_, 't> {
    type Item = Result<Captures<'t>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let from = self.from.take()?;
        let captures = match self.regex.search(self.text, from, &mut self.steps) {
            Ok(captures) => captures?,
            Err(error) => return Some(Err(error)),
        };
        let found = captures.get(0)?;
        self.from = next_search(self.text, found.start(), found.end());
        Some(Ok(captures))
    }
}

/// Returns where Java searches after a match: at its end, where the empty text may match, and after the next character
/// when the match itself was empty.
fn next_search(text: &str, start: usize, end: usize) -> Option<usize> {
    if start < end { Some(end) } else { text[end..].chars().next().map(|next| end + next.len_utf8()) }
}

fn compile(translated: &str, size: usize, backtracks: usize) -> Result<Regex, Box<fancy_regex::Error>> {
    RegexBuilder::new(translated).delegate_size_limit(size).backtrack_limit(backtracks).build().map_err(Box::new)
}

fn too_many_steps() -> String {
    format!(
        "the regular expression takes more than {MOST_STEPS} steps in this text: make it simpler, or the text shorter"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, pattern: &str, replacement: &str, expect: &str) {
        let got = JavaRegex::new(pattern).and_then(|regex| regex.replace_all(text, replacement, 1000));
        let got = got.unwrap_or_else(|error| format!("error: {error}"));
        assert_eq!(got, expect, "{text} {pattern} {replacement}");
    }

    #[test]
    fn replaces_as_java_does() {
        check("a.b.c", ".", "x", "xxxxx");
        check("abab", "(ab)+", "[$1]", "[ab]");
        check("abc", "", "-", "-a-b-c-");
        check("foo", "o*", "x", "xfxx");
        check("aé", "é?", "-", "-a--");
        check("baac", "a*", "-", "-b--c-");
        check("", "x*", "-", "-");
        check("foobar", "foo(?=bar)", "X", "Xbar");
        check("aa", r"(a)\1", "b", "b");
        check("ABC", "[A-Z]", "$0.", "A.B.C.");
        check("a1", "([a-z])([0-9])", "$2$1$10", "1aa0");
        check("a", "a", r"\$1\\", r"$1\");
        check("a.b", r"\Q.\E", "-", "a-b");
        check("٣3", r"\d", "x", "٣x");
        check("abc\n", "c$", "x", "abx\n");
        check("k=v", "(?<key>.)=(.)", "$2=${key}", "v=k");
        check("a-b", r"[\d-]", "", "ab");
        check("none", "x", "$9", "none");
    }

    #[test]
    fn refuses_bad_patterns_and_replacements() {
        let unfolds = JavaRegex::new("((a{99}){99}){99}").err().unwrap_or_default();
        assert!(unfolds.starts_with("regular expression [((a{99}){99}){99}]: "), "{unfolds}");
        check("abc", "b", "$9", "error: No group 9");
        check("abc", "b", "$x", "error: Illegal group reference");
        check("abc", "b", "\\", "error: character to be escaped is missing");
        check("abc", "b", "${x}", "error: No group with name {x}");
        check("abc", "b", "${x", "error: named capturing group is missing trailing '}'");
        assert!(JavaRegex::new("(").is_err());
        assert!(JavaRegex::new(&"a".repeat(LONGEST_PATTERN + 1)).is_err());
        check(&"a".repeat(600), "a", "bb", "error: the result is longer than 1000 bytes");
    }

    /// Each of these would take minutes or more.
    #[test]
    fn the_work_on_a_text_is_bounded() {
        let too_many = format!("error: {}", too_many_steps());
        let again = |text: &str, times: usize| text.repeat(times);
        for (text, pattern) in [
            (again("a", 40), r"(a|aa)+(?=b)\1"),
            (again("a", 60) + "!", r"(?=(a+)+b\2)(a+)+\2$"),
            (again("a", 20_000), r"(x+x+)+(?=y)|(a*)*(?=b)\2"),
            (again("ab", 40_000), ".*[^a-z]|[a-z]"),
            (again("ab", 20_000), "[ab]*a[ab]{60}c|[ab]"),
            (again("a", 100_000), r"(?=a*b)a|a(?=a*b)"),
            (again("ab", 500_000), "([ab]*a[ab]{3000}c)+"),
        ] {
            let got = JavaRegex::new(pattern).and_then(|regex| regex.replace_all(&text, "x", 10_000_000));
            assert_eq!(got.map_err(|error| format!("error: {error}")), Err(too_many.clone()), "{pattern}");
        }
    }

    #[test]
    fn the_work_of_splitting_is_bounded() {
        let regex = JavaRegex::new(r"(a|aa)+(?=b)\1").expect("a pattern");
        assert_eq!(regex.split(&"a".repeat(40)), Err(too_many_steps()));
    }

    #[test]
    fn usual_patterns_are_accepted() {
        let list = "hdfs://nn:8020/data/2026/01/01/05,".repeat(3000);
        for (text, pattern, matches) in [
            (list.as_str(), ",", 3000),
            (&list, "hdfs://[a-z]+:[0-9]{1,5}", 3000),
            (&list[..30_000], ",\\s*", 882),
            (&list[..30_000], "(?<=/)\\d+", 3528),
            (&list, "/(?=2026)", 3000),
            ("a b\tc", "\\s+", 2),
        ] {
            let regex = JavaRegex::new(pattern).expect("a pattern");
            let replaced = regex.replace_all(text, "\u{1}", 1 << 20).map(|text| text.matches('\u{1}').count());
            assert_eq!(replaced, Ok(matches), "{pattern}");
        }
    }

    #[test]
    fn splits_as_java_does() {
        for (text, pattern, expect) in [
            ("a,b,", ",", &["a", "b"] as &[&str]),
            ("", ",", &[""]),
            (",a", ",", &["", "a"]),
            (",,", ",", &[]),
            ("ab", "", &["a", "b"]),
            ("foo", "o*", &["f"]),
            ("abab", "(?=a)", &["ab", "ab"]),
        ] {
            let regex = JavaRegex::new(pattern).expect("a valid pattern");
            assert_eq!(regex.split(text).expect("bounded"), expect, "{text} {pattern}");
        }
    }
}

//! Java's patterns in the notation of the engine. Must not depend on what a pattern is searched in.

use std::fmt::Write;

/// Translates the pattern for the engine.
pub(super) fn translate(pattern: &str) -> String {
    let multiline = pattern.contains("(?m") || pattern.contains("(?sm") || pattern.contains("(?im");
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut in_class = 0_usize;
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '\\' if rest.starts_with('Q') => {
                let (quoted, after) = rest[1..].split_once("\\E").unwrap_or((&rest[1..], ""));
                out.push_str(&fancy_regex::escape(quoted));
                rest = after;
            }
            '\\' => {
                let escaped = rest.chars().next();
                rest = &rest[escaped.map_or(0, char::len_utf8)..];
                push_escape(escaped, &mut out);
            }
            '$' if in_class == 0 && !multiline => out.push_str(r"(?=\n?\z)"),
            other => {
                match other {
                    '[' => in_class += 1,
                    ']' => in_class = in_class.saturating_sub(1),
                    _ => {}
                }
                out.push(other);
            }
        }
    }
    out
}

fn push_escape(escaped: Option<char>, out: &mut String) {
    match escaped {
        Some('d') => out.push_str("[0-9]"),
        Some('D') => out.push_str("[^0-9]"),
        Some('w') => out.push_str("[A-Za-z0-9_]"),
        Some('W') => out.push_str("[^A-Za-z0-9_]"),
        Some('s') => out.push_str(r"[ \t\n\x0B\x0C\r]"),
        Some('S') => out.push_str(r"[^ \t\n\x0B\x0C\r]"),
        Some('Z') => out.push_str(r"(?=\n?\z)"),
        Some(other) => write!(out, "\\{other}").expect("writing to a String"),
        None => out.push('\\'),
    }
}

//! The replacement texts of Java: literals, and groups by number or name. Must not depend on how a pattern is compiled.

use fancy_regex::Captures;

/// A part of a replacement text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Literal(String),
    Group(usize),
}

impl Piece {
    /// The text that it stands for in a match.
    pub(super) fn text<'t>(&'t self, captures: &Captures<'t>) -> &'t str {
        match self {
            Self::Literal(text) => text,
            Self::Group(number) => captures.get(*number).map_or("", |found| found.as_str()),
        }
    }
}

/// Reads a replacement text for a pattern with these groups, of which the first is the whole match.
pub(super) fn parse_replacement(replacement: &str, groups: &[Option<&str>]) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = replacement;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '\\' => {
                let escaped = rest.chars().next().ok_or("character to be escaped is missing")?;
                literal.push(escaped);
                rest = &rest[escaped.len_utf8()..];
            }
            '$' => {
                let (piece, after) = parse_group(rest, groups)?;
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                pieces.push(piece);
                rest = after;
            }
            other => literal.push(other),
        }
    }
    pieces.push(Piece::Literal(literal));
    Ok(pieces)
}

/// Reads the group after a `$`: a name in braces, or as many digits as still name a group.
fn parse_group<'r>(rest: &'r str, groups: &[Option<&str>]) -> Result<(Piece, &'r str), String> {
    if let Some(inner) = rest.strip_prefix('{') {
        let (name, after) = inner.split_once('}').ok_or("named capturing group is missing trailing '}'")?;
        let number = groups.iter().position(|group| *group == Some(name));
        return number
            .map(|number| (Piece::Group(number), after))
            .ok_or_else(|| format!("No group with name {{{name}}}"));
    }
    let digit = |text: &str| text.chars().next().and_then(|digit| digit.to_digit(10)).map(|digit| digit as usize);
    let mut number = digit(rest).ok_or("Illegal group reference")?;
    if number >= groups.len() {
        return Err(format!("No group {number}"));
    }
    let mut rest = &rest[1..];
    while let Some(next) = digit(rest).map(|digit| number * 10 + digit).filter(|next| *next < groups.len()) {
        number = next;
        rest = &rest[1..];
    }
    Ok((Piece::Group(number), rest))
}

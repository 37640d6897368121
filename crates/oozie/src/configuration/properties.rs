//! Reads the text of a Java properties file.
//!
//! Follows `java.util.Properties.load` exactly: separators `=`, `:` and blank, comments `#` and `!`, continuation by a
//! backslash, escapes, later names win. Nothing else is trimmed and nothing is substituted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText, Span};
use howdah_words::model::Properties;

/// The most names given more than once that are reported for one job.
const MOST_REPETITIONS: usize = 100;

/// Properties with their places in the source.
#[derive(Clone, Debug, Default)]
pub struct ParsedProperties {
    /// Name to value; the last value where a name is repeated.
    pub values: Properties,
    /// Every later mention of a name that was given before, in order: the place of the name.
    pub repeated: Vec<(String, Span)>,
    source: Option<Arc<SourceText>>,
    places: BTreeMap<String, Given>,
}

/// The place where a property was given.
#[derive(Clone, Debug)]
struct Given {
    source: Arc<SourceText>,
    place: PropertySpans,
}

/// The places of a property's name and value in one text.
#[derive(Clone, Copy, Debug)]
pub(super) struct PropertySpans {
    pub(super) name: Span,
    pub(super) value: Span,
}

impl ParsedProperties {
    /// Returns an empty list for properties read from `source`.
    pub(super) fn of(source: &Arc<SourceText>) -> Self {
        Self { source: Some(Arc::clone(source)), ..Self::default() }
    }

    /// Adds a property; replaces an earlier one of that name.
    pub(super) fn set(&mut self, name: String, value: String, place: PropertySpans) {
        if let Some(source) = &self.source {
            let given = Given { source: Arc::clone(source), place };
            if self.places.insert(name.clone(), given).is_some() {
                self.repeated.push((name.clone(), place.name));
            }
        }
        self.values.insert(name, value);
    }

    /// Sets the property that the command line defines as `name=value`; `false` when the text is not a definition.
    pub fn define_as_written(&mut self, definition: &str) -> bool {
        let Some((name, value)) = definition.split_once('=') else { return false };
        let written = name.trim();
        if written.is_empty() {
            return false;
        }
        let start = name.len() - name.trim_start().len();
        let place = PropertySpans {
            name: Span::new(start, start + written.len()),
            value: Span::new(name.len() + 1, definition.len()),
        };
        let source = SourceText::new("-D", definition);
        self.places.insert(written.to_owned(), Given { source, place });
        self.values.insert(written.to_owned(), value.to_owned());
        true
    }

    /// Sets a property that the user did not write.
    pub fn define(&mut self, name: String, value: String) {
        self.places.remove(&name);
        self.values.insert(name, value);
    }

    /// Returns a warning for each name that is given more than once, at its last mention.
    pub fn repetitions(&self) -> Vec<Error> {
        let mut seen = BTreeSet::new();
        let names = self.repeated.iter().map(|(name, _)| name).filter(|name| seen.insert(*name));
        let warning = |name: &String| {
            let warning = Error::new(ErrorCode::W0103, name).help("remove the line that should not count");
            self.place(name, warning)
        };
        // One more than the limit shows that there are more.
        let mut warnings: Vec<Error> = names.map(warning).take(MOST_REPETITIONS + 1).collect();
        Error::keep_first(&mut warnings, MOST_REPETITIONS);
        warnings
    }

    /// Adds the place of the property of this name to the error, if the property came from a text.
    pub fn place(&self, name: &str, error: Error) -> Error {
        match self.locate(name) {
            Some(location) => error.at(location),
            None => error,
        }
    }

    /// Returns the place of this property's name, if it came from a text.
    pub fn locate(&self, name: &str) -> Option<Location> {
        let given = self.places.get(name)?;
        Some(Location::new(&given.source, given.place.name))
    }

    /// Returns the place of this property's value, if it came from a text.
    pub fn locate_value(&self, name: &str) -> Option<Location> {
        let given = self.places.get(name)?;
        Some(Location::new(&given.source, given.place.value))
    }
}

impl From<Properties> for ParsedProperties {
    /// Returns properties without places, as `-D` and site settings give them.
    fn from(values: Properties) -> Self {
        Self { values, ..Self::default() }
    }
}

/// Reads a whole properties file.
///
/// # Errors
///
/// H0112, at the escape, for a `\u` without four hexadecimal digits: the only text the format refuses.
pub fn parse_properties(source: &Arc<SourceText>) -> Result<ParsedProperties> {
    let mut parsed = ParsedProperties::of(source);
    let mut lines = LogicalLines { rest: source.text.char_indices().peekable() };
    while let Some(line) = lines.next_line() {
        let (key, value) = split(&line);
        let start = line.first().map_or(source.text.len(), |(at, _)| *at);
        let name = Span::new(start, key.last().map_or(start, |(at, last)| at + last.len_utf8()));
        let first = value.first().map_or(name.end, |(at, _)| *at);
        let end = value.last().map_or(first, |(at, last)| at + last.len_utf8());
        let place = PropertySpans { name, value: Span::new(first, end) };
        let name = unescape(key, source)?;
        parsed.set(name, unescape(value, source)?, place);
    }
    Ok(parsed)
}

/// A character and its byte offset.
type Placed = (usize, char);

/// The lines after continuations were joined, without blank lines, comments and leading blanks.
struct LogicalLines<'a> {
    rest: std::iter::Peekable<std::str::CharIndices<'a>>,
}

impl LogicalLines<'_> {
    /// Returns the next line. A backslash that continues onto nothing is dropped; if it is alone at the very end of the
    /// text, it leaves an empty line, as in Java.
    fn next_line(&mut self) -> Option<Vec<Placed>> {
        let mut line: Vec<Placed> = Vec::new();
        let mut escaped = false;
        let mut leading = true;
        while let Some((at, character)) = self.rest.next() {
            if leading && is_blank(character) {
                continue;
            }
            leading = false;
            // A line with only a continuation mark does not prevent the next line from being a comment.
            if line.is_empty() && matches!(character, '#' | '!') {
                while self.rest.next_if(|(_, character)| !is_line_end(*character)).is_some() {}
                leading = true;
            } else if !is_line_end(character) {
                line.push((at, character));
                escaped = character == '\\' && !escaped;
            } else if escaped {
                line.pop();
                if self.rest.peek().is_none() {
                    return Some(line);
                }
                escaped = false;
                leading = true;
                if character == '\r' {
                    self.rest.next_if(|(_, next)| *next == '\n');
                }
            } else if line.is_empty() {
                leading = true;
            } else {
                return Some(line);
            }
        }
        let found = !line.is_empty();
        if escaped {
            line.pop();
        }
        found.then_some(line)
    }
}

/// Returns the key and the value of a line, escapes still in place.
fn split(line: &[Placed]) -> (&[Placed], &[Placed]) {
    let mut escaped = false;
    let ends_key = |(_, character): &Placed| {
        let ends = !escaped && (is_blank(*character) || is_separator(*character));
        escaped = *character == '\\' && !escaped;
        ends
    };
    let Some(end) = line.iter().position(ends_key) else { return (line, &[]) };
    let (key, mut value) = line.split_at(end);
    let mut separated = false;
    while let Some(((_, character), rest)) = value.split_first() {
        if !is_blank(*character) {
            if separated || !is_separator(*character) {
                break;
            }
            separated = true;
        }
        value = rest;
    }
    (key, value)
}

fn unescape(text: &[Placed], source: &Arc<SourceText>) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(((_, character), after)) = rest.split_first() {
        rest = after;
        if *character != '\\' {
            out.push(*character);
            continue;
        }
        let Some(((at, escape), after)) = rest.split_first() else { break };
        rest = after;
        match escape {
            't' => out.push('\t'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            'f' => out.push('\u{C}'),
            'u' => {
                let unit = code_unit(rest).ok_or_else(|| malformed_escape(*at, source))?;
                rest = &rest[4..];
                // The upper half of a pair needs its lower half, which must follow as an escape.
                let low = match rest {
                    [(_, '\\'), (_, 'u'), digits @ ..] if is_upper_half(unit) => code_unit(digits),
                    _ => None,
                };
                let pair: Vec<u16> =
                    [Some(unit), low.filter(|low| is_lower_half(*low))].into_iter().flatten().collect();
                if pair.len() == 2 {
                    rest = &rest[6..];
                }
                // Half a pair alone is not a character in any encoding.
                out.push_str(&String::from_utf16_lossy(&pair));
            }
            other => out.push(*other),
        }
    }
    Ok(out)
}

const fn is_upper_half(unit: u16) -> bool {
    matches!(unit, 0xD800..=0xDBFF)
}

const fn is_lower_half(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}

/// Returns the number that the first four characters write in hexadecimal digits.
fn code_unit(text: &[Placed]) -> Option<u16> {
    let mut digits = text.get(..4)?.iter().map(|(_, character)| character.to_digit(16));
    digits.try_fold(0, |value, digit| Some(value * 16 + u16::try_from(digit?).ok()?))
}

/// Returns the error for a malformed escape; `at` is the place of its `u`.
fn malformed_escape(at: usize, source: &Arc<SourceText>) -> Error {
    Error::with(ErrorCode::H0112, &[&source.name, &"properties"])
        .at(Location::new(source, Span::new(at - 1, at + 1)))
        .help(r"`\u` needs four hexadecimal digits, as in `\u00e9`; a backslash itself is written `\\`")
}

const fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\u{C}')
}

const fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r')
}

const fn is_separator(character: char) -> bool {
    matches!(character, '=' | ':')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        let parsed = parse_properties(&SourceText::new("job.properties", text)).unwrap();
        let got: Vec<_> = parsed.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(got, expect, "{text:?}");
    }

    #[test]
    fn separates_names_from_values() {
        check(
            "a=1\nb:2\nc 3\nd = 4 \n\te\t:\t5\nf==6\ng",
            &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4 "), ("e", "5"), ("f", "=6"), ("g", "")],
        );
        check(r"a\:b\ c\==d", &[("a:b c=", "d")]);
        check("=x", &[("", "x")]);
    }

    #[test]
    fn repetitions_are_reported_up_to_a_limit() {
        let count = |names: usize| {
            let lines: Vec<String> = (0..names).map(|name| format!("a{name}=1\na{name}=2\na{name}=3\n")).collect();
            let text = lines.concat();
            parse_properties(&SourceText::new("job.properties", text)).unwrap().repetitions()
        };
        assert_eq!((count(2).len(), count(MOST_REPETITIONS).len()), (2, MOST_REPETITIONS));
        let many = count(3 * MOST_REPETITIONS);
        assert_eq!(many.len(), MOST_REPETITIONS);
        assert_ne!(many.last().unwrap().help_text(), many[0].help_text(), "the last one mentions that there are more");
    }

    #[test]
    fn joins_lines_and_drops_comments() {
        check("#c\n !c\\\na=1\\\n  2\\\r\n  3\rb=\\\\\n", &[("a", "123"), ("b", "\\")]);
        check("a=1\\", &[("a", "1")]);
        check("\\\n#c\na=1", &[("a", "1")]);
        check("a=1\\\n#2", &[("a", "1#2")]);
        check("\r\n\n \n", &[]);
        check("\\", &[("", "")]);
        check("\\\r\n", &[]);
    }

    #[test]
    fn replaces_escapes() {
        check(r"a=\t\n\r\f\q\u00e9\ud83d\ude00", &[("a", "\t\n\r\u{C}qé😀")]);
        check(r"a=\ud83dx", &[("a", "\u{FFFD}x")]);
        check(r"\u0041b=1", &[("Ab", "1")]);
    }

    #[test]
    fn the_last_of_a_name_counts_and_the_others_are_reported() {
        let parsed = parse_properties(&SourceText::new("f", "a=1\nb=2\na=3")).unwrap();
        assert_eq!(parsed.values["a"], "3");
        assert_eq!(parsed.repeated, [("a".to_owned(), Span::new(8, 9))]);
        assert_eq!(parsed.locate("b").unwrap().line_column(), (2, 1));
        assert_eq!(parsed.locate_value("a").unwrap().line_column(), (3, 3));
        assert_eq!(parsed.locate("c"), None);
    }

    #[test]
    fn definitions_of_the_command_line_have_a_place() {
        let mut parsed = ParsedProperties::default();
        for (definition, expect) in
            [("a = b=c", Some(("a", " b=c"))), ("x=", Some(("x", ""))), ("=x", None), ("x", None)]
        {
            assert_eq!(parsed.define_as_written(definition), expect.is_some(), "{definition}");
            let Some((name, value)) = expect else { continue };
            let place = parsed.locate_value(name).unwrap();
            assert_eq!((parsed.values[name].as_str(), &place.source.text[place.span.start..]), (value, value));
            assert_eq!((place.source.name.as_str(), parsed.locate(name).unwrap().line_column()), ("-D", (1, 1)));
        }
        assert!(parsed.repetitions().is_empty());
    }

    #[test]
    fn refuses_malformed_escapes_at_their_place() {
        for text in ["a=1\nb=\\u12", "a=1\nb=\\uxyzw", "a=1\nb=\\u"] {
            let error = parse_properties(&SourceText::new("f", text)).unwrap_err();
            assert_eq!(error.location().unwrap().line_column(), (2, 3), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in r"[\\ua0=:# \n\r\t!d8é]{0,40}") {
            let _ = parse_properties(&SourceText::new("f", text));
        }
    }
}

//! Reports a wrong value at the place where the user wrote it: in the properties file or after `-D`, not in the
//! definition that refers to it.
//!
//! Uses only the text of the place. Must not evaluate anything.

use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, Location};

/// Moves each problem whose place is exactly one reference, such as `${start}`, to the value of that property, if the
/// user gave it; the place in the definition is added to the help.
pub(crate) fn at_given_values(problems: Vec<Error>, properties: &ParsedProperties) -> Vec<Error> {
    let given = |problem: &Error| properties.locate_value(referred(problem.location()?)?);
    let moved = |problem: Error| match given(&problem) {
        Some(place) => problem.moved_to(place),
        None => problem,
    };
    problems.into_iter().map(moved).collect()
}

/// Returns the property to which the text of a place refers, when it is one reference and nothing else.
fn referred(place: &Location) -> Option<&str> {
    let text = place.source.text.get(place.span.start..place.span.end)?;
    let name = text.trim().strip_prefix("${")?.strip_suffix('}')?.trim();
    let is_name = name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '$'));
    (is_name && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_oozie::configuration::parse_properties;
    use howdah_words::error::{ErrorCode, SourceText, Span};

    /// The place and the help of a problem with `part` of a definition, whose job has `start=soon`.
    fn check(definition: &str, part: &str, expect: &str) {
        let properties = parse_properties(&SourceText::new("job.properties", "x=1\nstart=soon\n")).unwrap();
        let source = SourceText::new("c.xml", definition);
        let start = definition.find(part).unwrap();
        let place = Location::new(&source, Span::new(start, start + part.len()));
        let problem = Error::new(ErrorCode::E1003, "no datetime").at(place).help("write one");
        let placed = at_given_values(vec![problem], &properties).remove(0);
        let at = placed.location().unwrap();
        let (line, column) = at.line_column();
        let got = format!("{}:{line}:{column} {}", at.source.name, placed.help_text().unwrap());
        assert_eq!(got, expect, "{definition}");
    }

    #[test]
    fn only_a_single_reference_to_a_given_property_is_moved() {
        let moved = "job.properties:2:7 write one; the value is used at c.xml:1:10";
        check("<a start='${start}'/>", "${start}", &moved.replace(":10", ":11"));
        check("<b>\n ${start} </b>", "\n ${start} ", &moved.replace("1:10", "1:4"));
        for text in ["${start}Z", "${other}", "${f(start)}", "${start + 1}", "soon"] {
            check(&format!("<a start='{text}'/>"), text, "c.xml:1:11 write one");
        }
    }
}

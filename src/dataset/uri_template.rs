//! URI templates: text with `${YEAR}`, `${MONTH}`, `${DAY}`, `${HOUR}`, `${MINUTE}` (specification 5.2).
//!
//! The fields are those of the processing time zone. Everything else of the template was evaluated at submission.

use std::fmt::Write as _;

use crate::calendar::{Fields, ProcessingZone};
use crate::el::{CallError, ElError, FunctionName, Scope, Template, Value};
use crate::model::time::Timestamp;

/// A compiled URI template.
#[derive(Clone, Debug)]
pub(crate) struct UriTemplate {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Field(Field),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Year,
    Month,
    Day,
    Hour,
    Minute,
}

const FIELDS: [(&str, Field); 5] = [
    ("YEAR", Field::Year),
    ("MONTH", Field::Month),
    ("DAY", Field::Day),
    ("HOUR", Field::Hour),
    ("MINUTE", Field::Minute),
];

/// Answers each field with a mark that no template can contain, to find where the fields stand.
struct Marks;

/// Code points that are no characters and stay so, one per field, in the order of [`FIELDS`].
const FIRST_MARK: u32 = 0xFDD0;

impl Scope for Marks {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        let index = FIELDS.iter().position(|(field, _)| *field == name);
        let mark = index.and_then(|index| char::from_u32(FIRST_MARK + u32::try_from(index).ok()?));
        Ok(mark.map(|mark| Value::from(mark.to_string())))
    }

    fn call(&mut self, _: FunctionName<'_>, _: &[Value]) -> Result<Value, CallError> {
        Err(CallError::UnknownFunction)
    }

    fn names(&self) -> Vec<String> {
        FIELDS.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

impl UriTemplate {
    /// Compiles the text of a template.
    ///
    /// # Errors
    /// The text is no expression text, or uses anything but the five fields.
    pub(crate) fn parse(text: &str) -> Result<Self, ElError> {
        let marked = Template::parse(text)?.evaluate(&mut Marks)?;
        let mut parts = Vec::new();
        let mut literal = String::new();
        for character in marked.chars() {
            let field = (character as u32).checked_sub(FIRST_MARK).and_then(|index| FIELDS.get(index as usize));
            match field {
                Some((_, field)) => {
                    if !literal.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut literal)));
                    }
                    parts.push(Part::Field(*field));
                }
                None => literal.push(character),
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Self { parts })
    }

    /// The URI at a time: the year as it is, the other fields with two digits.
    pub(crate) fn resolve(&self, at: Timestamp, processing: ProcessingZone) -> String {
        let fields = processing.fields(at);
        let mut uri = String::with_capacity(64);
        for part in &self.parts {
            match part {
                Part::Literal(text) => uri.push_str(text),
                Part::Field(field) => push_field(&mut uri, *field, &fields),
            }
        }
        uri
    }

    /// The template as text, with its fields as `${NAME}`.
    pub(crate) fn text(&self) -> String {
        let name = |wanted: Field| FIELDS.iter().find(|(_, field)| *field == wanted).map_or("", |(name, _)| *name);
        self.parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => text.clone(),
                Part::Field(field) => format!("${{{}}}", name(*field)),
            })
            .collect()
    }
}

fn push_field(uri: &mut String, field: Field, fields: &Fields) {
    // Writing to a String cannot fail.
    let _ = match field {
        Field::Year => write!(uri, "{}", fields.year),
        Field::Month => write!(uri, "{:02}", fields.month),
        Field::Day => write!(uri, "{:02}", fields.day),
        Field::Hour => write!(uri, "{:02}", fields.hour),
        Field::Minute => write!(uri, "{:02}", fields.minute),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_fields() {
        let at = Timestamp::from_seconds(1_230_768_000 + 5 * 60);
        for (template, expect) in [
            ("hdfs://h:1/a/${YEAR}/${MONTH}/${DAY}/${HOUR}/${MINUTE}", "hdfs://h:1/a/2009/01/01/00/05"),
            ("/plain", "/plain"),
            ("${YEAR}${YEAR}", "20092009"),
            ("/\u{E000}/${DAY}", "/\u{E000}/01"),
        ] {
            let compiled = UriTemplate::parse(template).unwrap();
            assert_eq!(compiled.resolve(at, ProcessingZone::UTC), expect);
            assert_eq!(compiled.text(), template);
        }
        assert!(UriTemplate::parse("/a/${SECOND}").is_err());
    }
}

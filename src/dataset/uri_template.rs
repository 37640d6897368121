//! URI templates: text with `${YEAR}`, `${MONTH}`, `${DAY}`, `${HOUR}`, `${MINUTE}` (specification 5.2).
//!
//! The fields are in the processing time zone, and may occur in expressions, such as `${MONTH + 0}` for a month without
//! its leading zero. Everything else in the template was evaluated at submission.

use std::fmt::Write as _;

use crate::calendar::{Fields, ProcessingZone};
use crate::el::{self, CallError, ElError, ExprKind, FunctionName, Scope, Template, Value};
use crate::model::time::Timestamp;

/// A compiled URI template.
#[derive(Clone, Debug)]
pub(crate) struct UriTemplate(Form);

#[derive(Clone, Debug)]
enum Form {
    /// Fields between texts, as in nearly every template: nothing has to be evaluated.
    Fields(Vec<Part>),
    /// A field occurs in an expression, which is evaluated for each instance.
    Computed(Template),
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

/// The value of each field at one time.
struct Numbers(Fields);

impl Scope for Numbers {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(field(name).map(|field| {
            let mut text = String::new();
            push_field(&mut text, field, &self.0);
            Value::from(text)
        }))
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
    /// The text is not a valid template, uses anything but the five fields, or has no value at the first of January
    /// 1970.
    pub(crate) fn parse(text: &str) -> Result<Self, ElError> {
        if let Some(parts) = plain_parts(text) {
            return Ok(Self(Form::Fields(parts)));
        }
        let template = Template::parse(text)?;
        template.evaluate(&mut Numbers(ProcessingZone::UTC.fields(Timestamp::EPOCH)))?;
        let parts: Option<Vec<Part>> = template.parts().iter().map(plain_part).collect();
        Ok(Self(parts.map_or(Form::Computed(template), Form::Fields)))
    }

    /// Returns the URI at a time: the year unchanged, the other fields with two digits.
    ///
    /// # Errors
    /// An expression of the template has no value at that time.
    pub(crate) fn resolve(&self, at: Timestamp, processing: ProcessingZone) -> Result<String, ElError> {
        let fields = processing.fields(at);
        let parts = match &self.0 {
            Form::Fields(parts) => parts,
            Form::Computed(template) => return template.evaluate(&mut Numbers(fields)),
        };
        let mut uri = String::with_capacity(64);
        for part in parts {
            match part {
                Part::Literal(text) => uri.push_str(text),
                Part::Field(field) => push_field(&mut uri, *field, &fields),
            }
        }
        Ok(uri)
    }

    /// Returns whether it has a field, so that instances may have different URIs.
    pub(crate) fn has_field(&self) -> bool {
        match &self.0 {
            Form::Fields(parts) => parts.iter().any(|part| matches!(part, Part::Field(_))),
            Form::Computed(template) => template.variables().any(|variable| field(variable.name).is_some()),
        }
    }

    /// Returns the common start of the URIs of all instances: the text before the first field or expression.
    pub(crate) fn prefix(&self) -> String {
        match &self.0 {
            Form::Fields(parts) => match parts.first() {
                Some(Part::Literal(text)) => text.clone(),
                Some(Part::Field(_)) | None => String::new(),
            },
            // An expression starts with a dollar, an escaped dollar with a backslash.
            Form::Computed(template) => template.to_string().split(['$', '\\']).next().unwrap_or_default().to_owned(),
        }
    }

    /// Returns the template as text, with its fields as `${NAME}`.
    pub(crate) fn text(&self) -> String {
        let name = |wanted: Field| FIELDS.iter().find(|(_, field)| *field == wanted).map_or("", |(name, _)| *name);
        let parts = match &self.0 {
            Form::Fields(parts) => parts,
            Form::Computed(template) => return template.to_string(),
        };
        parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => text.clone(),
                Part::Field(field) => format!("${{{}}}", name(*field)),
            })
            .collect()
    }
}

/// Returns the field of that name.
fn field(name: &str) -> Option<Field> {
    FIELDS.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
}

/// Returns a plain text or field; `None` for what has to be computed.
fn plain_part(part: &el::Part) -> Option<Part> {
    match part {
        el::Part::Text(text) => Some(Part::Literal(text.clone())),
        el::Part::Expression(expression) => match &expression.kind {
            ExprKind::Variable(name) => field(name).map(Part::Field),
            _ => None,
        },
    }
}

/// Returns the parts of a text whose `${...}` are the five fields only, as in nearly every template; `None` when the
/// text needs the expression language.
fn plain_parts(text: &str) -> Option<Vec<Part>> {
    if text.contains('\\') {
        return None;
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, after) = behind.split_once('}')?;
        let field = field(name)?;
        parts.extend((!before.is_empty()).then(|| Part::Literal(before.to_owned())));
        parts.push(Part::Field(field));
        rest = after;
    }
    parts.extend((!rest.is_empty()).then(|| Part::Literal(rest.to_owned())));
    Some(parts)
}

fn push_field(uri: &mut String, field: Field, fields: &Fields) {
    match field {
        // Writing to a String cannot fail.
        Field::Year => drop(write!(uri, "{}", fields.year)),
        Field::Month => push_two_digits(uri, fields.month),
        Field::Day => push_two_digits(uri, fields.day),
        Field::Hour => push_two_digits(uri, fields.hour),
        Field::Minute => push_two_digits(uri, fields.minute),
    }
}

/// Appends a number below 100. Formatting would cost more than the rest of a URI.
fn push_two_digits(uri: &mut String, number: u32) {
    let digit = |value: u32| char::from_digit(value, 10).unwrap_or('0');
    uri.push(digit(number / 10 % 10));
    uri.push(digit(number % 10));
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
            ("/y=${YEAR}/m=${MONTH + 0}/${'${DAY}'}", "/y=2009/m=1/${DAY}"),
            ("/\u{FDD0}/${DAY}", "/\u{FDD0}/01"),
        ] {
            let compiled = UriTemplate::parse(template).unwrap();
            assert_eq!(compiled.resolve(at, ProcessingZone::UTC).as_deref(), Ok(expect));
            assert_eq!(compiled.text(), template);
        }
        for (template, expect) in
            [("/a/\\${x}/${DAY}", "/a/${x}/01"), ("${ MONTH }-${'a'}", "01-a"), ("${ MONTH }/\u{FDD0}", "01/\u{FDD0}")]
        {
            let compiled = UriTemplate::parse(template).unwrap();
            assert_eq!(compiled.resolve(at, ProcessingZone::UTC).as_deref(), Ok(expect));
        }
        for (template, expect) in [
            ("hdfs://h:1/a/${YEAR}/${MONTH}", "hdfs://h:1/a/"),
            ("/plain", "/plain"),
            ("${YEAR}/a", ""),
            ("/y=${MONTH + 0}/${YEAR}", "/y="),
            ("/a/\\${x}/${DAY}", "/a/${x}/"),
            ("/a/\\${x}/${DAY + 0}", "/a/"),
        ] {
            let prefix = UriTemplate::parse(template).unwrap().prefix();
            assert_eq!(prefix, expect, "{template}");
        }
        for refused in ["/a/${SECOND}", "/a/${SECOND + 0}", "/a/${f(DAY)}", "/a/${DAY % 0}", "/a/${YEAR", "/a/${}"] {
            assert!(UriTemplate::parse(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn has_no_uri_where_an_expression_has_no_value() {
        let template = UriTemplate::parse("/a/${10 % (DAY - 2)}").unwrap();
        let on = |day: i64| template.resolve(Timestamp::from_seconds(day * 86_400), ProcessingZone::UTC);
        assert_eq!((on(3).as_deref(), on(1).is_err()), (Ok("/a/0"), true));
    }

    #[test]
    fn detects_fields() {
        for (template, expect) in [
            ("/a/${YEAR}", true),
            ("/a/${DAY % 2}", true),
            ("/a/${'x'}${true ? 1 : DAY}", true),
            ("/a", false),
            ("/a/${1 + 1}", false),
        ] {
            assert_eq!(UriTemplate::parse(template).unwrap().has_field(), expect, "{template}");
        }
    }
}

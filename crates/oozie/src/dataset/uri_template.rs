//! URI templates: text with `${YEAR}`, `${MONTH}`, `${DAY}`, `${HOUR}`, `${MINUTE}` (specification 5.2).
//!
//! The fields are in the processing time zone, and may occur in expressions, such as `${MONTH + 0}` for a month without
//! its leading zero. Everything else in the template was evaluated at submission.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use howdah_calendar::{Fields, ProcessingZone, push_two_digits};
use howdah_el::{self as el, CallError, ElError, Expr, ExprKind, FunctionName, Scope, Template, Value};
use howdah_words::model::time::Timestamp;

/// A compiled URI template.
#[derive(Clone, Debug)]
pub struct UriTemplate(Form);

#[derive(Clone, Debug)]
enum Form {
    /// Fields between texts, as in nearly every template: nothing has to be evaluated.
    Fields(Vec<Part>),
    /// A field occurs in an expression.
    Computed(Template, Vec<Piece>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Field(Field),
}

/// A part of a template with expressions.
#[derive(Clone, Debug)]
enum Piece {
    Plain(Part),
    /// An expression of one field: its text for each value of the field, the lowest first.
    Values(Field, Vec<String>),
    /// Any other expression, which is evaluated for each instance.
    Expression(Expr),
}

/// The most bytes of a text that is kept for each value of a field.
const LONGEST_VALUE: usize = 64;

/// The most parts of a template whose expressions have their texts kept.
const MOST_PARTS: usize = 50;

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
    pub fn parse(text: &str) -> Result<Self, ElError> {
        if let Some(parts) = plain_parts(text) {
            return Ok(Self(Form::Fields(parts)));
        }
        let template = Template::parse(text)?;
        template.evaluate(&mut Numbers(ProcessingZone::UTC.fields(Timestamp::EPOCH)))?;
        let parts: Option<Vec<Part>> = template.parts().iter().map(plain_part).collect();
        let are_few = template.parts().len() <= MOST_PARTS;
        let pieces = || template.parts().iter().map(|part| Piece::of(part, are_few)).collect();
        Ok(Self(parts.map_or_else(|| Form::Computed(template.clone(), pieces()), Form::Fields)))
    }

    /// Returns the URI at a time: the year unchanged, the other fields with two digits.
    ///
    /// # Errors
    /// An expression of the template has no value at that time.
    pub fn resolve(&self, at: Timestamp, processing: ProcessingZone) -> Result<String, ElError> {
        let fields = processing.fields(at);
        let mut uri = String::with_capacity(64);
        match &self.0 {
            Form::Fields(parts) => parts.iter().for_each(|part| part.push(&mut uri, &fields)),
            Form::Computed(_, pieces) => {
                for piece in pieces {
                    piece.push(&mut uri, &fields)?;
                }
            }
        }
        Ok(uri)
    }

    /// Returns whether it has a field, so that instances may have different URIs.
    pub(crate) fn has_field(&self) -> bool {
        match &self.0 {
            Form::Fields(parts) => parts.iter().any(|part| matches!(part, Part::Field(_))),
            Form::Computed(template, _) => template.variables().any(|variable| field(variable.name).is_some()),
        }
    }

    /// Returns the common start of the URIs of all instances: the text before the first field or expression.
    pub fn prefix(&self) -> String {
        match &self.0 {
            Form::Fields(parts) => match parts.first() {
                Some(Part::Literal(text)) => text.clone(),
                Some(Part::Field(_)) | None => String::new(),
            },
            // An expression starts with a dollar, an escaped dollar with a backslash.
            Form::Computed(template, _) => {
                template.to_string().split(['$', '\\']).next().unwrap_or_default().to_owned()
            }
        }
    }

    /// Returns the template as text, with its fields as `${NAME}`.
    pub fn text(&self) -> String {
        let name = |wanted: Field| FIELDS.iter().find(|(_, field)| *field == wanted).map_or("", |(name, _)| *name);
        let parts = match &self.0 {
            Form::Fields(parts) => parts,
            Form::Computed(template, _) => return template.to_string(),
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

impl Part {
    fn push(&self, uri: &mut String, fields: &Fields) {
        match self {
            Self::Literal(text) => uri.push_str(text),
            Self::Field(field) => push_field(uri, *field, fields),
        }
    }
}

impl Piece {
    fn of(part: &el::Part, keeps_texts: bool) -> Self {
        match (plain_part(part), part) {
            (Some(plain), _) => Self::Plain(plain),
            (None, el::Part::Text(text)) => Self::Plain(Part::Literal(text.clone())),
            (None, el::Part::Expression(expression)) => {
                let values = keeps_texts.then(|| values(expression)).flatten();
                values.map_or_else(|| Self::Expression(expression.clone()), |(field, texts)| Self::Values(field, texts))
            }
        }
    }

    fn push(&self, uri: &mut String, fields: &Fields) -> Result<(), ElError> {
        match self {
            Self::Plain(part) => part.push(uri, fields),
            Self::Values(field, texts) => {
                let text = field.value(fields).and_then(|(value, lowest)| texts.get((value - lowest) as usize));
                uri.push_str(text.expect("a text for each value of the field"));
            }
            Self::Expression(expression) => expression.write_text(&mut Numbers(*fields), uri)?,
        }
        Ok(())
    }
}

/// Returns the texts of an expression for each value of its field; `None` when it has another number of fields, the
/// year, a long text, or no value for one of them.
fn values(expression: &Expr) -> Option<(Field, Vec<String>)> {
    let mut names = expression.nodes().filter_map(|node| match &node.kind {
        ExprKind::Variable(name) => field(name),
        _ => None,
    });
    let only = names.next()?;
    let values = only.values().filter(|_| names.all(|other| other == only))?;
    let text = |value: u32| {
        let mut text = String::new();
        expression.write_text(&mut Numbers(only.with(value)), &mut text).ok()?;
        (text.len() <= LONGEST_VALUE).then_some(text)
    };
    Some((only, values.map(text).collect::<Option<_>>()?))
}

impl Field {
    /// Returns the values that it can have; `None` for the year.
    fn values(self) -> Option<RangeInclusive<u32>> {
        match self {
            Self::Year => None,
            Self::Month => Some(1..=12),
            Self::Day => Some(1..=31),
            Self::Hour => Some(0..=23),
            Self::Minute => Some(0..=59),
        }
    }

    /// Returns its value among the fields, and the lowest one that it can have; `None` for the year.
    fn value(self, fields: &Fields) -> Option<(u32, u32)> {
        let value = match self {
            Self::Year => return None,
            Self::Month => fields.month,
            Self::Day => fields.day,
            Self::Hour => fields.hour,
            Self::Minute => fields.minute,
        };
        Some((value, *self.values()?.start()))
    }

    /// Returns the fields of a time with this one changed.
    fn with(self, value: u32) -> Fields {
        let mut fields = ProcessingZone::UTC.fields(Timestamp::EPOCH);
        match self {
            Self::Year => {}
            Self::Month => fields.month = value,
            Self::Day => fields.day = value,
            Self::Hour => fields.hour = value,
            Self::Minute => fields.minute = value,
        }
        fields
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
    while let Some((before, behind)) = rest.split_once('$') {
        let (name, after) = behind.strip_prefix('{')?.split_once('}')?;
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
            ("/a$b/$${DAY}", "/a$b/$01"),
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

    /// Every minute of a day and every day of a leap year, against the same template without kept texts.
    #[test]
    fn kept_texts_are_those_of_the_expressions() {
        for text in [
            "/y=${YEAR}/m=${MONTH + 0}/d=${DAY + 0}/h=${HOUR + 0}/${MINUTE / 15}",
            "/${YEAR + 0}/${HOUR lt '12' ? 'am' : 'pm'}/${MONTH * 100 + DAY}",
            "/${10 % (DAY - 40)}${DAY == DAY}",
        ] {
            let (compiled, template) = (UriTemplate::parse(text).unwrap(), Template::parse(text).unwrap());
            let times = (0..24 * 60).map(|minute| minute * 60).chain((0..366).map(|day| day * 86_400));
            for seconds in times {
                let at = Timestamp::from_seconds(1_704_067_200 + seconds);
                let expect = template.evaluate(&mut Numbers(ProcessingZone::UTC.fields(at)));
                assert_eq!(compiled.resolve(at, ProcessingZone::UTC), expect, "{text} {seconds}");
            }
        }
        let long = format!("/${{DAY > 9 ? '{}' : 'x'}}", "x".repeat(LONGEST_VALUE + 1));
        let many = "/${DAY + 0}".repeat(MOST_PARTS);
        let kept = ["/${DAY + 0}", "/${10 % (DAY - 40)}"].map(|text| (text, true));
        let evaluated =
            ["/${YEAR + 0}", "/${10 % (DAY - 2)}", "/${DAY + HOUR}", &long, &many].map(|text| (text, false));
        for (text, expect) in kept.into_iter().chain(evaluated) {
            let Form::Computed(_, pieces) = UriTemplate::parse(text).unwrap().0 else { panic!("{text}") };
            assert_eq!(pieces.iter().any(|piece| matches!(piece, Piece::Values(..))), expect, "{text}");
        }
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

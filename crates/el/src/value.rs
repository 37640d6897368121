//! The values of expressions and their coercions (JSP EL 2.0, section 1.18), with Java's widths and spellings.
//!
//! Does not depend on operators: `operation` computes with two values.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::{Arc, LazyLock};

use super::number;

/// The result of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: the empty text, zero, false.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number, Java's `long`.
    Int(i64),
    /// A floating point number, Java's `double`.
    Float(f64),
    /// A text; cheap to clone.
    Text(Arc<str>),
    /// Values under names, as a function may return them.
    Map(BTreeMap<String, Self>),
    /// Values under numbers from 0, as a function may return them.
    List(Vec<Self>),
}

/// Up to here every whole number has its own floating point number.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Why a value, or an operator with two values, has no result: one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError(pub(super) String);

/// Identifies [`Value::missing`].
static MISSING: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from(""));

impl Value {
    /// Returns the value of what is not known: the empty text, which also equals null.
    pub fn missing() -> Self {
        Self::Text(Arc::clone(&MISSING))
    }

    /// Returns whether the value is null or [`Value::missing`].
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => Arc::ptr_eq(text, &MISSING),
            _ => false,
        }
    }

    /// Returns the value as text: null is the empty text, numbers are spelled as Java spells them.
    pub fn to_text(&self) -> Arc<str> {
        if let Self::Text(text) = self {
            return Arc::clone(text);
        }
        let mut text = String::new();
        self.write_text(&mut text);
        text.into()
    }

    /// Appends the text of [`Self::to_text`].
    pub fn write_text(&self, out: &mut String) {
        match self {
            Self::Null => {}
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => write!(out, "{value}").expect("writing to a text never fails"),
            Self::Float(value) => number::write_float(*value, out),
            Self::Text(value) => out.push_str(value),
            Self::Map(entries) => write_joined('{', entries, '}', out, |(name, value), out| {
                out.push_str(name);
                out.push('=');
                value.write_member(out);
            }),
            Self::List(items) => write_joined('[', items, ']', out, Self::write_member),
        }
    }

    /// Writes a member of a printed collection, where Java spells out null.
    fn write_member(&self, out: &mut String) {
        if matches!(self, Self::Null) { out.push_str("null") } else { self.write_text(out) }
    }

    /// Returns the value as Java's `int`, as an argument: integers wrap, floating point is truncated toward zero, null
    /// and the empty text are 0. A text must be an integer of 32 bits or a whole number such as `60.0`.
    pub fn to_int(&self) -> Result<i32, ValueError> {
        match self {
            Self::Float(value) => Ok(saturating_i32(*value)),
            Self::Text(_) => self.to_long()?.try_into().map_err(|_| self.unfit("a 32-bit integer")),
            _ => Ok(wrapping_i32(self.to_long()?)),
        }
    }

    /// Returns the value as Java's `long`, as an argument: floating point is truncated toward zero, null and the empty
    /// text are
    /// 0. A text must be an integer or a whole number such as `60.0`.
    pub(crate) fn to_long(&self) -> Result<i64, ValueError> {
        match self {
            Self::Float(value) => Ok(saturating_i64(*value)),
            Self::Text(text) if number::looks_like_float(text) => match number::read_float(text) {
                Some(whole) if whole.fract() == 0.0 && whole.abs() <= LARGEST_EXACT => Ok(saturating_i64(whole)),
                _ => Err(self.unfit("an integer")),
            },
            _ => self.to_strict_long(),
        }
    }

    /// Returns the value as Java's `long`, as an operand beside an integer: a text such as `60.0` is refused.
    pub(super) fn to_strict_long(&self) -> Result<i64, ValueError> {
        match self {
            Self::Null => Ok(0),
            Self::Int(value) => Ok(*value),
            Self::Text(text) if text.is_empty() => Ok(0),
            Self::Text(text) => number::read_integer(text).ok_or_else(|| self.unfit("an integer")),
            Self::Bool(_) | Self::Float(_) | Self::Map(_) | Self::List(_) => Err(self.unfit("an integer")),
        }
    }

    /// Returns the value as Java's `double`: null and the empty text are 0.
    pub(crate) fn to_float(&self) -> Result<f64, ValueError> {
        match self {
            Self::Float(value) => Ok(*value),
            Self::Text(text) if !text.is_empty() => number::read_float(text).ok_or_else(|| self.unfit("a number")),
            Self::Bool(_) | Self::Map(_) | Self::List(_) => Err(self.unfit("a number")),
            Self::Null | Self::Int(_) | Self::Text(_) => self.to_strict_long().map(widened),
        }
    }

    /// Returns the value as a truth value: a text is true when it is `true` in any case, null is false, a number is
    /// refused.
    pub fn to_bool(&self) -> Result<bool, ValueError> {
        match self {
            Self::Null => Ok(false),
            Self::Bool(value) => Ok(*value),
            Self::Text(text) => Ok(text.eq_ignore_ascii_case("true")),
            Self::Int(_) | Self::Float(_) | Self::Map(_) | Self::List(_) => Err(self.unfit("a truth value")),
        }
    }

    /// Returns whether the operator `empty` is true: null, the empty text, a collection without members.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            Self::Map(entries) => entries.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Bool(_) | Self::Int(_) | Self::Float(_) => false,
        }
    }

    /// Returns the kind of value in one word, for messages.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Float(_) => "float",
            Self::Text(_) => "text",
            Self::Map(_) => "map",
            Self::List(_) => "list",
        }
    }

    fn unfit(&self, wanted: &str) -> ValueError {
        ValueError(format!("cannot convert [{self}] of type [{}] to {wanted}", self.type_name()))
    }
}

fn write_joined<T>(
    open: char,
    items: impl IntoIterator<Item = T>,
    close: char,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    out.push(open);
    for (number, item) in items.into_iter().enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        write(item, out);
    }
    out.push(close);
}

/// Returns Java's `(int)` of a `long`: the low 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "Java wraps")]
const fn wrapping_i32(value: i64) -> i32 {
    value as i32
}

/// Returns Java's `(int)` of a `double`: toward zero, saturated at the ends, NaN is 0.
#[expect(clippy::cast_possible_truncation, reason = "Rust's cast is Java's")]
const fn saturating_i32(value: f64) -> i32 {
    value as i32
}

/// Returns Java's `(long)` of a `double`: toward zero, saturated at the ends, NaN is 0.
#[expect(clippy::cast_possible_truncation, reason = "Rust's cast is Java's")]
const fn saturating_i64(value: f64) -> i64 {
    value as i64
}

/// Returns Java's `(double)` of a `long`: the nearest one.
#[expect(clippy::cast_precision_loss, reason = "Java rounds")]
const fn widened(value: i64) -> f64 {
    value as f64
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ValueError {}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: impl Into<Value>, expect: Result<i32, &str>) {
        let value = value.into();
        assert_eq!(value.to_int().map_err(|error| error.0), expect.map_err(str::to_owned), "{value:?}");
    }

    #[test]
    fn an_int_argument_wraps_cuts_and_reads_text() {
        check(2_147_483_648, Ok(i32::MIN));
        check(1.7, Ok(1));
        check(-1.7, Ok(-1));
        check(1e12, Ok(i32::MAX));
        check(f64::NAN, Ok(0));
        check(Value::Null, Ok(0));
        check("", Ok(0));
        check("-12", Ok(-12));
        check("60.0", Ok(60));
        check("1.7", Err("cannot convert [1.7] of type [text] to an integer"));
        check("2147483648", Err("cannot convert [2147483648] of type [text] to a 32-bit integer"));
        check("abc", Err("cannot convert [abc] of type [text] to an integer"));
        check(" 5", Err("cannot convert [ 5] of type [text] to an integer"));
        check(true, Err("cannot convert [true] of type [boolean] to an integer"));
    }

    #[test]
    fn floats_and_truth_values() {
        assert_eq!(Value::from(" 2.5 ").to_float(), Ok(2.5));
        assert_eq!(Value::from("").to_float(), Ok(0.0));
        assert_eq!(Value::Int(3).to_float(), Ok(3.0));
        assert!(Value::from("x").to_float().is_err());
        assert!(Value::Bool(true).to_float().is_err());
        for (value, expect) in [("TRUE", true), ("yes", false), ("", false), (" true", false)] {
            assert_eq!(Value::from(value).to_bool(), Ok(expect), "{value}");
        }
        assert!(Value::Int(1).to_bool().is_err());
    }

    #[test]
    fn collections_print_as_in_java() {
        let list = Value::List(vec![Value::Int(1), Value::Null, "x".into()]);
        assert_eq!(list.to_string(), "[1, null, x]");
        let map = Value::Map(BTreeMap::from([("a".to_owned(), Value::Float(1.0)), ("b".to_owned(), list)]));
        assert_eq!(map.to_string(), "{a=1.0, b=[1, null, x]}");
        assert_eq!(Value::Null.to_string(), "");
    }
}

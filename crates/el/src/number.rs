//! How Java writes and reads numbers (`Double.toString`, `Double.valueOf`, `Long.valueOf`).
//!
//! Does not depend on values and coercions. Differs from Java in one point: hexadecimal floating point is not read.

use std::fmt::Write;

/// Appends a floating point number in Java's spelling: `2.5`, `1.0`, `1.0E10`, `Infinity`, `NaN`.
pub(super) fn write_float(number: f64, out: &mut String) {
    if !number.is_finite() {
        let text = if number.is_nan() {
            "NaN"
        } else if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        out.push_str(text);
        return;
    }
    let magnitude = number.abs();
    let written = if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
        write!(out, "{number:?}")
    } else {
        let scientific = format!("{number:e}");
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let point = if digits.contains('.') { "" } else { ".0" };
        write!(out, "{digits}{point}E{exponent}")
    };
    written.expect("writing to a text never fails");
}

/// Reads a floating point number as Java does: blanks around it and a type suffix (`1.5d`) are allowed.
pub(super) fn read_float(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    match unsigned {
        "Infinity" => return Some(sign * f64::INFINITY),
        "NaN" => return Some(f64::NAN),
        _ => {}
    }
    let digits = unsigned.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(unsigned);
    // Rejects what Rust reads and Java does not: "inf", "nan", a second sign.
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    digits.parse::<f64>().ok().map(|number| sign * number)
}

/// Reads a whole number of 64 bits as Java does: a sign is allowed, blanks are not.
pub(super) fn read_integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Returns whether an arithmetic operator reads the text as a floating point number.
pub(super) fn looks_like_float(text: &str) -> bool {
    text.len() > 1 && text.contains(['.', 'e', 'E'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(number: f64, expect: &str) {
        let mut text = String::new();
        write_float(number, &mut text);
        assert_eq!(text, expect);
    }

    #[test]
    fn writes_as_java_does() {
        for (number, expect) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (2.5, "2.5"),
            (1.0, "1.0"),
            (0.001, "0.001"),
            (0.000_999, "9.99E-4"),
            (9_999_999.5, "9999999.5"),
            (1e7, "1.0E7"),
            (1e10, "1.0E10"),
            (-1.25e-7, "-1.25E-7"),
            (12_345_678.9, "1.23456789E7"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
        ] {
            check(number, expect);
        }
    }

    #[test]
    fn reads_as_java_does() {
        for (text, expect) in [
            ("5", Some(5.0)),
            (" 5.0\n", Some(5.0)),
            ("-.5e1", Some(-5.0)),
            ("1.", Some(1.0)),
            ("1.5d", Some(1.5)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("1e999", Some(f64::INFINITY)),
            ("inf", None),
            ("infinity", None),
            ("nan", None),
            ("+-1", None),
            (".", None),
            ("d", None),
            ("", None),
            ("0x10", None),
            ("1 2", None),
        ] {
            assert_eq!(read_float(text), expect, "{text:?}");
        }
        for (text, expect) in
            [("+5", Some(5)), ("007", Some(7)), (" 5", None), ("", None), ("9223372036854775808", None)]
        {
            assert_eq!(read_integer(text), expect, "{text:?}");
        }
    }

    #[test]
    fn one_character_is_never_a_float() {
        for (text, expect) in [("1.0", true), ("1e3", true), ("true", true), ("e", false), (".", false), ("10", false)]
        {
            assert_eq!(looks_like_float(text), expect, "{text:?}");
        }
    }
}

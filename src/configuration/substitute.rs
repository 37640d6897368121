//! `${name}` inside the values of properties: the substitution of job properties, which is not the expression
//! language.
//!
//! Follows `XConfiguration.substituteVars`: the innermost, left-most reference is replaced first, always by the raw
//! value; the first unknown name ends the replacement of that value; system properties are never looked at.

use super::properties::ParsedProperties;
use crate::error::{Error, ErrorCode, Result, Span};
use crate::model::Properties;

/// A value needing this many replacements is an error (`oozie.configuration.substitute.depth`).
const MAX_REPLACEMENTS: usize = 20;

/// Bytes of a value after replacement.
const MAX_LENGTH: usize = 1 << 20;

/// The properties with the references in their values replaced.
///
/// # Errors
///
/// E0303 naming the first property, in the order of names, whose value needs too many replacements or grows too long.
pub(crate) fn resolve(properties: &Properties) -> Result<Properties> {
    let resolved = |(name, value): (&String, &String)| Ok((name.clone(), substitute(name, value, properties)?));
    properties.iter().map(resolved).collect()
}

/// As [`resolve`], with the place of the property in an error.
pub(crate) fn resolve_parsed(parsed: &ParsedProperties) -> Result<Properties> {
    let mut resolved = Properties::new();
    for (name, value) in &parsed.values {
        let value = substitute(name, value, &parsed.values).map_err(|error| match parsed.locate(name) {
            Some(location) => error.at(location),
            None => error,
        })?;
        resolved.insert(name.clone(), value);
    }
    Ok(resolved)
}

fn substitute(name: &str, value: &str, properties: &Properties) -> Result<String> {
    let mut result = value.to_owned();
    for _ in 0..MAX_REPLACEMENTS {
        let Some(found) = find_reference(&result) else { return Ok(result) };
        let referred = result[found.start + 2..found.end - 1].trim_matches(|character| character <= ' ');
        let Some(replacement) = properties.get(referred) else { return Ok(result) };
        if result.len() + replacement.len() > MAX_LENGTH {
            let help = format!("the value of `{name}` grows beyond {MAX_LENGTH} bytes; refer to less");
            return Err(bad_value(name, value, help));
        }
        result.replace_range(found.start..found.end, replacement);
    }
    Err(bad_value(
        name,
        value,
        format!("the value of `{name}` needs {MAX_REPLACEMENTS} or more replacements; does it refer back to itself?"),
    ))
}

fn bad_value(name: &str, value: &str, help: String) -> Error {
    Error::with(ErrorCode::E0303, &[&name, &value]).reported_by_oozie_as(ErrorCode::E0803).help(help)
}

/// The left-most `${name}` whose name has no `$`, `}` or blank.
fn find_reference(text: &str) -> Option<Span> {
    let mut from = 0;
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        let name = &text[start + 2..];
        let end = name.find(['}', '$', ' '])?;
        if end > 0 && name[end..].starts_with('}') {
            return Some(Span::new(start, start + 2 + end + 1));
        }
        from = start + 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(properties: &[(&str, &str)], expect: &str) {
        let map: Properties = properties.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let got = resolve(&map).map(|resolved| resolved[properties[0].0].clone());
        assert_eq!(got.unwrap_or_else(|error| error.to_string()), expect, "{properties:?}");
    }

    #[test]
    fn replaces_innermost_and_left_most_first() {
        check(&[("a", "${b}-${c}"), ("b", "1"), ("c", "2")], "1-2");
        check(&[("a", "${x${b}}"), ("b", "1"), ("x1", "y")], "y");
        check(&[("a", "${b\n}"), ("b", "1")], "1");
        check(&[("a", "$${b}$"), ("b", "{c}"), ("c", "1")], "1$");
        check(&[("a", "${b} ${ b} ${} ${")], "${b} ${ b} ${} ${");
    }

    #[test]
    fn the_first_unknown_name_ends_the_replacement() {
        check(&[("a", "${b}${nope}${b}"), ("b", "1")], "1${nope}${b}");
        check(&[("a", "${nope}${b}"), ("b", "1")], "${nope}${b}");
    }

    #[test]
    fn bounds_the_replacements() {
        check(&[("a", &"${b}".repeat(19)), ("b", "1")], &"1".repeat(19));
        let twenty = "${b}".repeat(20);
        check(&[("a", &twenty), ("b", "1")], &format!("E0303: Invalid parameter value, [a] = [{twenty}]"));
        let long = "x".repeat(MAX_LENGTH - 1);
        check(&[("a", "${b}${b}"), ("b", &long)], "E0303: Invalid parameter value, [a] = [${b}${b}]");
        check(&[("a", "x${a}")], "E0303: Invalid parameter value, [a] = [x${a}]");
    }
}

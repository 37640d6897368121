//! Parses the texts of `howdah sla`: the filter of its list, and the new values of its change (coordinator
//! specification 12).
//!
//! Decides only the form, split as by Oozie's client and server: the engine decides what is listed, and which actions a
//! change affects.

use std::collections::BTreeMap;

use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};

/// What `sla change` may set: its name on the command line, and the child of the SLA element.
const CHANGEABLE: [(&str, &str); 4] = [
    ("sla-nominal-time", "nominal-time"),
    ("sla-should-start", "should-start"),
    ("sla-should-end", "should-end"),
    ("sla-max-duration", "max-duration"),
];

/// Splits the filter of the SLA list: values of each name in their order.
///
/// # Errors
/// E0401 for a part that is not `name=value`.
pub fn filter(text: &str) -> Result<BTreeMap<String, Vec<String>>> {
    let mut filter: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in text.split(';').filter(|part| !part.is_empty()) {
        // Oozie's split ignores equals signs at the end.
        let pieces: Vec<&str> = part.trim_end_matches('=').split('=').collect();
        let [name, value] = pieces[..] else {
            let what = format!("Invalid SLA filter: [{part}] is not name=value pair");
            let help = "for example --filter 'sla_status=MISS;app_name=daily'";
            return Err(Error::plain(ErrorCode::E0401, what).help(help));
        };
        filter.entry(name.to_owned()).or_default().push(value.to_owned());
    }
    Ok(filter)
}

/// Splits the value of `sla change`: names with their new texts, not evaluated.
///
/// # Errors
/// E1015 for a text of another form, E1027 for a name that cannot be changed.
pub fn change(text: &str) -> Result<BTreeMap<String, String>> {
    if text.trim().is_empty() {
        return Err(malformed("change value", "can not be empty string or null"));
    }
    let mut change = BTreeMap::new();
    for part in text.trim_end_matches(';').split(';') {
        let pieces: Vec<&str> = part.trim_end_matches('=').split('=').collect();
        let (name, value) = match pieces[..] {
            [name] if part.contains('=') => (name, ""),
            [name, value] => (name, value),
            [_] => return Err(malformed(text, "change value must be name=value pair or name=(empty string)")),
            _ => return Err(malformed(text, "elements must be semicolon-separated name=value pairs")),
        };
        if change.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(malformed(text, &format!("can not specify repeated change values on {name}")));
        }
    }
    match change.keys().find(|name| element(name).is_none()) {
        Some(name) => Err(unsupported(name)),
        None => Ok(change),
    }
}

/// Returns the child of the SLA element that a name of `sla change` sets.
pub fn element(name: &str) -> Option<&'static str> {
    CHANGEABLE.iter().find(|(known, _)| *known == name).map(|(_, element)| *element)
}

/// Returns the name under which `sla change` sets a child of the SLA element.
pub fn option(element: &str) -> &'static str {
    CHANGEABLE.iter().find(|(_, known)| *known == element).map_or("sla", |(name, _)| *name)
}

fn malformed(value: &str, why: &str) -> Error {
    Error::with(ErrorCode::E1015, &[&value, &why]).help("for example --value 'sla-should-end=60;sla-max-duration=45'")
}

fn unsupported(name: &str) -> Error {
    let names = CHANGEABLE.iter().map(|(name, _)| *name);
    // A user who forgets the prefix means the name after it.
    let meant = CHANGEABLE.iter().find(|(_, element)| *element == name.trim()).map(|(name, _)| *name);
    let help = match meant.or_else(|| did_you_mean(name.trim(), names.clone())) {
        Some(known) => format!("did you mean {known}?"),
        None => format!("what can be changed: {}", names.collect::<Vec<_>>().join(", ")),
    };
    Error::new(ErrorCode::E1027, format!("Unsupported parameter {name}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: std::fmt::Debug>(text: &str, got: Result<T>, expect: &str) {
        let shown = got.map_or_else(|error| error.to_string(), |got| format!("{got:?}"));
        assert!(shown.contains(expect), "{text}: {shown}");
    }

    #[test]
    fn filters_are_split_as_oozie_splits_them() {
        for (text, expect) in [
            ("", "{}"),
            ("a=b;;c=d;a=e", r#"{"a": ["b", "e"], "c": ["d"]}"#),
            (" a=b ", r#"{" a": ["b "]}"#),
            ("a=b=", r#"{"a": ["b"]}"#),
            ("=b", r#"{"": ["b"]}"#),
            ("a==b", "E0401"),
            ("a=b=c", "E0401"),
            ("a=", "E0401"),
            ("a", "E0401"),
            ("=", "E0401"),
        ] {
            check(text, filter(text), expect);
        }
    }

    #[test]
    fn changes_are_split_as_oozie_splits_them() {
        for (text, expect) in [
            ("sla-max-duration=1;sla-should-end=2;", r#"{"sla-max-duration": "1", "sla-should-end": "2"}"#),
            ("sla-max-duration=", r#"{"sla-max-duration": ""}"#),
            (" ", "E1015"),
            ("sla-max-duration", "E1015"),
            ("sla-max-duration=1;;sla-should-end=2", "E1015"),
            ("sla-max-duration=1=2", "E1015"),
            ("sla-max-duration=1;sla-max-duration=2", "repeated change values on sla-max-duration"),
            ("max-duration=1", "E1027: SLA change command failed. Unsupported parameter max-duration"),
            ("sla-should-start=1;foo=2", "E1027"),
            ("=1", "E1027"),
        ] {
            check(text, change(text), expect);
        }
    }

    #[test]
    fn a_near_name_is_suggested() {
        let help = |text| change(text).unwrap_err().help_text().map(str::to_owned).unwrap_or_default();
        assert_eq!(help("should-end=1"), "did you mean sla-should-end?");
        assert_eq!(help("sla-shuld-end=1"), "did you mean sla-should-end?");
        assert!(help("x=1").contains("sla-nominal-time"));
    }
}

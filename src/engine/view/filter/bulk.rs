//! The filter of `jobs --bulk`: actions of the coordinators of bundles.
//!
//! A value is a list with commas, whatever its name.

use std::collections::BTreeMap;

use super::{NO_PAIR, one_of, pair, parts};
use crate::calendar::ProcessingZone;
use crate::error::{Error, ErrorCode, Result};
use crate::model::status::ActionStatus;

const NAMES: [&str; 7] = [
    "bundle",
    "coordinators",
    "actionstatus",
    "startcreatedtime",
    "endcreatedtime",
    "startscheduledtime",
    "endscheduledtime",
];

/// A filter of actions across coordinator jobs as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BulkFilter {
    values: BTreeMap<String, Vec<String>>,
}

impl BulkFilter {
    /// Reads the filter.
    ///
    /// # Errors
    /// E0420 with the part that is wrong, E0305 when no bundle is named.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for part in parts(text) {
            let refuse = |why: &str| Error::with(ErrorCode::E0420, &[&part, &why]);
            let help = "for example --bulk 'bundle=nightly;actionstatus=FAILED'";
            let (name, value) = pair(part).ok_or_else(|| refuse(NO_PAIR).help(help))?;
            let name = name.to_lowercase();
            if !NAMES.contains(&name.as_str()) {
                return Err(refuse(&format!("invalid parameter name [{name}]")).help(one_of(&name, &NAMES)));
            }
            check_value(&name, value).map_err(|(why, help)| refuse(&why).help(help))?;
            let list = values.entry(name).or_default();
            // Commas at the end are no values, those in the middle are empty ones.
            for value in value.trim_end_matches(',').split(',').filter(|_| value.bytes().any(|byte| byte != b',')) {
                let value = value.trim();
                if value.is_empty() {
                    return Err(refuse("value is empty or whitespace").help("remove the comma too many"));
                }
                list.push(value.to_owned());
            }
        }
        if !values.contains_key("bundle") {
            return Err(Error::new(ErrorCode::E0305, "bundle").help("name the bundle: bundle=NAME"));
        }
        Ok(Self { values })
    }

    /// The values of each name.
    pub(crate) fn values(&self) -> &BTreeMap<String, Vec<String>> {
        &self.values
    }
}

/// Refuses a value that is no time or no status; why, and advice.
fn check_value(name: &str, value: &str) -> Result<(), (String, String)> {
    if name.contains("time") {
        return match ProcessingZone::UTC.parse_datetime(value) {
            Ok(_) => Ok(()),
            Err(error) => Err((format!("invalid value [{value}] for time"), error.help())),
        };
    }
    let unknown = |word: &&str| name == "actionstatus" && ActionStatus::from_word(word).is_none();
    match value.trim_end_matches(',').split(',').find(unknown) {
        None => Ok(()),
        Some(word) => {
            let words: Vec<&str> = ActionStatus::ALL.iter().map(|status| status.as_str()).collect();
            Err((format!("invalid action status [{word}]"), one_of(word, &words)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let found = match BulkFilter::parse(text) {
            Ok(filter) => format!("{:?}", filter.values()),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expect), "{text}: {found}");
    }

    #[test]
    fn lists_with_commas() {
        check("Bundle=b,c", r#"{"bundle": ["b", "c"]}"#);
        check("bundle=b;coordinators=c1, c2 ,", r#""coordinators": ["c1", "c2"]"#);
        check("bundle=b;coordinators=,", r#""coordinators": []"#);
        check("bundle=b;actionstatus=FAILED,KILLED", r#""actionstatus": ["FAILED", "KILLED"]"#);
    }

    #[test]
    fn refusals_name_the_part() {
        check("", "E0305");
        check("bundle=a, ,b", "value is empty");
        check("bundle=b;actionstatus=FAILED, KILLED", "invalid action status [ KILLED]");
        check("bundle=b;startscheduledtime=now", "invalid value [now] for time");
        check("bundle=b;status=RUNNING", "invalid parameter name [status]");
        check("bundle", "pairs");
    }
}

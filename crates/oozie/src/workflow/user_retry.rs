//! The user's retry rule: whether and when an action that would end as ERROR or FAILED gets another attempt.
//!
//! Decides nothing about transient faults of the engine itself, and must not read a clock: it returns minutes from now.

use std::collections::BTreeSet;

use howdah_words::error::{Error, ErrorCode, Result};

/// How the waiting time grows from attempt to attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryPolicy {
    /// The same interval each time.
    #[default]
    Periodic,
    /// Twice the interval before each time.
    Exponential,
}

impl RetryPolicy {
    /// Returns the policy of a word in upper or lower case; `None` for another word.
    pub fn from_word(word: &str) -> Option<Self> {
        if word.eq_ignore_ascii_case("periodic") {
            Some(Self::Periodic)
        } else if word.eq_ignore_ascii_case("exponential") {
            Some(Self::Exponential)
        } else {
            None
        }
    }
}

/// The retry attributes of an action element, evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetryAttributes {
    pub max: Option<String>,
    pub interval: Option<String>,
    pub policy: Option<String>,
}

/// The site's part of the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrySettings {
    /// The most retries any action may ask for.
    pub max: u32,
    /// Retries of an action without `retry-max`.
    pub default_max: u32,
    /// Minutes between attempts of an action without `retry-interval`.
    pub interval_minutes: u32,
    /// The policy of an action without `retry-policy`.
    pub policy: RetryPolicy,
    /// Error codes that allow another attempt; `ALL` means every code.
    pub error_codes: BTreeSet<String>,
}

impl Default for RetrySettings {
    /// Oozie's own values.
    fn default() -> Self {
        let codes = ["JA008", "JA009", "JA017", "JA018", "JA019", "FS009", "FS008", "FS014"];
        Self {
            max: 3,
            default_max: 0,
            interval_minutes: 10,
            policy: RetryPolicy::Periodic,
            error_codes: codes.into_iter().map(str::to_owned).collect(),
        }
    }
}

impl RetrySettings {
    /// The prefix of the settings' names.
    pub const SITE_PREFIX: &str = "oozie.service.LiteWorkflowStoreService.user.retry.";

    /// Reads a list of error codes with commas between them.
    pub fn codes(list: &str) -> impl Iterator<Item = String> {
        list.split(',').map(without_blanks).filter(|code| !code.is_empty())
    }
}

fn without_blanks(code: &str) -> String {
    code.split_whitespace().collect()
}

/// The rule for one action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPlan<'a> {
    max: u32,
    interval_minutes: u32,
    policy: RetryPolicy,
    error_codes: &'a BTreeSet<String>,
}

impl<'a> RetryPlan<'a> {
    /// The largest doubling that still counts; by then the wait is longer than any job exists.
    const DOUBLINGS: u32 = 20;

    /// Combines the action's attributes with the site's settings.
    ///
    /// # Errors
    /// E0700 when `retry-max` or `retry-interval` is not a whole number.
    pub fn new(attributes: &RetryAttributes, settings: &'a RetrySettings) -> Result<Self> {
        let max = number("retry-max", attributes.max.as_deref())?.unwrap_or(settings.default_max);
        let interval = number("retry-interval", attributes.interval.as_deref())?;
        let policy = attributes.policy.as_deref().and_then(RetryPolicy::from_word);
        Ok(Self {
            max: max.min(settings.max),
            interval_minutes: interval.unwrap_or(settings.interval_minutes),
            policy: policy.unwrap_or(settings.policy),
            error_codes: &settings.error_codes,
        })
    }

    /// Returns how many retries there are at most, and the minutes between two attempts.
    pub const fn numbers(&self) -> (u32, u32) {
        (self.max, self.interval_minutes)
    }

    /// Returns the minutes to wait before the next attempt after `error_code`, when `retries` were granted before;
    /// `None` when there is no further attempt.
    pub fn after(&self, error_code: &str, retries: u32) -> Option<u64> {
        let listed = self.error_codes.contains("ALL") || self.error_codes.contains(error_code);
        let factor = match self.policy {
            RetryPolicy::Periodic => 1,
            RetryPolicy::Exponential => 1_u64 << retries.min(Self::DOUBLINGS),
        };
        (listed && retries < self.max).then(|| u64::from(self.interval_minutes) * factor)
    }
}

/// Reads a whole number; a negative one counts as zero.
fn number(attribute: &str, text: Option<&str>) -> Result<Option<u32>> {
    let Some(text) = text else { return Ok(None) };
    match text.trim().parse::<i32>() {
        Ok(number) => Ok(Some(u32::try_from(number).unwrap_or(0))),
        Err(_) => Err(Error::new(ErrorCode::E0700, format!("{attribute} [{text}] is not a whole number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan_text(attributes: [Option<&str>; 3], code: &str, retries: u32) -> String {
        let [max, interval, policy] = attributes.map(|text| text.map(str::to_owned));
        let settings = RetrySettings::default();
        match RetryPlan::new(&RetryAttributes { max, interval, policy }, &settings) {
            Ok(plan) => plan.after(code, retries).map_or_else(|| "none".to_owned(), |minutes| minutes.to_string()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn grants_listed_codes_up_to_the_maximum() {
        for (attributes, code, retries, expect) in [
            ([None, None, None], "JA018", 0, "none"),
            ([Some("2"), None, None], "JA018", 0, "10"),
            ([Some("2"), None, None], "JA018", 1, "10"),
            ([Some("2"), None, None], "JA018", 2, "none"),
            ([Some("9"), None, None], "JA018", 2, "10"),
            ([Some("9"), None, None], "JA018", 3, "none"),
            ([Some("2"), None, None], "1", 0, "none"),
            ([Some("3"), Some("5"), Some("EXPONENTIAL")], "FS009", 0, "5"),
            ([Some("3"), Some("5"), Some("exponential")], "FS009", 2, "20"),
            ([Some("3"), Some("5"), Some("sometimes")], "FS009", 2, "5"),
            ([Some("-1"), None, None], "JA018", 0, "none"),
            ([Some("x"), None, None], "JA018", 0, "E0700: XML error, retry-max [x] is not a whole number"),
        ] {
            assert_eq!(plan_text(attributes, code, retries), expect, "{attributes:?} {code} {retries}");
        }
    }

    #[test]
    fn the_word_all_allows_every_code() {
        let settings = RetrySettings { error_codes: BTreeSet::from(["ALL".to_owned()]), ..RetrySettings::default() };
        let attributes = RetryAttributes { max: Some("1".to_owned()), ..RetryAttributes::default() };
        let plan = RetryPlan::new(&attributes, &settings).expect("numbers are valid");
        assert_eq!(plan.after("1", 0), Some(10));
    }
}

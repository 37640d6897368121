//! What is done by itself after the failures of a coordinator: reruns, and a suspension. A site says it for all jobs,
//! and the properties of a job for this one.

use std::ops::RangeInclusive;

use crate::settings::site::Site;
use howdah_words::error::{Error, ErrorCode, did_you_mean};
use howdah_words::model::Properties;
use howdah_words::model::time::MINUTE;

/// How the names of the policy begin.
const PREFIX: &str = "howdah.failure.";
/// How often a failed action is rerun.
pub(crate) const RERUN: &str = "howdah.failure.rerun";
/// Minutes before the first rerun; each further pause is twice as long.
const WAIT: &str = "howdah.failure.rerun.wait";
/// After how many failures in a row the job is suspended.
pub(crate) const SUSPEND: &str = "howdah.failure.suspend.after";

const RERUNS: RangeInclusive<u32> = 0..=100;
/// A week.
const WAITS: RangeInclusive<u32> = 0..=10_080;
const FAILURES: RangeInclusive<u32> = 0..=1_000_000;
/// The longest pause before a rerun, in minutes: a week.
const LONGEST_WAIT: i64 = 10_080;

/// What is done after the failures of a coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailurePolicy {
    /// `howdah.failure.rerun`: how often an action is rerun that failed.
    pub reruns: u32,
    /// `howdah.failure.rerun.wait`: minutes before the first rerun.
    pub wait_minutes: u32,
    /// `howdah.failure.suspend.after`: how many actions in a row must fail; 0: the job is not suspended.
    pub suspend_after: u32,
}

impl Default for FailurePolicy {
    fn default() -> Self {
        Self { reruns: 0, wait_minutes: 10, suspend_after: 0 }
    }
}

impl FailurePolicy {
    /// Returns the policy of a job with these properties on a site with this policy. Values that cannot be used were
    /// refused when the job was submitted; here the site's count.
    pub fn of_job(self, properties: &Properties) -> Self {
        let value =
            |name: &str, bounds, of_site| read(properties, name, bounds).and_then(Result::ok).unwrap_or(of_site);
        Self {
            reruns: value(RERUN, RERUNS, self.reruns),
            wait_minutes: value(WAIT, WAITS, self.wait_minutes),
            suspend_after: value(SUSPEND, FAILURES, self.suspend_after),
        }
    }

    /// Returns how many seconds an action waits for its next rerun when it was rerun so often before.
    pub(crate) fn wait_seconds(self, reruns: u32) -> i64 {
        let factor = 1_i64.checked_shl(reruns.min(30)).unwrap_or(i64::MAX);
        i64::from(self.wait_minutes).saturating_mul(factor).min(LONGEST_WAIT) * MINUTE
    }
}

/// Reads a number of a job; `None` when the job does not give it, an error says what it must be.
fn read(properties: &Properties, name: &str, bounds: RangeInclusive<u32>) -> Option<Result<u32, String>> {
    let value = properties.get(name)?.trim();
    let number = value.parse().ok().filter(|number| bounds.contains(number));
    Some(number.ok_or_else(|| format!("it must be a number from {} to {}", bounds.start(), bounds.end())))
}

/// Returns H0128 for each property of a job that names no part of the policy, or whose value cannot be used, with the
/// name of the property.
pub fn problems(properties: &Properties) -> Vec<(String, Error)> {
    let known = [(RERUN, RERUNS), (WAIT, WAITS), (SUSPEND, FAILURES)];
    let problem = |name: &String| {
        let value = properties.get(name).map(String::as_str).unwrap_or_default();
        let refuse = |why: &str| Error::with(ErrorCode::H0128, &[name, &value, &why]);
        let error = if let Some((known, bounds)) = known.iter().find(|(known, _)| known == name) {
            let why = read(properties, known, bounds.clone())?.err()?;
            refuse(&why).help("correct the value, or remove the property")
        } else {
            let names = known.iter().map(|(known, _)| *known);
            let near = did_you_mean(name, names.clone()).map(|near| format!("did you mean {near}?"));
            let all = || format!("the properties are {}", names.collect::<Vec<_>>().join(", "));
            refuse("there is no such property").help(near.unwrap_or_else(all))
        };
        Some((name.clone(), error))
    };
    properties.keys().filter(|name| name.starts_with(PREFIX)).filter_map(problem).collect()
}

impl Site<'_> {
    /// Reads the policy of jobs that have none.
    pub(super) fn failure_policy(&mut self, policy: &mut FailurePolicy) {
        self.number(RERUN, RERUNS, &mut policy.reruns);
        self.number(WAIT, WAITS, &mut policy.wait_minutes);
        self.number(SUSPEND, FAILURES, &mut policy.suspend_after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(pairs: &[(&str, &str)]) -> Properties {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_job_goes_before_the_site() {
        let site = FailurePolicy { reruns: 2, wait_minutes: 5, suspend_after: 4 };
        let check = |given: &[(&str, &str)], expect: (u32, u32, u32)| {
            let FailurePolicy { reruns, wait_minutes, suspend_after } = site.of_job(&properties(given));
            assert_eq!((reruns, wait_minutes, suspend_after), expect, "{given:?}");
        };
        check(&[], (2, 5, 4));
        check(&[(RERUN, " 0 "), (SUSPEND, "0")], (0, 5, 0));
        check(&[(WAIT, "60")], (2, 60, 4));
        check(&[(WAIT, "soon")], (2, 5, 4));
    }

    #[test]
    fn pauses_double_up_to_a_week() {
        let policy = FailurePolicy { reruns: 100, wait_minutes: 10, suspend_after: 0 };
        for (reruns, minutes) in [(0, 10), (1, 20), (2, 40), (9, 5120), (10, 10_080), (99, 10_080)] {
            assert_eq!(policy.wait_seconds(reruns), minutes * MINUTE, "{reruns}");
        }
    }

    #[test]
    fn what_is_no_policy_is_refused() {
        let check = |name: &str, value: &str, expect: &str| {
            let found = problems(&properties(&[(name, value)]));
            let error = |(_, error): &(String, Error)| {
                format!("{}; {}", error.message(), error.help_text().unwrap_or_default())
            };
            assert_eq!(found.iter().map(error).collect::<String>(), expect);
        };
        check(RERUN, "3", "");
        check("howdah.pool", "x", "");
        check(
            RERUN,
            "three",
            "Invalid property [howdah.failure.rerun] = [three]: it must be a number from 0 to 100; correct the value, or \
             remove the property",
        );
        check(
            "howdah.failure.rerun.wiat",
            "3",
            "Invalid property [howdah.failure.rerun.wiat] = [3]: there is no such property; did you mean \
             howdah.failure.rerun.wait?",
        );
    }
}

//! Whether and when an action is started again automatically after its start failed for a temporary reason.
//!
//! Decides nothing about the user's retries, and must not read a clock: it returns seconds from now.

use super::user_retry::RetryPolicy;
use howdah_words::model::Properties;

/// Oozie's own values.
const DEFAULT_MAX: u32 = 3;
const DEFAULT_INTERVAL_SECONDS: u32 = 10;

/// The rule for the actions of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransientRetryPlan {
    max: u32,
    interval_seconds: u32,
    policy: RetryPolicy,
}

impl TransientRetryPlan {
    /// Reads the job's properties, then the site's, then Oozie's defaults; a text that is not a number is ignored.
    pub fn of(job: &Properties, site: &Properties) -> Self {
        let number = |of_job: &str, of_site: &str, default: u32| {
            let mut said = [job.get(of_job), site.get(of_site)].into_iter().flatten();
            said.find_map(|text| text.trim().parse().ok()).unwrap_or(default)
        };
        let policy = site.get("oozie.action.retry.policy").and_then(|word| RetryPolicy::from_word(word.trim()));
        Self {
            max: number("oozie.wf.action.max.retries", "oozie.action.retries.max", DEFAULT_MAX),
            interval_seconds: number(
                "oozie.wf.action.retry.interval",
                "oozie.action.retry.interval",
                DEFAULT_INTERVAL_SECONDS,
            ),
            policy: policy.unwrap_or_default(),
        }
    }

    /// Returns the seconds until the next try after `failed` failed starts before this one; `None` when it was the
    /// last.
    pub fn after(&self, failed: u32) -> Option<u64> {
        if failed >= self.max {
            return None;
        }
        let interval = u64::from(self.interval_seconds);
        Some(match self.policy {
            RetryPolicy::Periodic => interval,
            RetryPolicy::Exponential => interval.saturating_mul(1_u64.checked_shl(failed).unwrap_or(u64::MAX)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(job: &[(&str, &str)], site: &[(&str, &str)], expect: &[Option<u64>]) {
        let properties = |pairs: &[(&str, &str)]| -> Properties {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let plan = TransientRetryPlan::of(&properties(job), &properties(site));
        let got: Vec<Option<u64>> =
            (0..expect.len()).map(|failed| plan.after(u32::try_from(failed).unwrap())).collect();
        assert_eq!(got, expect, "{job:?} {site:?}");
    }

    #[test]
    fn the_job_wins_over_the_site_and_the_site_over_the_default() {
        check(&[], &[], &[Some(10), Some(10), Some(10), None]);
        check(&[("oozie.wf.action.max.retries", "1")], &[("oozie.action.retries.max", "9")], &[Some(10), None]);
        check(&[("oozie.wf.action.retry.interval", "x")], &[("oozie.action.retry.interval", "7")], &[Some(7)]);
        check(&[], &[("oozie.action.retry.policy", "Exponential")], &[Some(10), Some(20), Some(40), None]);
        check(&[], &[("oozie.action.retries.max", "0")], &[None]);
    }
}

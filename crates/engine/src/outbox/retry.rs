//! Decides after a try whether a delivery is over or is tried again. Pure.

use crate::settings::delivery::DeliverySettings;
use howdah_words::model::delivery::Undelivered;
use howdah_words::model::row::{Delivery, DeliveryState};
use howdah_words::model::time::Now;

/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 2000;

/// How often, and how soon, something is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries after the first one.
    pub retries: u32,
    pub seconds: i64,
}

impl RetryPolicy {
    /// Returns the policy of a site.
    pub const fn of(settings: &DeliverySettings) -> Self {
        Self { retries: settings.retries, seconds: settings.retry_seconds }
    }
}

/// Returns the delivery after a try at `now`, which succeeded, perhaps with something left out, or failed.
pub fn settle(
    mut delivery: Delivery,
    result: Result<Option<String>, Undelivered>,
    policy: RetryPolicy,
    now: &Now,
) -> Delivery {
    delivery.tries += 1;
    let (over, reason) = match result {
        Ok(left_out) => (Some(DeliveryState::Delivered), left_out),
        Err(Undelivered::Retryable(reason)) if delivery.tries <= policy.retries => (None, Some(reason)),
        Err(Undelivered::Retryable(reason) | Undelivered::Permanent(reason)) => {
            (Some(DeliveryState::GivenUp), Some(reason))
        }
    };
    if let Some(reason) = reason {
        delivery.last_error = Some(reason.chars().take(LONGEST_REASON).collect());
    }
    match over {
        Some(state) => {
            delivery.state = state;
            delivery.ended_at = Some(now.at);
            delivery.clear_next_try();
        }
        None => delivery.try_in(policy.seconds, now),
    }
    delivery
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::model::delivery::{HttpGet, Payload};
    use howdah_words::model::time::{Moment, Timestamp};

    const NOW: Timestamp = Timestamp::from_seconds(1_795_167_000);

    fn check(
        tries: u32,
        result: Result<Option<&str>, Undelivered>,
        expect: (DeliveryState, Option<i64>, Option<&str>),
    ) {
        let payload = Payload::Http(HttpGet { url: "http://a/".to_owned(), proxy: None });
        let delivery = Delivery { tries, ..Delivery::new("s".to_owned(), payload, NOW) };
        let policy = RetryPolicy { retries: 3, seconds: 60 };
        let now = Now { at: NOW, moment: Moment { boot: "this".to_owned(), seconds: 5 } };
        let after = settle(delivery, result.map(|left_out| left_out.map(str::to_owned)), policy, &now);
        let wait = after.next_try_at.map(|at| at - NOW);
        assert_eq!(after.next_try_uptime.map(|at| at - 5), wait);
        assert_eq!((after.state, wait, after.last_error.as_deref()), expect, "after {tries} tries");
        assert_eq!(after.tries, tries + 1);
        assert_eq!(after.ended_at.is_some(), wait.is_none());
    }

    #[test]
    fn four_tries_a_minute_apart() {
        let failed = || Err(Undelivered::Retryable("500".to_owned()));
        check(0, Ok(None), (DeliveryState::Delivered, None, None));
        check(3, Ok(None), (DeliveryState::Delivered, None, None));
        check(0, failed(), (DeliveryState::Pending, Some(60), Some("500")));
        check(2, failed(), (DeliveryState::Pending, Some(60), Some("500")));
        check(3, failed(), (DeliveryState::GivenUp, None, Some("500")));
    }

    #[test]
    fn permanent_failures_are_given_up_at_once() {
        let permanent = Err(Undelivered::Permanent("[joe] is none".to_owned()));
        check(0, permanent, (DeliveryState::GivenUp, None, Some("[joe] is none")));
        check(0, Ok(Some("without joe")), (DeliveryState::Delivered, None, Some("without joe")));
    }
}

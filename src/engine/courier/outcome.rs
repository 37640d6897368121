//! What a try means for a delivery: it is over, or it is tried again. Pure.

use crate::engine::settings::delivery::DeliverySettings;
use crate::model::time::Timestamp;
use crate::store::{Delivery, DeliveryState};

/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 2000;

/// How often, and how soon, something is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetryPolicy {
    /// Tries after the first one.
    pub(super) retries: u32,
    pub(super) seconds: i64,
}

impl RetryPolicy {
    /// The policy of a site.
    pub(super) const fn of(settings: &DeliverySettings) -> Self {
        Self { retries: settings.retries, seconds: settings.retry_seconds }
    }
}

/// The delivery after a try at `now`, which succeeded or failed for a reason in words.
pub(super) fn settle(
    mut delivery: Delivery,
    result: Result<(), String>,
    policy: RetryPolicy,
    now: Timestamp,
) -> Delivery {
    delivery.tries += 1;
    let over = match result {
        Ok(()) => Some(DeliveryState::Delivered),
        Err(reason) => {
            delivery.last_error = Some(reason.chars().take(LONGEST_REASON).collect());
            (delivery.tries > policy.retries).then_some(DeliveryState::GivenUp)
        }
    };
    if let Some(state) = over {
        delivery.state = state;
        delivery.ended_at = Some(now);
    }
    delivery.next_try_at = over.is_none().then(|| now + policy.seconds);
    delivery
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::delivery::{HttpGet, Payload};
    use crate::store::DeliveryKey;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_167_000);

    fn check(tries: u32, result: Result<(), &str>, expect: (DeliveryState, Option<i64>, Option<&str>)) {
        let delivery = Delivery {
            delivery: DeliveryKey::default(),
            payload: Payload::Http(HttpGet { url: "http://a/".to_owned(), proxy: None }),
            receiver: "http://a".to_owned(),
            sequence: "s".to_owned(),
            coordinator_job: None,
            action_number: None,
            workflow_job: None,
            node: None,
            state: DeliveryState::Pending,
            created_at: NOW,
            next_try_at: Some(NOW),
            ended_at: None,
            tries,
            last_error: None,
        };
        let policy = RetryPolicy { retries: 3, seconds: 60 };
        let after = settle(delivery, result.map_err(str::to_owned), policy, NOW);
        let wait = after.next_try_at.map(|at| at - NOW);
        assert_eq!((after.state, wait, after.last_error.as_deref()), expect, "after {tries} tries");
        assert_eq!(after.tries, tries + 1);
        assert_eq!(after.ended_at.is_some(), wait.is_none());
    }

    #[test]
    fn four_tries_a_minute_apart() {
        check(0, Ok(()), (DeliveryState::Delivered, None, None));
        check(3, Ok(()), (DeliveryState::Delivered, None, None));
        check(0, Err("500"), (DeliveryState::Pending, Some(60), Some("500")));
        check(2, Err("500"), (DeliveryState::Pending, Some(60), Some("500")));
        check(3, Err("500"), (DeliveryState::GivenUp, None, Some("500")));
    }
}

//! A message to a receiver, and the state of its delivery.

use crate::model::delivery::Payload;
use crate::model::row::key::{BundleKey, CoordinatorKey, DeliveryKey, WorkflowKey};
use crate::model::status::words;
use crate::model::time::{Now, Timestamp};

words! {
    /// The state of a delivery.
    DeliveryState {
        /// It was not tried yet, or will be tried again.
        Pending = "PENDING",
        /// The receiver has it.
        Delivered = "DELIVERED",
        /// Every try failed.
        GivenUp = "GIVEN_UP",
    }
}

/// A message to a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub delivery: DeliveryKey,
    pub payload: Payload,
    /// The receiver, as [`Payload::receiver`] names it.
    pub receiver: String,
    /// The deliveries of one sequence, with the same receiver and subject, are sent one after the other.
    pub sequence: String,
    pub coordinator_job: Option<CoordinatorKey>,
    pub action_number: Option<u32>,
    pub workflow_job: Option<WorkflowKey>,
    pub node: Option<String>,
    pub bundle_job: Option<BundleKey>,
    pub state: DeliveryState,
    pub created_at: Timestamp,
    /// The time of the next try; `None` once it is over.
    pub next_try_at: Option<Timestamp>,
    /// The boot of the machine from which `next_try_uptime` counts; `None` before the first try.
    pub next_try_boot: Option<String>,
    /// The time of the next try, on the clock that cannot be set.
    pub next_try_uptime: Option<i64>,
    pub ended_at: Option<Timestamp>,
    /// The number of tries.
    pub tries: u32,
    /// Why the latest try failed.
    pub last_error: Option<String>,
}

impl Delivery {
    /// Returns a delivery without a subject that is due at `at`; the store assigns its key.
    pub fn new(sequence: String, payload: Payload, at: Timestamp) -> Self {
        Self {
            delivery: DeliveryKey::default(),
            sequence,
            receiver: payload.receiver().to_owned(),
            payload,
            coordinator_job: None,
            action_number: None,
            workflow_job: None,
            node: None,
            bundle_job: None,
            state: DeliveryState::Pending,
            created_at: at,
            next_try_at: Some(at),
            next_try_boot: None,
            next_try_uptime: None,
            ended_at: None,
            tries: 0,
            last_error: None,
        }
    }

    /// Schedules the next try for `seconds` after `now`.
    pub fn try_in(&mut self, seconds: i64, now: &Now) {
        let moment = now.moment.after(seconds);
        self.next_try_at = Some(now.at + seconds);
        self.next_try_boot = Some(moment.boot);
        self.next_try_uptime = Some(moment.seconds);
    }

    /// Removes the time of the next try.
    pub fn clear_next_try(&mut self) {
        (self.next_try_at, self.next_try_boot, self.next_try_uptime) = (None, None, None);
    }
}

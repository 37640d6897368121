//! Decides what new values change in a coordinator job, from its stored actions.

use crate::format::notation;
use howdah_oozie::coordinator::operation::Decision;
use howdah_oozie::coordinator::operation::change::change;
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_store::Transaction;
use howdah_words::model::row::{ActionKey, CoordinatorJob};

/// Decides what new values change in a coordinator job.
pub fn decide(transaction: &Transaction<'_>, job: &CoordinatorJob, values: &NewValues) -> Decision {
    change(job, &|number| transaction.coordinator_action(ActionKey { job: job.job, number }), values, notation())
}

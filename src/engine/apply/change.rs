//! Decides what new values change in a coordinator job, from its stored actions.

use crate::coordinator::operation::Decision;
use crate::coordinator::operation::change::change;
use crate::coordinator::operation::change_value::NewValues;
use crate::model::row::{ActionKey, CoordinatorJob};
use crate::store::Transaction;

/// Decides what new values change in a coordinator job.
pub(crate) fn decide(transaction: &Transaction<'_>, job: &CoordinatorJob, values: &NewValues) -> Decision {
    change(job, &|number| transaction.coordinator_action(ActionKey { job: job.job, number }), values)
}

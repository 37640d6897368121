//! What new values do to a coordinator job: decided from its stored actions.

use crate::coordinator::operation::change::{LastActions, change};
use crate::coordinator::operation::change_value::NewValues;
use crate::coordinator::operation::{ActionFacts, Decision};
use crate::error::Result;
use crate::model::row::{ActionKey, CoordinatorAction, CoordinatorJob};
use crate::store::Transaction;

/// What new values do to a coordinator job.
pub(crate) fn decide(transaction: &Transaction<'_>, job: &CoordinatorJob, values: &NewValues) -> Decision {
    change(&job.facts(), &StoredActions { transaction, job }, values)
}

/// The actions of a job in the database.
pub(crate) struct StoredActions<'t> {
    transaction: &'t Transaction<'t>,
    job: &'t CoordinatorJob,
}

impl LastActions for StoredActions<'_> {
    fn action(&self, number: u32) -> Result<Option<ActionFacts>> {
        let action = self.transaction.coordinator_action(ActionKey { job: self.job.job, number })?;
        Ok(action.as_ref().map(CoordinatorAction::facts))
    }
}

//! Finds the selected actions with an SLA. Must not depend on what the verb does to them.

use crate::apply::outcome::{Outcome, SlaChange};
use crate::apply::selection::{choose, note_missing};
use crate::format::time;
use howdah_oozie::coordinator::operation::scope::{Period, Scope};
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, SlaRegistration};

/// Returns the selected actions with an SLA, each with its registration.
pub(super) fn registered(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    scope: Option<&Scope>,
    outcome: &mut Outcome,
) -> Result<Vec<(CoordinatorAction, SlaRegistration)>> {
    let Some(scope) = scope else {
        let mut all = Vec::new();
        for registration in transaction.sla_of_coordinator(job.job)? {
            let Some(key) = registration.action() else { continue };
            all.extend(transaction.coordinator_action(key)?.map(|action| (action, registration)));
        }
        return Ok(all);
    };
    let chosen = choose(transaction, job, scope, Period::Active)?;
    note_missing(transaction, &chosen.missing, job, outcome)?;
    let mut some = Vec::new();
    for action in chosen.actions {
        some.extend(transaction.sla_of_action(action.key())?.map(|registration| (action, registration)));
    }
    if some.is_empty() {
        let help = format!(
            "`howdah sla list --filter id={}` lists the actions that have one; a period A::B means those of them that \
             have not ended",
            job.id
        );
        return Err(Error::new(ErrorCode::E1026, "No record found: no action that is chosen has an SLA").help(help));
    }
    Ok(some)
}

pub(super) fn sla_change(
    (id, action): (&JobId, &CoordinatorAction),
    name: &'static str,
    (from, to): (&str, &str),
) -> SlaChange {
    SlaChange {
        id: format!("{id}@{}", action.number),
        action_number: action.number,
        nominal_time: time(action.nominal_at),
        name,
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

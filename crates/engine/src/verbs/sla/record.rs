//! Stores what a verb changed: the next version of the definition, the job and the event.
//!
//! Must not depend on the verb.

use crate::apply::invocation::Invocation;
use crate::apply::outcome::{Outcome, SlaChange};
use crate::transition::coordinator::change_job;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{CoordinatorDefinition, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// How many ranges of action numbers an event names.
const MOST_RANGES: usize = 20;

pub(super) fn note_nothing(outcome: &mut Outcome, why: &str) {
    if outcome.has_changed_nothing() {
        outcome.note(format!("{}: there was nothing to change, {why}", outcome.id));
    }
}

/// Writes the job with the event of the verb: the actions that it changed, and the definition of later actions. A verb
/// that changed nothing writes no event.
pub(super) fn record(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    given: &Invocation,
    outcome: &Outcome,
) -> Result<()> {
    if !outcome.is_news() {
        return Ok(());
    }
    let mut parts: Vec<String> = given.detail.iter().cloned().collect();
    if !outcome.sla_changes.is_empty() {
        parts.push(format!("actions {}", numbers(&outcome.sla_changes)));
    }
    if !outcome.changes.is_empty() {
        parts.push(format!("definition {}", job.definition_version));
    }
    let detail = parts.join("; ");
    // The job was read in this transaction, and no other process writes meanwhile.
    if change_job(transaction, job, given.cause_with(Some(&detail)))? {
        Ok(())
    } else {
        Err(Error::new(ErrorCode::H0001, format!("{} changed meanwhile", job.id)))
    }
}

/// Returns the sorted numbers of the actions, as operators write them; only the first of very many.
fn numbers(actions: &[SlaChange]) -> String {
    let ranges: Vec<&[SlaChange]> = actions.chunk_by(|one, next| one.action_number + 1 == next.action_number).collect();
    let named = ranges.iter().take(MOST_RANGES).map(|range| match range {
        [first, .., last] => format!("{}-{}", first.action_number, last.action_number),
        one => one.iter().map(|action| action.action_number.to_string()).collect(),
    });
    let left: usize = ranges.iter().skip(MOST_RANGES).map(|range| range.len()).sum();
    let more = (left > 0).then(|| format!("and {left} more"));
    named.chain(more).collect::<Vec<_>>().join(",")
}

pub(super) fn version(transaction: &Transaction<'_>, job: &CoordinatorJob) -> Result<CoordinatorDefinition> {
    transaction.coordinator_definition(job.job, job.definition_version)?.ok_or_else(|| unreadable(job))
}

pub(super) fn unreadable(job: &CoordinatorJob) -> Error {
    Error::new(ErrorCode::E1005, format!("the definition {} of {}", job.definition_version, job.id))
}

/// Stores another version of the definition, which the job uses from now on; [`record`] writes its row.
pub(super) fn new_version(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    definition: CoordinatorDefinition,
    now: Timestamp,
) -> Result<()> {
    let outputs = transaction.output_beginnings(job.job, job.definition_version)?;
    job.definition_version += 1;
    let version = job.definition_version;
    transaction
        .insert_coordinator_definition(&CoordinatorDefinition { version, created_at: now, ..definition }, &outputs)
}

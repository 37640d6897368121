//! Reads the actions of a job that `--action` and `--date` choose.

use std::ops::RangeInclusive;

use crate::coordinator::operation::scope::{Chosen, Dates, Period, Scope};
use crate::engine::apply::outcome::Outcome;
use crate::error::{Error, ErrorCode, Result};
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::model::status::ActionStatus;
use crate::store::{ActionFilter, ActionOrder, Page, Snapshot};

/// Chooses actions of a job, as they are in the database.
///
/// # Errors
/// E0605 for a single date that is not a nominal time of the job.
pub(crate) fn choose(snapshot: &Snapshot, job: &CoordinatorJob, scope: &Scope, period: Period) -> Result<Chosen> {
    scope.choose(&meant_actions(snapshot, job, scope, Some(period))?, period).map_err(|error| {
        let id = &job.id;
        error.help(format!(
            "no action of {id} has this nominal time; `howdah info {id}` lists them, and A::B means a period"
        ))
    })
}

/// Reads every action that the scope names, in any status, by number.
pub(crate) fn named_actions(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    scope: &Scope,
) -> Result<Vec<CoordinatorAction>> {
    meant_actions(snapshot, job, scope, None)
}

/// Reads the actions that the scope names; of its periods between two dates those alone that the verb means, so that
/// millions that were passed over are not read for nothing.
fn meant_actions(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    scope: &Scope,
    period: Option<Period>,
) -> Result<Vec<CoordinatorAction>> {
    let filters: Vec<ActionFilter> = match scope {
        Scope::Numbers(numbers) => numbers.ranges().map(numbered).collect(),
        Scope::Dates(dates) => dates.iter().map(|dates| dated(dates, period)).collect(),
    };
    let mut rows = Vec::new();
    for filter in filters {
        let all = Page { offset: 0, len: u32::MAX };
        rows.extend(snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, all)?.actions);
    }
    rows.sort_by_key(|row| row.number);
    rows.dedup_by_key(|row| row.number);
    Ok(rows)
}

fn numbered(range: RangeInclusive<u32>) -> ActionFilter {
    let (first, last) = range.into_inner();
    ActionFilter { first_number: Some(first), last_number: Some(last), ..ActionFilter::default() }
}

fn dated(dates: &Dates, period: Option<Period>) -> ActionFilter {
    let (from, until) = match *dates {
        Dates::At(at) => (at, at),
        Dates::Between(from, until) => (from, until),
    };
    let is_period = matches!(dates, Dates::Between(..));
    let takes = |status: &ActionStatus| period.is_some_and(|period| is_period && period.takes(*status));
    let statuses = ActionStatus::ALL.iter().copied().filter(takes).collect();
    ActionFilter { statuses, nominal_from: Some(from), nominal_until: Some(until), ..ActionFilter::default() }
}

/// Refuses a selection of numbers that contains no action of the job.
///
/// # Errors
/// E0605.
pub(crate) fn refuse_nothing(chosen: &Chosen, job: &CoordinatorJob) -> Result<()> {
    if !chosen.actions.is_empty() || chosen.missing.is_empty() {
        return Ok(());
    }
    let last = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
        (first, last) if first == last => format!("{}@{first}", job.id),
        (first, last) => format!("{}@{first}-{last}", job.id),
    };
    let named: Vec<String> = chosen.missing.iter().map(last).collect();
    Err(Error::new(ErrorCode::E0605, named.join(", ")).help(existing(job)))
}

/// Notes which of the given numbers are not actions of the job.
pub(crate) fn note_missing(missing: &[RangeInclusive<u32>], job: &CoordinatorJob, outcome: &mut Outcome) {
    let exist = existing(job);
    for range in missing {
        let (first, last) = (range.start(), range.end());
        outcome.note(if first == last {
            format!("{}@{first} does not exist: {exist}", job.id)
        } else {
            format!("{}@{first} to @{last} do not exist: {exist}", job.id)
        });
    }
}

/// Returns which actions a job has, as a sentence.
fn existing(job: &CoordinatorJob) -> String {
    match job.last_action_number {
        0 => "the job has no action yet".to_owned(),
        last => format!("the job's actions are 1 to {last}"),
    }
}

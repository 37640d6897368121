//! Reads the actions of a job that `--action` and `--date` choose.

use std::ops::RangeInclusive;

use crate::apply::outcome::Outcome;
use crate::format::notation;
use howdah_oozie::coordinator::operation::ChosenGroups;
use howdah_oozie::coordinator::operation::scope::{Chosen, Dates, Period, Scope, no_action_at};
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{ActionGroup, ActionKey, CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;

/// Chooses actions of a job, as they are in the database.
///
/// # Errors
/// E0605 for a single date that is not a nominal time of the job.
pub fn choose(snapshot: &Snapshot, job: &CoordinatorJob, scope: &Scope, period: Period) -> Result<Chosen> {
    let actions = meant_actions(snapshot, job, scope, Some(period))?;
    scope.choose(&actions, period, notation()).map_err(|error| not_a_time(error, job))
}

fn not_a_time(error: Error, job: &CoordinatorJob) -> Error {
    let id = &job.id;
    error.help(format!(
        "no action of {id} has this nominal time; `howdah info {id}` lists them, and A::B means a period"
    ))
}

/// The actions that a scope chooses, in groups.
#[derive(Debug, Default)]
pub struct Selection {
    pub chosen: ChosenGroups,
    /// Numbers that were named and are not actions of the job.
    pub missing: Vec<RangeInclusive<u32>>,
}

/// Chooses actions of a job as [`choose`] does, for a command that changes consecutive actions together.
///
/// # Errors
/// E0605 for a single date that is not a nominal time of the job.
pub(crate) fn choose_groups(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    scope: &Scope,
    period: Period,
) -> Result<Selection> {
    let mut selection = Selection::default();
    for (group, changes_alone) in groups(snapshot, job, (scope, period), &mut selection.missing)? {
        if changes_alone {
            let key = ActionKey { job: job.job, number: group.number };
            selection.chosen.started.extend(snapshot.coordinator_action(key)?);
        } else {
            selection.chosen.groups.push(group);
        }
    }
    Ok(selection)
}

/// Reads the groups that a scope names, each with whether it is one action that changes alone.
fn groups(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    (scope, period): (&Scope, Period),
    missing: &mut Vec<RangeInclusive<u32>>,
) -> Result<Vec<(ActionGroup, bool)>> {
    let mut groups = Vec::new();
    match scope {
        Scope::Numbers(numbers) => {
            for range in numbers.ranges() {
                let found = snapshot.action_groups(job.job, &numbered(range.clone()))?;
                add_missing(&range, &found, missing);
                groups.extend(found);
            }
            Ok(groups)
        }
        Scope::Dates(dates) => {
            for dates in dates {
                let found = snapshot.action_groups(job.job, &dated(dates, Some(period)))?;
                match dates {
                    Dates::At(at) if found.is_empty() => return Err(not_a_time(no_action_at(*at, notation()), job)),
                    Dates::At(_) | Dates::Between(..) => groups.extend(found),
                }
            }
            Ok(without_overlap(groups))
        }
    }
}

/// Adds the numbers of a range that no group has.
fn add_missing(range: &RangeInclusive<u32>, found: &[(ActionGroup, bool)], missing: &mut Vec<RangeInclusive<u32>>) {
    let mut expected = Some(*range.start());
    for (group, _) in found {
        if let Some(first) = expected.filter(|expected| *expected < group.number) {
            missing.push(first..=group.number - 1);
        }
        expected = group.last_number.checked_add(1);
    }
    if let Some(first) = expected.filter(|expected| expected <= range.end()) {
        missing.push(first..=*range.end());
    }
}

/// Returns groups of several periods without the actions that an earlier group has.
fn without_overlap(mut groups: Vec<(ActionGroup, bool)>) -> Vec<(ActionGroup, bool)> {
    groups.sort_unstable_by_key(|(group, _)| group.number);
    let mut next = 0;
    groups.retain_mut(|(group, _)| {
        group.number = group.number.max(next);
        next = next.max(group.last_number.saturating_add(1));
        group.number <= group.last_number
    });
    groups
}

/// Reads every action that the scope names, in any status, by number.
pub fn named_actions(snapshot: &Snapshot, job: &CoordinatorJob, scope: &Scope) -> Result<Vec<CoordinatorAction>> {
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
    let mut rows = Vec::new();
    for filter in filters(scope, period) {
        let all = Page { offset: 0, len: u32::MAX };
        rows.extend(snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, all)?.actions);
    }
    rows.sort_by_key(|row| row.number);
    rows.dedup_by_key(|row| row.number);
    Ok(rows)
}

/// Refuses a scope with more than `most` actions of a job, without reading them; some of several periods may count
/// twice. Without a period, actions of every status count.
///
/// # Errors
/// E0302.
pub fn refuse_many(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    (scope, period): (&Scope, Option<Period>),
    most: u32,
) -> Result<()> {
    let none = Page { offset: 0, len: 0 };
    let pages = filters(scope, period)
        .into_iter()
        .map(|filter| snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, none));
    let named = pages.map(|page| Ok(u64::from(page?.total))).sum::<Result<u64>>()?;
    if named <= u64::from(most) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::E0302, format!("{named} actions at once, more than {most}")).help("name fewer actions"))
}

fn filters(scope: &Scope, period: Option<Period>) -> Vec<ActionFilter> {
    match scope {
        Scope::Numbers(numbers) => numbers.ranges().map(numbered).collect(),
        Scope::Dates(dates) => dates.iter().map(|dates| dated(dates, period)).collect(),
    }
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
pub(crate) fn refuse_nothing(snapshot: &Snapshot, selection: &Selection, job: &CoordinatorJob) -> Result<()> {
    if !selection.chosen.is_empty() || selection.missing.is_empty() {
        return Ok(());
    }
    let last = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
        (first, last) if first == last => format!("{}@{first}", job.id),
        (first, last) => format!("{}@{first}-{last}", job.id),
    };
    let named: Vec<String> = selection.missing.iter().map(last).collect();
    Err(Error::new(ErrorCode::E0605, named.join(", ")).help(existing(snapshot, job)?))
}

/// Notes which of the given numbers are not actions of the job.
///
/// # Errors
/// A failure of the database.
pub(crate) fn note_missing(
    snapshot: &Snapshot,
    missing: &[RangeInclusive<u32>],
    job: &CoordinatorJob,
    outcome: &mut Outcome,
) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let exist = existing(snapshot, job)?;
    for range in missing {
        let (first, last) = (range.start(), range.end());
        outcome.note(if first == last {
            format!("{}@{first} does not exist: {exist}", job.id)
        } else {
            format!("{}@{first} to @{last} do not exist: {exist}", job.id)
        });
    }
    Ok(())
}

/// Returns which actions a job has, as a sentence. Those of a job that continues another one do not begin with 1.
///
/// # Errors
/// A failure of the database.
pub fn existing(snapshot: &Snapshot, job: &CoordinatorJob) -> Result<String> {
    let first = snapshot.first_action_number(job.job)?;
    Ok(match (first, job.last_action_number) {
        (None, _) => format!("the job has no action yet; `howdah explain {}` says why", job.id),
        (Some(1), last) => format!("the job's actions are 1 to {last}"),
        (Some(first), last) => {
            format!("the job's actions are {first} to {last}: another job has run those before them")
        }
    })
}

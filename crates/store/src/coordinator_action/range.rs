//! Table `coordinator_action_range`: consecutive actions that a catch-up passed over, one row for all of them.
//!
//! A range is read through `coordinator_action` and `action_page`, and changes as a whole, is cut in two, or loses one
//! action to `coordinator_action`: [`Transaction::take_from_range`] is the only way out.

use std::cmp::{max, min};

use super::counts::count;
use super::filter::ActionFilter;
use crate::column::{named_params, params};
use crate::row::{execute_row, query_one, query_rows, table_row};
use crate::{Snapshot, Times, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{ActionGroup, ActionKey, ActionRange, CoordinatorAction, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

table_row! {
    ActionRange {
        job, number, last_number, nominal_at, last_nominal_at, created_at, modified_at, status, definition_version,
        timeout_minutes, schedule,
    }
}

/// Consecutive actions of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) range: ActionRange,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Stretch {
    pub(super) const fn len(&self) -> u32 {
        self.last - self.first + 1
    }
}

impl Snapshot {
    /// An action that is in a range.
    pub(super) fn action_of_range(&self, key: ActionKey) -> Result<Option<CoordinatorAction>> {
        let Some(range) = self.range_of(key)? else { return Ok(None) };
        let found = self.times(&range, key.number)?.next();
        Ok(found.map(|(number, nominal)| range.action(number, nominal)))
    }

    /// The numbers and nominal times of a range from a number on.
    pub(super) fn times<'r>(&self, range: &'r ActionRange, from: u32) -> Result<Times<'r>> {
        self.nominal_times.get().and_then(|known| known.times(range, from)).ok_or_else(|| unknown(range))
    }

    fn first_at(&self, range: &ActionRange, time: Timestamp) -> Result<u32> {
        self.nominal_times.get().and_then(|known| known.first_at(range, time)).ok_or_else(|| unknown(range))
    }

    fn range_of(&self, key: ActionKey) -> Result<Option<ActionRange>> {
        let sql = "SELECT * FROM coordinator_action_range WHERE job = ?1 AND number <= ?2 ORDER BY number DESC LIMIT 1";
        let range: Option<ActionRange> =
            self.run(|connection| query_one(connection, sql, params![key.job, key.number]))?;
        Ok(range.filter(|range| range.group().numbers().contains(&key.number)))
    }

    /// The actions of ranges that a filter matches, by number.
    pub(super) fn stretches(&self, job: CoordinatorKey, filter: &ActionFilter) -> Result<Vec<Stretch>> {
        let parameters = named_params! {
            ":job": job,
            ":first_number": filter.first_number, ":last_number": filter.last_number,
            ":nominal_from": filter.nominal_from, ":nominal_until": filter.nominal_until,
            ":created_from": filter.created_from, ":created_until": filter.created_until,
        };
        let sql = include_str!("../sql/coordinator_action/ranges.sql");
        let ranges: Vec<ActionRange> = self.run(|connection| query_rows(connection, sql, parameters))?;
        let mut stretches = Vec::new();
        for range in ranges {
            if filter.statuses.is_empty() || filter.statuses.contains(&range.status) {
                self.add_stretches(range, filter, &mut stretches)?;
            }
        }
        Ok(stretches)
    }

    fn add_stretches(&self, range: ActionRange, filter: &ActionFilter, stretches: &mut Vec<Stretch>) -> Result<()> {
        let mut first = max(range.number, filter.first_number.unwrap_or(0));
        let mut last = min(range.last_number, filter.last_number.unwrap_or(u32::MAX));
        if let Some(from) = filter.nominal_from {
            first = max(first, self.first_at(&range, from)?);
        }
        if let Some(until) = filter.nominal_until {
            last = min(last, self.first_at(&range, until + 1)? - 1);
        }
        if !filter.nominal_in.is_empty() {
            let mut numbers = self.numbers_at(&range, &filter.nominal_in)?;
            let except = self.numbers_at(&range, &filter.nominal_not_in)?;
            numbers.retain(|number| (first..=last).contains(number) && !except.contains(number));
            stretches.extend(numbers.into_iter().map(|number| Stretch {
                range: range.clone(),
                first: number,
                last: number,
            }));
            return Ok(());
        }
        for except in self.numbers_at(&range, &filter.nominal_not_in)? {
            if (first..=last).contains(&except) {
                if first < except {
                    stretches.push(Stretch { range: range.clone(), first, last: except - 1 });
                }
                first = except + 1;
            }
        }
        if first <= last {
            stretches.push(Stretch { range, first, last });
        }
        Ok(())
    }

    /// The numbers of the actions of a range that are due at one of the times; sorted, each once.
    fn numbers_at(&self, range: &ActionRange, times: &[Timestamp]) -> Result<Vec<u32>> {
        let mut numbers = Vec::new();
        for time in times {
            let number = self.first_at(range, *time)?;
            if range.group().numbers().contains(&number) && self.times(range, number)?.next() == Some((number, *time)) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }
}

impl Transaction<'_> {
    /// Stores a range of new actions.
    pub fn insert_range(&self, range: &ActionRange) -> Result<()> {
        self.insert_range_row(range)?;
        let group = range.group();
        self.run(|connection| count(connection, group.job, group.status, group.len().into()))
    }

    fn insert_range_row(&self, range: &ActionRange) -> Result<()> {
        let sql = include_str!("../sql/coordinator_action/insert_range.sql");
        self.run(|connection| execute_row(connection, sql, range, &[]).map(drop))
    }

    /// Cuts the ranges that are partly in a group, so that each range is in it or outside of it.
    pub(super) fn cut_ranges(&self, group: &ActionGroup) -> Result<()> {
        for number in [group.number, group.last_number.saturating_add(1)] {
            self.cut_range(group.status, ActionKey { job: group.job, number })?;
        }
        Ok(())
    }

    /// Makes an action the first one of its range, if a range of this status has it.
    fn cut_range(&self, status: ActionStatus, key: ActionKey) -> Result<()> {
        let Some(range) = self.range_of(key)?.filter(|range| range.status == status && range.number < key.number)
        else {
            return Ok(());
        };
        let times: Vec<Timestamp> = self.times(&range, key.number - 1)?.take(2).map(|(_, at)| at).collect();
        let [last_nominal_at, nominal_at] = times[..] else { return Err(unknown(&range)) };
        self.delete_range(&range)?;
        self.insert_range_row(&ActionRange { last_number: key.number - 1, last_nominal_at, ..range.clone() })?;
        self.insert_range_row(&ActionRange { number: key.number, nominal_at, ..range })
    }

    fn delete_range(&self, range: &ActionRange) -> Result<()> {
        let sql = "DELETE FROM coordinator_action_range WHERE job = ?1 AND number = ?2";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![range.job, range.number]).map(drop))
    }

    /// Gives an action of a range a row of its own; returns `false` when no range of this status has it.
    pub(super) fn take_from_range(&self, status: ActionStatus, key: ActionKey) -> Result<bool> {
        let Some(range) = self.range_of(key)?.filter(|range| range.status == status) else { return Ok(false) };
        let around = max(range.number, key.number - 1);
        let times: Vec<(u32, Timestamp)> = self.times(&range, around)?.take(3).collect();
        let nominal_of = |wanted: u32| times.iter().find(|(number, _)| *number == wanted).map(|(_, at)| *at);
        let nominal = nominal_of(key.number).ok_or_else(|| unknown(&range))?;
        self.delete_range(&range)?;
        if range.number < key.number {
            let last_nominal_at = nominal_of(key.number - 1).ok_or_else(|| unknown(&range))?;
            self.insert_range_row(&ActionRange { last_number: key.number - 1, last_nominal_at, ..range.clone() })?;
        }
        if key.number < range.last_number {
            let nominal_at = nominal_of(key.number + 1).ok_or_else(|| unknown(&range))?;
            self.insert_range_row(&ActionRange { number: key.number + 1, nominal_at, ..range.clone() })?;
        }
        self.run(|connection| {
            let sql = include_str!("../sql/coordinator_action/insert.sql");
            connection.prepare_cached(sql)?.execute(params![
                key.job,
                key.number,
                nominal,
                range.created_at,
                range.status,
                range.definition_version,
                range.timeout_minutes,
            ])?;
            Ok(true)
        })
    }
}

fn unknown(range: &ActionRange) -> Error {
    let why = format!("the nominal times of actions {}-{} cannot be computed", range.number, range.last_number);
    Error::new(ErrorCode::H0001, why)
}

//! The instances that `current`, `offset` and `absolute` mean (specification 6.6.1, 6.6.2, 6.6.8).
//!
//! Every list is oldest first (decision C18).

use crate::dataset::Dataset;
use howdah_calendar::{
    self as calendar, Amount, EndOf, Unit, add, start_of_local_day, start_of_local_month, start_of_local_week,
};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::Timestamp;

/// The most instances of one range, so that a typing error does not fill the memory.
const LONGEST_RANGE: i64 = 1_000_000;

/// Instances of a dataset, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    pub times: Vec<Timestamp>,
    /// The number of ignored instances, which are before the initial instance (specification 6.6.11).
    pub before_initial: usize,
    /// The times of the ignored instances, as far as the calendar can compute them.
    pub left_out: Vec<Timestamp>,
}

impl Range {
    /// Returns a range of `count` ignored instances, and the times of those that have one.
    fn ignored(count: i64, left_out: Vec<Timestamp>) -> Self {
        Self { times: Vec::new(), before_initial: usize::try_from(count).unwrap_or(0), left_out }
    }
}

/// Returns the instances `first` to `last`, counted from the last instance at or before `nominal`.
///
/// The first one is counted from the initial instance; from there the range advances step by step, as Oozie does, so a
/// local time that a clock change or the length of a month has moved stays moved to the end of the range.
pub fn current(dataset: &Dataset, nominal: Timestamp, first: i64, last: i64) -> Range {
    let count = last.saturating_sub(first).saturating_add(1).clamp(0, LONGEST_RANGE);
    let sequence = &dataset.sequence;
    let Some(zero) = sequence.last_index_at(nominal) else {
        let first = sequence.extended_index_at(nominal).and_then(|zero| zero.checked_add(first));
        return Range::ignored(count, first.map_or_else(Vec::new, |first| counted(dataset, first, count)));
    };
    let mut range = Range::default();
    let mut next = zero.checked_add(first).and_then(|index| sequence.at(index));
    for _ in 0..count {
        match next {
            Some(time) if time >= sequence.initial() => range.times.push(time),
            _ => {
                range.before_initial += 1;
                range.left_out.extend(next);
            }
        }
        next = next.and_then(|time| sequence.after(time));
    }
    range
}

/// Returns the last instance at or before the time `count` units away from `current(0)`.
pub fn offset(dataset: &Dataset, nominal: Timestamp, count: i64, unit: Unit) -> Range {
    let rewound = raw_offset(dataset, nominal, unit.times(count))
        .and_then(|raw| dataset.sequence.last_index_at(raw))
        .and_then(|index| dataset.sequence.at(index));
    if let Some(time) = rewound {
        return Range { times: vec![time], ..Range::default() };
    }
    let meant = extended_offset(dataset, nominal, unit.times(count)).and_then(|raw| at_or_before(dataset, raw));
    Range::ignored(1, meant.into_iter().collect())
}

/// Returns the instances from the first at or after one offset to the last at or before another (specification 6.6.2).
///
/// Two times may enclose no instance.
///
/// # Errors
/// E1010 when the first time is after the second, in whatever units the offsets are.
pub(crate) fn offset_range(dataset: &Dataset, nominal: Timestamp, from: Amount, to: Amount) -> Result<Range> {
    let meant = |offset: Amount| extended_offset(dataset, nominal, offset);
    let ends = (raw_offset(dataset, nominal, from), raw_offset(dataset, nominal, to));
    if let (Some(start), Some(end)) = ends {
        return time_range(dataset, start, end);
    }
    match meant(from).zip(meant(to)) {
        Some((start, end)) if start > end => Err(reversed()),
        Some((start, end)) => Ok(Range::ignored(1, between(dataset, start, end))),
        None => Ok(Range::ignored(1, Vec::new())),
    }
}

/// Returns the instances from the first at or after one time to the last at or before another.
///
/// # Errors
/// E1010 when the first time is after the second.
pub(crate) fn time_range(dataset: &Dataset, start: Timestamp, end: Timestamp) -> Result<Range> {
    if start > end {
        return Err(reversed());
    }
    let left_out = between(dataset, start, end.min(dataset.initial() - 1));
    let Some(last) = dataset.sequence.last_index_at(end) else { return Ok(Range::ignored(1, left_out)) };
    // Fast-forward: the last instance before the start is not included, one exactly at the start is.
    let before = dataset.sequence.last_index_at(start - 1);
    let first = before.map_or(0, |index| index + 1);
    let times = counted(dataset, first, last.saturating_sub(first).saturating_add(1));
    Ok(Range { times, before_initial: left_out.len(), left_out })
}

/// Returns whether no instance is between two times, even if there were also instances before the initial one.
pub(crate) fn none_between(dataset: &Dataset, start: Timestamp, end: Timestamp) -> bool {
    let index = |at: Timestamp| dataset.sequence.extended_index_at(at);
    index(start - 1).zip(index(end)).is_some_and(|(before, last)| before == last)
}

/// Returns the time of `current(number)`, and of one before the initial instance as far as the calendar can compute it.
pub(crate) fn time_of_current(dataset: &Dataset, nominal: Timestamp, number: i64) -> Option<Timestamp> {
    let Range { times, left_out, .. } = current(dataset, nominal, number, number);
    times.into_iter().chain(left_out).next()
}

/// Returns the time at `offset` from `current(0)`, as far as the calendar can compute it.
pub(crate) fn time_of_offset(dataset: &Dataset, nominal: Timestamp, offset: Amount) -> Option<Timestamp> {
    raw_offset(dataset, nominal, offset).or_else(|| extended_offset(dataset, nominal, offset))
}

/// Returns the instances from a fixed time to `current(last)` (specification 6.6.8).
///
/// # Errors
/// E1010 when the time is before the initial instance, not on an instance, or after the end of the range.
pub fn absolute(dataset: &Dataset, nominal: Timestamp, from: Timestamp, last: i64) -> Result<Range> {
    let first = absolute_start(dataset, nominal, from, last)?;
    Ok(current(dataset, nominal, first, last))
}

/// Returns the number, as in `current`, of the instance at a fixed time that starts a range up to `current(last)`.
///
/// # Errors
/// Like [`absolute`].
pub(crate) fn absolute_start(dataset: &Dataset, nominal: Timestamp, from: Timestamp, last: i64) -> Result<i64> {
    let first = index_of(dataset, from)?;
    let Some(zero) = dataset.sequence.last_index_at(nominal) else {
        return Err(not_absolute("the nominal time is before the initial-instance"));
    };
    if first - zero > last {
        return Err(reversed().reported_by_oozie_as(ErrorCode::E1004));
    }
    Ok(first - zero)
}

/// Returns the number of the instance at exactly `time`.
///
/// # Errors
/// E1010 when the time is before the initial instance, or not on an instance.
pub(crate) fn index_of(dataset: &Dataset, time: Timestamp) -> Result<i64> {
    let Some(index) = dataset.sequence.last_index_at(time) else {
        return Err(not_absolute("initial-instance should be equal or earlier than the start-instance"));
    };
    if dataset.sequence.at(index) != Some(time) {
        return Err(not_absolute("initial-instance is not in phase with start-instance"));
    }
    Ok(index)
}

fn not_absolute(why: &str) -> Error {
    Error::new(ErrorCode::E1010, why).reported_by_oozie_as(ErrorCode::E1004)
}

/// Returns the time that `endOfDays(n)`, `endOfWeeks(n)` or `endOfMonths(n)` means as a start-instance.
pub fn end_of(dataset: &Dataset, nominal: Timestamp, period: EndOf, number: i64) -> Option<Timestamp> {
    let zone = dataset.zone();
    let (start, unit) = match period {
        EndOf::None => return Some(nominal),
        EndOf::Day => (start_of_local_day(zone, nominal), Unit::Day),
        EndOf::Week => (start_of_local_week(zone, nominal), Unit::Week),
        EndOf::Month => (start_of_local_month(zone, nominal), Unit::Month),
    };
    add(zone, start, unit, number.saturating_add(1))
}

/// Returns the error for a range whose start is after its end.
pub fn reversed() -> Error {
    Error::new(ErrorCode::E1010, "start-instance should be equal or earlier than the end-instance")
        .help("in a range the earlier instance comes first, as in -23 to 0")
}

/// Returns the hours of the local day `days` days after the nominal time; -1 before the initial instance (decision C9).
pub fn hours_in_day(dataset: &Dataset, nominal: Timestamp, days: i64) -> i64 {
    day_of(dataset, nominal, days, Unit::Day).map_or(-1, |at| calendar::hours_in_day(dataset.zone(), at))
}

/// Returns the number of days of the local month `months` months after the nominal time; -1 before the initial
/// instance.
pub fn days_in_month(dataset: &Dataset, nominal: Timestamp, months: i64) -> i64 {
    day_of(dataset, nominal, months, Unit::Month).map_or(-1, |at| calendar::days_in_month(dataset.zone(), at))
}

fn day_of(dataset: &Dataset, nominal: Timestamp, count: i64, unit: Unit) -> Option<Timestamp> {
    if nominal < dataset.initial() {
        return None;
    }
    add(dataset.zone(), nominal, unit, count)
}

/// Returns the instances from number `first` on, `count` of them or as many as a range may have; the numbers may be
/// negative.
fn counted(dataset: &Dataset, first: i64, count: i64) -> Vec<Timestamp> {
    let last = first.saturating_add(count.min(LONGEST_RANGE));
    (first..last).map_while(|index| dataset.sequence.at(index)).collect()
}

/// Returns the instances from one time to another, as if there were also instances before the initial one.
fn between(dataset: &Dataset, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let (Some(before), Some(last)) =
        (dataset.sequence.extended_index_at(from - 1), dataset.sequence.extended_index_at(to))
    else {
        return Vec::new();
    };
    counted(dataset, before + 1, last - before)
}

/// Returns the last instance at or before a time, as if there were also instances before the initial one.
fn at_or_before(dataset: &Dataset, time: Timestamp) -> Option<Timestamp> {
    dataset.sequence.extended_index_at(time).and_then(|index| dataset.sequence.at(index))
}

/// Like [`raw_offset`], as if there were also instances before the initial one.
fn extended_offset(dataset: &Dataset, nominal: Timestamp, offset: Amount) -> Option<Timestamp> {
    add(dataset.zone(), at_or_before(dataset, nominal)?, offset.unit, offset.count)
}

/// Returns the time at this offset from the instance `current(0)`; `None` when there is none.
fn raw_offset(dataset: &Dataset, nominal: Timestamp, offset: Amount) -> Option<Timestamp> {
    let zero = dataset.sequence.last_index_at(nominal)?;
    add(dataset.zone(), dataset.sequence.at(zero)?, offset.unit, offset.count)
}

#[cfg(test)]
mod tests;

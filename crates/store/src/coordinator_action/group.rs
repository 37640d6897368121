//! Consecutive actions of a job with the same status: found and changed together, so that a million of them cost one
//! pass.

use rusqlite::{Connection, Row};

use super::counts::count;
use super::filter::ActionFilter;
use super::page::with_parameters;
use super::range::Stretch;
use crate::column::{Columns as _, named_params, params};
use crate::row::query_rows;
use crate::{Snapshot, Transaction};
use howdah_words::error::Result;
use howdah_words::model::row::{ActionGroup, CoordinatorAction, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

impl Snapshot {
    /// The actions of a job that are not over, and the SKIPPED ones, as far as they never started; by number.
    pub fn unstarted_groups(&self, job: CoordinatorKey) -> Result<Vec<ActionGroup>> {
        let mut groups = Vec::new();
        self.run(|connection| {
            add_groups(connection, include_str!("../sql/coordinator_action/unstarted_open.sql"), job, &mut groups)
        })?;
        // No index finds skipped actions, so only a job that has some is searched.
        if self.action_counts(job)?.contains_key(&ActionStatus::Skipped) {
            self.run(|connection| {
                add_groups(
                    connection,
                    include_str!("../sql/coordinator_action/unstarted_skipped.sql"),
                    job,
                    &mut groups,
                )
            })?;
        }
        groups.sort_unstable_by_key(|group| group.number);
        Ok(groups)
    }

    /// The other actions of a job that are not over or SKIPPED: those that have, or had, a workflow job; by number.
    pub fn killable_started_actions(&self, job: CoordinatorKey) -> Result<Vec<CoordinatorAction>> {
        let open = include_str!("../sql/coordinator_action/started_before.sql");
        let mut actions: Vec<CoordinatorAction> = self.run(|connection| query_rows(connection, open, params![job]))?;
        if self.action_counts(job)?.contains_key(&ActionStatus::Skipped) {
            let skipped = include_str!("../sql/coordinator_action/started_skipped.sql");
            actions.extend(self.run(|connection| query_rows(connection, skipped, params![job]))?);
        }
        actions.sort_unstable_by_key(|action: &CoordinatorAction| action.number);
        Ok(actions)
    }
}

impl Snapshot {
    /// The matching actions of a job in groups, by number; with `true` an action that changes alone, because it is not
    /// over and has, or had, a workflow job.
    pub fn action_groups(&self, job: CoordinatorKey, filter: &ActionFilter) -> Result<Vec<(ActionGroup, bool)>> {
        let of_range = |stretch: &Stretch| {
            let group = ActionGroup { number: stretch.first, last_number: stretch.last, ..stretch.range.group() };
            (group, false)
        };
        let stretches = self.stretches(job, filter)?;
        let mut groups: Vec<(ActionGroup, bool)> = stretches.iter().map(of_range).collect();
        self.run(|connection| {
            let sql = concat!(
                "SELECT number, status, run > 0 OR external_id IS NOT NULL AS has_started ",
                include_str!("../sql/coordinator_action/matching.sql"),
                "ORDER BY number"
            );
            with_parameters(job, filter, |parameters| {
                let mut statement = connection.prepare_cached(sql)?;
                let mut rows = statement.query(parameters)?;
                let mut joined = Vec::new();
                while let Some(row) = rows.next()? {
                    join(&mut joined, read_one(job, row)?);
                }
                groups.extend(joined);
                Ok(())
            })
        })?;
        groups.sort_unstable_by_key(|(group, _)| group.number);
        Ok(groups)
    }
}

/// Reads one action as a group.
fn read_one(job: CoordinatorKey, row: &Row<'_>) -> rusqlite::Result<(ActionGroup, bool)> {
    let (number, status): (u32, ActionStatus) = (row.column(0)?, row.column(1)?);
    let changes_alone = !status.is_terminal() && row.column(2)?;
    Ok((ActionGroup { job, number, last_number: number, status }, changes_alone))
}

/// Adds a group, or joins it with the one before it.
fn join(groups: &mut Vec<(ActionGroup, bool)>, (group, changes_alone): (ActionGroup, bool)) {
    match groups.last_mut() {
        Some((before, false))
            if !changes_alone && before.status == group.status && before.last_number + 1 == group.number =>
        {
            before.last_number = group.last_number;
        }
        _ => groups.push((group, changes_alone)),
    }
}

/// Reads numbers and statuses, and joins those that follow one another.
fn add_groups(
    connection: &Connection,
    sql: &str,
    job: CoordinatorKey,
    groups: &mut Vec<ActionGroup>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let (number, last, status) =
        (statement.column_index("number")?, statement.column_index("last_number")?, statement.column_index("status")?);
    let mut rows = statement.query(params![job])?;
    while let Some(row) = rows.next()? {
        let group = ActionGroup {
            job,
            number: row.column(number)?,
            last_number: row.column(last)?,
            status: row.column(status)?,
        };
        match groups.last_mut() {
            Some(before) if before.status == group.status && before.last_number + 1 == group.number => {
                before.last_number = group.last_number;
            }
            _ => groups.push(group),
        }
    }
    Ok(())
}

impl Transaction<'_> {
    /// Gives all actions of a group another status; returns how many rows and ranges that were.
    pub fn move_group(&self, group: &ActionGroup, to: ActionStatus, at: Timestamp) -> Result<u32> {
        self.cut_ranges(group)?;
        let parameters = named_params! {
            ":job": group.job, ":first": group.number, ":last": group.last_number, ":from": group.status,
            ":to": to, ":at": at,
        };
        self.run(|connection| {
            let rows = include_str!("../sql/coordinator_action/move_rows.sql");
            let rows = connection.prepare_cached(rows)?.execute(parameters)?;
            let in_ranges = include_str!("../sql/coordinator_action/count_ranges.sql");
            let in_ranges: u32 =
                connection.prepare_cached(in_ranges)?.query_row(&parameters[..4], |row| row.column("actions"))?;
            if in_ranges > 0 {
                connection
                    .prepare_cached(include_str!("../sql/coordinator_action/move_ranges.sql"))?
                    .execute(parameters)?;
            }
            let moved = u32::try_from(rows).unwrap_or(u32::MAX) + in_ranges;
            count(connection, group.job, group.status, -i64::from(moved))?;
            count(connection, group.job, to, moved.into())?;
            Ok(moved)
        })
    }
}

//! Pages of a job's actions: rows, and between them the actions of ranges.

use rusqlite::{Connection, ToSql};

use super::filter::{ActionFilter, ActionOrder};
use super::range::Stretch;
use crate::column::{Columns as _, named_params};
use crate::job_filter::json_list;
use crate::row::query_rows;
use crate::{Page, Snapshot};
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorAction, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The statement that reads a page of the matching actions.
macro_rules! page {
    ($order:literal) => {
        concat!("SELECT * ", include_str!("../sql/coordinator_action/matching.sql"), $order)
    };
}

/// A part of a list of actions, and how many match in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionPage {
    pub actions: Vec<CoordinatorAction>,
    pub total: u32,
}

/// Consecutive numbers of a job: actions that have rows, or a stretch of a range.
enum Piece<'s> {
    Rows(u32, u32),
    Stretch(&'s Stretch),
}

/// What is still to be left out, and to be read.
struct Rest {
    offset: u32,
    len: u32,
}

impl Snapshot {
    /// How many actions of a job have one of these statuses; all actions when there are none.
    fn count_of(&self, job: CoordinatorKey, statuses: &[ActionStatus]) -> Result<u32> {
        let counts = self.action_counts(job)?;
        let counted = counts.iter().filter(|(status, _)| statuses.is_empty() || statuses.contains(status));
        Ok(counted.map(|(_, count)| count).sum())
    }

    /// A page of the matching actions of a job.
    pub fn action_page(
        &self,
        job: CoordinatorKey,
        filter: &ActionFilter,
        order: ActionOrder,
        page: Page,
    ) -> Result<ActionPage> {
        let stretches = self.stretches(job, filter)?;
        let total = match filter.only_statuses() {
            Some(statuses) => self.count_of(job, statuses)?,
            None => self.count_rows(job, filter)? + stretches.iter().map(Stretch::len).sum::<u32>(),
        };
        // Avoids a scan of the whole job when no row can match.
        if total <= page.offset || page.len == 0 {
            return Ok(ActionPage { actions: Vec::new(), total });
        }
        let mut rest = Rest { offset: page.offset, len: page.len };
        let mut actions = Vec::new();
        for piece in pieces(filter, &stretches, order) {
            match piece {
                Piece::Rows(first, last) => {
                    self.read_rows(job, (filter, first, last), (order, &mut rest), &mut actions)?;
                }
                Piece::Stretch(stretch) => self.read_stretch(stretch, (order, &mut rest), &mut actions)?,
            }
            if rest.len == 0 {
                break;
            }
        }
        Ok(ActionPage { actions, total })
    }

    /// How many rows match, without ranges.
    fn count_rows(&self, job: CoordinatorKey, filter: &ActionFilter) -> Result<u32> {
        let sql = concat!("SELECT count(*) AS total ", include_str!("../sql/coordinator_action/matching.sql"));
        self.run(|connection| {
            with_parameters(job, filter, |parameters| {
                connection.prepare_cached(sql)?.query_row(parameters, |row| row.column("total"))
            })
        })
    }

    /// Reads the rows of some numbers that belong to the page.
    fn read_rows(
        &self,
        job: CoordinatorKey,
        (filter, first, last): (&ActionFilter, u32, u32),
        (order, rest): (ActionOrder, &mut Rest),
        actions: &mut Vec<CoordinatorAction>,
    ) -> Result<()> {
        let part = ActionFilter { first_number: Some(first), last_number: Some(last), ..filter.clone() };
        let rows = self.run(|connection| rows(connection, (job, &part), order, rest))?;
        let read = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        if read > 0 {
            rest.offset = 0;
        } else if rest.offset > 0 {
            // All of them are before the page.
            rest.offset -= self.count_rows(job, &part)?.min(rest.offset);
        }
        rest.len -= read;
        actions.extend(rows);
        Ok(())
    }

    /// Creates the actions of a stretch that belong to the page.
    fn read_stretch(
        &self,
        stretch: &Stretch,
        (order, rest): (ActionOrder, &mut Rest),
        actions: &mut Vec<CoordinatorAction>,
    ) -> Result<()> {
        let len = stretch.len();
        let before = rest.offset.min(len);
        let read = rest.len.min(len - before);
        rest.offset -= before;
        rest.len -= read;
        if read == 0 {
            return Ok(());
        }
        let first = match order {
            ActionOrder::OldestFirst => stretch.first + before,
            ActionOrder::NewestFirst => stretch.last - before - (read - 1),
        };
        let from = actions.len();
        for (number, nominal) in self.times(&stretch.range, first)?.take(read as usize) {
            actions.push(stretch.range.action(number, nominal));
        }
        if order == ActionOrder::NewestFirst {
            actions[from..].reverse();
        }
        Ok(())
    }
}

/// The numbers that the filter allows, in the order of the page.
fn pieces<'s>(filter: &ActionFilter, stretches: &'s [Stretch], order: ActionOrder) -> Vec<Piece<'s>> {
    let last = filter.last_number.unwrap_or(u32::MAX);
    let mut next = filter.first_number.unwrap_or(1);
    let mut pieces = Vec::new();
    for stretch in stretches {
        if next < stretch.first {
            pieces.push(Piece::Rows(next, stretch.first - 1));
        }
        pieces.push(Piece::Stretch(stretch));
        next = stretch.last.saturating_add(1);
    }
    if next <= last {
        pieces.push(Piece::Rows(next, last));
    }
    if order == ActionOrder::NewestFirst {
        pieces.reverse();
    }
    pieces
}

/// A page of the matching rows.
fn rows(
    connection: &Connection,
    (job, filter): (CoordinatorKey, &ActionFilter),
    order: ActionOrder,
    page: &Rest,
) -> rusqlite::Result<Vec<CoordinatorAction>> {
    let sql = match order {
        ActionOrder::OldestFirst => page!("ORDER BY number LIMIT :len OFFSET :offset"),
        ActionOrder::NewestFirst => page!("ORDER BY number DESC LIMIT :len OFFSET :offset"),
    };
    with_parameters(job, filter, |parameters| {
        let page: [(&str, &dyn ToSql); 2] = [(":offset", &page.offset), (":len", &page.len)];
        query_rows(connection, sql, &*[parameters, &page].concat())
    })
}

/// Calls `work` with the parameters of `matching.sql`.
pub(super) fn with_parameters<T>(
    job: CoordinatorKey,
    filter: &ActionFilter,
    work: impl FnOnce(&[(&str, &dyn ToSql)]) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let words: Vec<&str> = filter.statuses.iter().map(|status| status.as_str()).collect();
    let seconds = |times: &[Timestamp]| -> Vec<String> { times.iter().map(|at| at.seconds().to_string()).collect() };
    let (among, except) = (json_list(&seconds(&filter.nominal_in)), json_list(&seconds(&filter.nominal_not_in)));
    let statuses = json_list(&words);
    work(named_params! {
        ":job": job,
        ":statuses": statuses,
        ":first_number": filter.first_number,
        ":last_number": filter.last_number,
        ":nominal_from": filter.nominal_from,
        ":nominal_until": filter.nominal_until,
        ":created_from": filter.created_from,
        ":created_until": filter.created_until,
        ":nominal_in": among,
        ":nominal_not_in": except,
    })
}

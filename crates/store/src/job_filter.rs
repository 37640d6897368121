//! Filters, order and pages of job lists; shared by the tables of jobs.
//!
//! Must not depend on the grammar of `--filter`: values of one field are alternatives, fields restrict each other.

use rusqlite::types::Value;
use rusqlite::{Connection, Statement};

use super::row::TableRow;
use crate::column::Columns as _;
use howdah_words::model::time::Timestamp;

/// What a listed job must match, and the order; an empty list matches everything, times are inclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFilter {
    pub statuses: Vec<String>,
    pub users: Vec<String>,
    pub names: Vec<String>,
    pub ids: Vec<String>,
    /// Ids in the Oozie from which jobs were taken over. Applies to coordinator jobs and bundles.
    pub external_ids: Vec<String>,
    /// Parts of the name or of the user, or whole ids.
    pub texts: Vec<String>,
    pub created_from: Option<Timestamp>,
    pub created_until: Option<Timestamp>,
    /// Applies only to coordinator jobs.
    pub frequency: Option<FrequencyFilter>,
    pub order: JobOrder,
}

/// A frequency with the unit in which coordinator jobs store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrequencyFilter {
    pub count: String,
    pub unit: String,
}

/// The order of a list of jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobOrder {
    /// The latest created job first.
    #[default]
    Created,
    /// The latest changed job first.
    Modified,
}

/// A part of a list: `len` rows after skipping `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub offset: u32,
    pub len: u32,
}

/// The statements of one table of jobs.
pub(super) struct JobStatements {
    /// The number of all rows, as `total`; counted from an index, without reading the rows.
    pub(super) count_all: &'static str,
    /// The number of matching rows, as `total`.
    pub(super) count: &'static str,
    /// A page of the matching rows, in the order of [`JobOrder::Created`].
    pub(super) newest: &'static str,
    /// The same in the order of [`JobOrder::Modified`].
    pub(super) last_modified: &'static str,
}

/// Creates the statements of a table from its name and the condition of a matching row.
macro_rules! job_statements {
    ($table:literal, $($matching:literal),+) => {
        crate::job_filter::JobStatements {
            count_all: concat!("SELECT count(*) AS total FROM ", $table),
            count: concat!("SELECT count(*) AS total FROM ", $table, " ", $(include_str!($matching)),+),
            newest: concat!(
                "SELECT * FROM ", $table, " ", $(include_str!($matching)),+,
                "ORDER BY created_at DESC, job DESC LIMIT :len OFFSET :offset"
            ),
            last_modified: concat!(
                "SELECT * FROM ", $table, " ", $(include_str!($matching)),+,
                "ORDER BY modified_at DESC, job DESC LIMIT :len OFFSET :offset"
            ),
        }
    };
}
pub(super) use job_statements;

/// A page of the matching rows of a table, and how many match in all.
pub(super) fn job_page<T: TableRow>(
    connection: &Connection,
    statements: &JobStatements,
    filter: &JobFilter,
    page: Page,
) -> rusqlite::Result<(Vec<T>, u32)> {
    let everything = JobFilter { order: filter.order, ..JobFilter::default() } == *filter;
    let mut count = connection.prepare_cached(if everything { statements.count_all } else { statements.count })?;
    bind(&mut count, filter, page)?;
    let total = count.raw_query().next()?.map_or(Ok(0), |row| row.column("total"))?;
    let mut jobs = connection.prepare_cached(match filter.order {
        JobOrder::Created => statements.newest,
        JobOrder::Modified => statements.last_modified,
    })?;
    bind(&mut jobs, filter, page)?;
    let places = T::places(&jobs)?;
    Ok((jobs.raw_query().mapped(|row| T::from_row(row, &places)).collect::<rusqlite::Result<_>>()?, total))
}

/// Binds the parameters that a statement has: only the table with a frequency has that parameter.
fn bind(statement: &mut Statement<'_>, filter: &JobFilter, page: Page) -> rusqlite::Result<()> {
    for index in 1..=statement.parameter_count() {
        let name = statement.parameter_name(index).unwrap_or_default().to_owned();
        let value = filter.parameter(&name, page).ok_or(rusqlite::Error::InvalidParameterName(name))?;
        statement.raw_bind_parameter(index, value)?;
    }
    Ok(())
}

impl JobFilter {
    /// The value of a parameter; `None` when there is no such parameter.
    fn parameter(&self, name: &str, page: Page) -> Option<Value> {
        let seconds = |at: Option<Timestamp>| at.map(Timestamp::seconds);
        Some(match name {
            ":statuses" => json_list(&self.statuses).into(),
            ":users" => json_list(&self.users).into(),
            ":names" => json_list(&self.names).into(),
            ":ids" => json_list(&self.ids).into(),
            ":external_ids" => json_list(&self.external_ids).into(),
            ":texts" => json_list(&self.texts).into(),
            ":created_from" => seconds(self.created_from).into(),
            ":created_until" => seconds(self.created_until).into(),
            ":frequency" => self.frequency.as_ref().map(|frequency| frequency.count.clone()).into(),
            ":unit" => self.frequency.as_ref().map(|frequency| frequency.unit.clone()).into(),
            ":offset" => page.offset.into(),
            ":len" => page.len.into(),
            _ => return None,
        })
    }
}

/// The words as a JSON array for `json_each`, one parameter for any number of values; `None` for an empty list.
pub(super) fn json_list<T: AsRef<str>>(words: &[T]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    (!words.is_empty()).then(|| serde_json::Value::from(words).to_string())
}

//! The values of columns: howdah's keys, times, ids, statuses and payloads, and the plain values of SQLite.
//!
//! The types belong to another crate and the database to a third, so the conversions are traits of this one. Must not
//! depend on tables. A text that is no word of its type (a damaged row, a newer program) is an error, never a default.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, RowIndex};

use howdah_words::model::alert::AlertEvent;
use howdah_words::model::cpu_time::CpuTime;
use howdah_words::model::delivery::Payload;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::missing_input::MissingInput;
use howdah_words::model::node_type::NodeType;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{
    AttemptKey, AttemptState, BundleKey, CoordinatorKey, DeliveryKey, DeliveryState, DocumentKey, EventKey,
    IncidentKey, IncidentState, SlaKey, TakeoverKey, WorkflowKey,
};
use howdah_words::model::status::{
    ActionStatus, Execution, NodeStatus, SlaEvent, SlaStatus, SlaSubject, WorkflowStatus,
};
use howdah_words::model::time::Timestamp;

/// A value that a column can take.
pub(crate) trait ToColumn {
    /// The value as SQLite stores it.
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>>;
}

/// A value that a column can have.
pub(crate) trait FromColumn: Sized {
    /// Reads the value; one that is not of this type is an error.
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self>;
}

/// A value as a parameter of a statement.
pub(crate) struct Parameter<'a> {
    pub(crate) value: &'a dyn ToColumn,
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.value.to_column()
    }
}

/// A value read from a row.
struct Read<T>(T);

impl<T: FromColumn> FromSql for Read<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        T::from_column(value).map(Self)
    }
}

/// Reads columns of a row.
pub(crate) trait Columns {
    /// The value of a column, by its position or name.
    fn column<T: FromColumn>(&self, column: impl RowIndex) -> rusqlite::Result<T>;
}

impl Columns for Row<'_> {
    fn column<T: FromColumn>(&self, column: impl RowIndex) -> rusqlite::Result<T> {
        self.get(column).map(|Read(value)| value)
    }
}

/// Parameters in the order of their numbers, as `rusqlite::params`.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&$crate::column::Parameter { value: &$value } as &dyn rusqlite::ToSql),*] as &[&dyn rusqlite::ToSql]
    };
}
pub(crate) use params;

/// Parameters with their names, as `rusqlite::named_params`.
macro_rules! named_params {
    ($($name:literal: $value:expr),* $(,)?) => {
        &[$(($name, &$crate::column::Parameter { value: &$value } as &dyn rusqlite::ToSql)),*]
            as &[(&str, &dyn rusqlite::ToSql)]
    };
}
pub(crate) use named_params;

macro_rules! plain_columns {
    ($($name:ty),*) => {
        $(
            impl ToColumn for $name {
                fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    self.to_sql()
                }
            }

            impl FromColumn for $name {
                fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    Self::column_result(value)
                }
            }
        )*
    };
}

plain_columns!(bool, i32, i64, u8, u32, f64, String);

impl ToColumn for str {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.to_sql()
    }
}

impl ToColumn for [u8] {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.to_sql()
    }
}

impl<T: ToColumn + ?Sized> ToColumn for &T {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        (**self).to_column()
    }
}

impl<T: ToColumn> ToColumn for Option<T> {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_ref().map_or(Ok(rusqlite::types::Null.into()), ToColumn::to_column)
    }
}

impl<T: FromColumn> FromColumn for Option<T> {
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(None),
            value => T::from_column(value).map(Some),
        }
    }
}

macro_rules! key_columns {
    ($($name:ident),*) => {
        $(
            impl ToColumn for $name {
                fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    self.0.to_column()
                }
            }

            impl FromColumn for $name {
                fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    value.as_i64().map(Self)
                }
            }
        )*
    };
}

key_columns!(
    DocumentKey,
    CoordinatorKey,
    WorkflowKey,
    BundleKey,
    AttemptKey,
    EventKey,
    DeliveryKey,
    SlaKey,
    IncidentKey,
    TakeoverKey
);

/// A text that is no word of the type of its column.
#[derive(Debug, thiserror::Error)]
#[error("[{0}] is not a value of this column")]
struct UnknownWord(String);

fn unknown(text: &str) -> FromSqlError {
    FromSqlError::Other(Box::new(UnknownWord(text.to_owned())))
}

macro_rules! word_columns {
    ($($name:ty),* $(,)?) => {
        $(
            impl ToColumn for $name {
                fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    self.as_str().to_column()
                }
            }

            impl FromColumn for $name {
                fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    let word = value.as_str()?;
                    Self::from_word(word).ok_or_else(|| unknown(word))
                }
            }
        )*
    };
}

word_columns!(
    ActionStatus,
    JobStatus,
    WorkflowStatus,
    NodeStatus,
    Execution,
    SlaStatus,
    SlaEvent,
    SlaSubject,
    Origin,
    NodeType,
    AttemptState,
    DeliveryState,
    AlertEvent,
    IncidentState,
);

impl ToColumn for Timestamp {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.seconds().into())
    }
}

impl FromColumn for Timestamp {
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self::from_seconds)
    }
}

impl ToColumn for CpuTime {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.seconds().into())
    }
}

impl FromColumn for CpuTime {
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_f64().map(Self::from_seconds)
    }
}

impl ToColumn for Payload {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text =
            serde_json::to_string(self).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}

impl FromColumn for Payload {
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map_err(|error| FromSqlError::Other(error.into()))
    }
}

impl ToColumn for MissingInput {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_str().to_column()
    }
}

impl FromColumn for MissingInput {
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(|text| Self::parse(text.to_owned()))
    }
}

impl ToColumn for JobId {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_str().to_column()
    }
}

impl FromColumn for JobId {
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        Self::parse(text).ok_or_else(|| unknown(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_word_of_its_type_is_an_error() {
        let check = |text: &str, status: bool, id: bool| {
            let value = ValueRef::Text(text.as_bytes());
            assert_eq!(ActionStatus::from_column(value).is_ok(), status, "{text}");
            assert_eq!(JobId::from_column(value).is_ok(), id, "{text}");
        };
        check("WAITING", true, false);
        check("waiting", false, false);
        check("0000000-1-oozie-oozi-C", false, true);
        check("", false, false);
        assert!(Timestamp::from_column(ValueRef::Text(b"1")).is_err());
        assert!(ActionStatus::from_column(ValueRef::Null).is_err());
    }
}

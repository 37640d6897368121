//! Conversions between howdah's types and columns: keys, times, ids, statuses and payloads of deliveries.
//!
//! Must not depend on tables. A text that is no word of its type (a damaged row, a newer program) is an error, never a
//! default.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::model::alert::AlertEvent;
use crate::model::cpu_time::CpuTime;
use crate::model::delivery::Payload;
use crate::model::id::JobId;
use crate::model::job_status::JobStatus;
use crate::model::missing_input::MissingInput;
use crate::model::node_type::NodeType;
use crate::model::origin::Origin;
use crate::model::row::{
    AttemptKey, AttemptState, BundleKey, CoordinatorKey, DeliveryKey, DeliveryState, DocumentKey, EventKey,
    IncidentKey, IncidentState, SlaKey, TakeoverKey, WorkflowKey,
};
use crate::model::status::{ActionStatus, Execution, NodeStatus, SlaEvent, SlaStatus, SlaSubject, WorkflowStatus};
use crate::model::time::Timestamp;

macro_rules! key_columns {
    ($($name:ident),*) => {
        $(
            impl ToSql for $name {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    self.0.to_sql()
                }
            }

            impl FromSql for $name {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
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
            impl ToSql for $name {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    self.as_str().to_sql()
                }
            }

            impl FromSql for $name {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
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

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.seconds().into())
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self::from_seconds)
    }
}

impl ToSql for CpuTime {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.seconds().into())
    }
}

impl FromSql for CpuTime {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_f64().map(Self::from_seconds)
    }
}

impl ToSql for Payload {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text =
            serde_json::to_string(self).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}

impl FromSql for Payload {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map_err(|error| FromSqlError::Other(error.into()))
    }
}

impl ToSql for MissingInput {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_str().to_sql()
    }
}

impl FromSql for MissingInput {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(|text| Self::parse(text.to_owned()))
    }
}

impl ToSql for JobId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_str().to_sql()
    }
}

impl FromSql for JobId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
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
            assert_eq!(ActionStatus::column_result(value).is_ok(), status, "{text}");
            assert_eq!(JobId::column_result(value).is_ok(), id, "{text}");
        };
        check("WAITING", true, false);
        check("waiting", false, false);
        check("0000000-1-oozie-oozi-C", false, true);
        check("", false, false);
        assert!(Timestamp::column_result(ValueRef::Text(b"1")).is_err());
        assert!(ActionStatus::column_result(ValueRef::Null).is_err());
    }
}

//! Conversions between howdah's types and columns: keys, times, ids, statuses and payloads of deliveries.
//!
//! Must not depend on tables. A text that is no word of its type (a damaged row, a newer program) is an error, never a
//! default.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::model::cpu_time::CpuTime;
use crate::model::delivery::Payload;
use crate::model::id::JobId;
use crate::model::job_status::JobStatus;
use crate::model::missing_input::MissingInput;
use crate::model::node_type::NodeType;
use crate::model::origin::Origin;
use crate::model::status::{ActionStatus, Execution, NodeStatus, SlaEvent, SlaStatus, SlaSubject, WorkflowStatus};
use crate::model::time::Timestamp;

macro_rules! keys {
    ($($(#[$meta:meta])* $name:ident;)*) => {
        $(
            $(#[$meta])*
            ///
            /// The default (0) means a row that is not stored yet.
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub(crate) struct $name(pub(super) i64);

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

keys! {
    /// Key of a text in `document`.
    DocumentKey;
    /// Key of a row in `coordinator_job`.
    CoordinatorKey;
    /// Key of a row in `workflow_job`.
    WorkflowKey;
    /// Key of a row in `bundle_job`.
    BundleKey;
    /// Key of a row in `attempt`.
    AttemptKey;
    /// Key of a row in `event`; later events have larger keys.
    EventKey;
    /// Key of a row in `delivery`; later ones have larger keys.
    DeliveryKey;
    /// Key of a row in `sla`.
    SlaKey;
}

#[cfg(test)]
impl DeliveryKey {
    /// A key of which only the order matters.
    pub(crate) const fn from_number(number: i64) -> Self {
        Self(number)
    }
}

impl DocumentKey {
    /// The key as a number, for a JSON list of included files.
    pub(crate) const fn number(self) -> i64 {
        self.0
    }

    /// The key that [`Self::number`] gave.
    pub(crate) const fn from_number(number: i64) -> Self {
        Self(number)
    }
}

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
    super::attempt::AttemptState,
    super::delivery::DeliveryState
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
        check("0000000-1-howdah-C", false, true);
        check("", false, false);
        assert!(Timestamp::column_result(ValueRef::Text(b"1")).is_err());
        assert!(ActionStatus::column_result(ValueRef::Null).is_err());
    }

    #[test]
    fn a_document_key_survives_json() {
        assert_eq!(DocumentKey::from_number(DocumentKey(7).number()), DocumentKey(7));
    }
}

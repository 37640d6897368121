//! How the values of views are written in JSON: times in the notation of this process, statuses as Oozie's words.
//!
//! For `#[serde(serialize_with = ..)]`. A view holds the value itself; only here and in `output` it becomes text.

use std::fmt::Display;

use serde::Serializer;

use howdah_engine::format;
use howdah_words::model::row::{AttemptState, DeliveryState};
use howdah_words::model::time::Timestamp;

/// Writes a time.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
pub fn time<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format::time(*at))
}

/// Writes a time, or null.
#[expect(clippy::ref_option, reason = "serde hands in a reference")]
pub(crate) fn time_or_null<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => time(at, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes a time to the second.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
pub fn second<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format::time_with_seconds(*at))
}

/// Writes a time to the second, or null.
#[expect(clippy::ref_option, reason = "serde hands in a reference")]
pub(crate) fn second_or_null<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => second(at, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes what has one wording, such as a status.
pub fn word<W: Display, S: Serializer>(word: &W, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(word)
}

/// Writes what has one wording, or null.
#[expect(clippy::ref_option, reason = "serde hands in a reference")]
pub(crate) fn word_or_null<W: Display, S: Serializer>(word: &Option<W>, serializer: S) -> Result<S::Ok, S::Error> {
    match word {
        Some(word) => serializer.collect_str(word),
        None => serializer.serialize_none(),
    }
}

/// Writes the state of an attempt.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
pub(crate) fn attempt_state<S: Serializer>(state: &AttemptState, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.as_str())
}

/// Writes the state of a delivery.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
pub(crate) fn delivery_state<S: Serializer>(state: &DeliveryState, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.as_str())
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::json;

    use super::*;
    use howdah_words::model::job_status::JobStatus;

    #[derive(Serialize)]
    struct View {
        #[serde(serialize_with = "time")]
        at: Timestamp,
        #[serde(serialize_with = "time_or_null")]
        until: Option<Timestamp>,
        #[serde(serialize_with = "word")]
        status: JobStatus,
        #[serde(serialize_with = "word_or_null")]
        former: Option<JobStatus>,
    }

    #[test]
    fn times_and_statuses_are_written_as_people_read_them() {
        let (at, status) = (
            Timestamp::from_seconds(59),
            JobStatus::Running { hold: howdah_words::model::job_status::JobHold::Free, with_error: true },
        );
        let (until, former) = (Some(at + 1), Some(JobStatus::PREP));
        let full = json!({
            "at": "1970-01-01T00:00Z", "until": "1970-01-01T00:01Z", "status": "RUNNINGWITHERROR", "former": "PREP"
        });
        assert_eq!(json!(View { at, until, status, former }), full);
        let empty = json!(View { at, until: None, status, former: None });
        assert_eq!((&empty["until"], &empty["former"]), (&json!(null), &json!(null)));
    }
}

//! What a registration promised and what the result is, as people and programs see it.

use howdah_oozie::sla::machine::SlaMachine as _;
use serde::Serialize;

use crate::format::{in_words, time};
use howdah_words::model::row::SlaSummary;
use howdah_words::model::time::{MINUTE, Timestamp};

/// A registration under the names of Oozie's REST interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlaSummaryView {
    pub id: String,
    pub parent_id: Option<String>,
    pub app_name: String,
    pub app_type: String,
    pub user: String,
    pub job_status: String,
    pub sla_status: String,
    /// Separated by commas, in the order in which they were recorded.
    pub event_status: String,
    /// `Enabled` or `Disabled`.
    pub sla_alert_status: String,
    pub nominal_time: String,
    pub expected_start: Option<String>,
    pub actual_start: Option<String>,
    /// Minutes; below zero when it was early.
    pub(crate) start_delay: Option<i64>,
    pub expected_end: String,
    pub actual_end: Option<String>,
    /// Minutes.
    pub(crate) end_delay: Option<i64>,
    /// Milliseconds.
    pub expected_duration: Option<i64>,
    /// Milliseconds.
    pub actual_duration: Option<i64>,
    /// Minutes.
    pub(crate) duration_delay: Option<i64>,
    pub last_modified: String,
}

/// Returns a registration as people and programs see it.
pub fn summary_view(summary: &SlaSummary) -> SlaSummaryView {
    let row = &summary.registration;
    let took = row.actual_duration();
    let delay = |expected: Option<Timestamp>, actual: Option<Timestamp>| {
        expected.zip(actual).map(|(expected, actual)| (actual - expected) / MINUTE)
    };
    let words: Vec<&str> = summary.events.iter().map(|event| event.as_str()).collect();
    SlaSummaryView {
        id: summary.id.clone(),
        parent_id: summary.parent_id.clone(),
        app_name: row.app_name.clone(),
        app_type: row.subject.to_string(),
        user: row.user.clone(),
        job_status: row.job_status.clone(),
        sla_status: row.status.to_string(),
        event_status: words.join(","),
        sla_alert_status: if row.alerts_disabled { "Disabled" } else { "Enabled" }.to_owned(),
        nominal_time: time(row.nominal_at),
        expected_start: row.expected_start_at.map(time),
        actual_start: row.actual_start_at.map(time),
        start_delay: delay(row.expected_start_at, row.actual_start_at),
        expected_end: time(row.expected_end_at),
        actual_end: row.actual_end_at.map(time),
        end_delay: delay(Some(row.expected_end_at), row.actual_end_at),
        expected_duration: row.expected_seconds.map(|seconds| seconds * 1000),
        actual_duration: took.map(|seconds| seconds * 1000),
        duration_delay: row.expected_seconds.zip(took).map(|(expected, took)| (took - expected) / MINUTE),
        last_modified: time(row.modified_at),
    }
}

impl SlaSummaryView {
    /// Returns the SLA in one line: its status, what was recorded, what is still expected.
    pub fn line(&self) -> String {
        let mut parts = vec![self.sla_status.clone()];
        if !self.event_status.is_empty() {
            parts.push(self.event_status.replace(',', ", "));
        }
        let decided = |promise: &str| self.event_status.contains(promise);
        if let Some(start) = self.expected_start.as_deref().filter(|_| self.actual_end.is_none() && !decided("START")) {
            parts.push(format!("should start by {start}"));
        }
        if self.actual_end.is_none() && !decided("END") {
            parts.push(format!("should end by {}", self.expected_end));
        }
        if let Some(longest) = self.expected_duration.filter(|_| self.actual_end.is_none() && !decided("DURATION")) {
            parts.push(format!("should take at most {}", in_words(longest / 1000)));
        }
        if self.sla_alert_status == "Disabled" {
            parts.push("no alerts".to_owned());
        }
        parts.join("; ")
    }
}

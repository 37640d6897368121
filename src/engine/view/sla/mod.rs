//! `sla list`, and the SLA of one action, workflow job or node for `info` and `explain`.
//!
//! Says what the latest tick recorded: what is late is found by ticks, not by looking.

pub(crate) mod filter;

use serde::Serialize;

use crate::engine::view::Look;
use crate::engine::words::{in_words, time};
use crate::error::Result;
use crate::model::time::{MINUTE, Timestamp};
use crate::store::{ActionKey, Page, SlaFilter, SlaSummary, WorkflowKey};

/// A registration under the names of Oozie's REST interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SlaSummaryView {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) app_name: String,
    pub(crate) app_type: String,
    pub(crate) user: String,
    pub(crate) job_status: String,
    pub(crate) sla_status: String,
    /// Separated by commas, in the order in which they were recorded.
    pub(crate) event_status: String,
    /// `Enabled` or `Disabled`.
    pub(crate) sla_alert_status: String,
    pub(crate) nominal_time: String,
    pub(crate) expected_start: Option<String>,
    pub(crate) actual_start: Option<String>,
    /// Minutes; below zero when it was early.
    pub(crate) start_delay: Option<i64>,
    pub(crate) expected_end: String,
    pub(crate) actual_end: Option<String>,
    /// Minutes.
    pub(crate) end_delay: Option<i64>,
    /// Milliseconds.
    pub(crate) expected_duration: Option<i64>,
    /// Milliseconds.
    pub(crate) actual_duration: Option<i64>,
    /// Minutes.
    pub(crate) duration_delay: Option<i64>,
    pub(crate) last_modified: String,
}

/// A page of registrations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SlaListView {
    pub(crate) total: u32,
    pub(crate) offset: u32,
    pub(crate) len: u32,
    pub(crate) sla_summary_list: Vec<SlaSummaryView>,
}

/// A registration as people and programs see it.
pub(crate) fn summary_view(summary: &SlaSummary) -> SlaSummaryView {
    let row = &summary.registration;
    let took = row.actual_start_at.zip(row.actual_end_at).map(|(start, end)| end - start);
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
    /// The SLA in one line: its status, what was recorded, what is still to come.
    pub(crate) fn line(&self) -> String {
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

impl Look<'_> {
    /// A page of the registrations that match, by nominal time.
    pub(crate) fn sla_list(&self, filter: &SlaFilter, page: Page) -> Result<SlaListView> {
        let (rows, total) = self.snapshot.sla_page(filter, page)?;
        let views = rows.iter().map(summary_view).collect();
        Ok(SlaListView { total, offset: page.offset + 1, len: page.len, sla_summary_list: views })
    }

    /// What is promised of an action; `None` when its definition promises nothing.
    pub(crate) fn sla_of(&self, action: ActionKey) -> Result<Option<SlaSummaryView>> {
        let Some(registration) = self.snapshot.sla_of_action(action)? else { return Ok(None) };
        self.snapshot.sla_summary(registration.sla).map(|summary| Some(summary_view(&summary)))
    }

    /// What is promised of a workflow job, or of one of its nodes; `None` when its definition promises nothing.
    pub(crate) fn sla_of_workflow(&self, job: WorkflowKey, node: Option<&str>) -> Result<Option<SlaSummaryView>> {
        let registrations = self.snapshot.sla_of_workflow(job)?;
        let found = registrations.into_iter().find(|registration| registration.node.as_deref() == node);
        found.map(|found| self.snapshot.sla_summary(found.sla).map(|summary| summary_view(&summary))).transpose()
    }

    /// What is promised of a workflow job, or of one of its nodes, in one line for an explanation.
    pub(crate) fn sla_reason(&self, job: WorkflowKey, node: Option<&str>) -> Result<Option<String>> {
        Ok(self.sla_of_workflow(job, node)?.map(|summary| format!("SLA: {}", summary.line())))
    }

    /// What is promised of an action, in one line.
    pub(crate) fn sla_line(&self, action: ActionKey) -> Result<Option<String>> {
        Ok(self.sla_of(action)?.map(|summary| summary.line()))
    }
}

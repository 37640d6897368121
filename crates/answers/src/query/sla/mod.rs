//! `sla list`, and the SLA of one action, workflow job or node for `info` and `explain`.
//!
//! Says what the latest tick recorded: what is late is found by ticks, not by looking.

pub mod filter;

use serde::Serialize;

use crate::query::context::Query;
use howdah_engine::sla::summary::{SlaSummaryView, summary_view};
use howdah_store::{Page, SlaFilter};
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, WorkflowKey};

/// A page of registrations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlaListView {
    pub total: u32,
    pub offset: u32,
    pub len: u32,
    pub sla_summary_list: Vec<SlaSummaryView>,
}

impl Query<'_> {
    /// A page of the registrations that match, by nominal time.
    pub fn sla_list(&self, filter: &SlaFilter, page: Page) -> Result<SlaListView> {
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
    pub fn sla_of_workflow(&self, job: WorkflowKey, node: Option<&str>) -> Result<Option<SlaSummaryView>> {
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

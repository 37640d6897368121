//! The jobs between which places are shared fairly.

use howdah_words::model::row::{CoordinatorKey, WorkflowKey};

/// The jobs that count as one when places are shared: all workflow jobs of one coordinator, or a single workflow job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Coordinator(CoordinatorKey),
    Workflow(WorkflowKey),
}

impl Family {
    /// Returns the family of a workflow job.
    pub fn of(job: WorkflowKey, parent: Option<CoordinatorKey>) -> Self {
        parent.map_or(Self::Workflow(job), Self::Coordinator)
    }
}

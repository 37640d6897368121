//! Names that events and nodes of workflow jobs are stored with.

/// The name of the runner in events.
pub(crate) const ORIGIN: &str = "runner";

/// The kind of the nodes that run a workflow job of their own.
pub(crate) const SUB_WORKFLOW: &str = "sub-workflow";

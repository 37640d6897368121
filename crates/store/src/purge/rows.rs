//! The rows that belong to a job, in the order in which they can be deleted: a row that refers to another one comes
//! first.
//!
//! Each text follows `DELETE FROM`, so that a purge deletes exactly the rows that a dry run counts.

/// The kind of rows, for the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Bundles,
    Coordinators,
    Actions,
    Workflows,
    Nodes,
    Attempts,
    Events,
    Deliveries,
    Sla,
    /// Rows that only add details to another row.
    Details,
}

/// Rows of one table.
pub(super) struct Rows {
    pub(super) kind: Kind,
    /// The table and the condition.
    pub(super) of: &'static str,
}

macro_rules! rows {
    ($($kind:ident: $of:literal,)*) => {
        &[$(Rows { kind: Kind::$kind, of: $of },)*]
    };
}

/// The rows of the workflow jobs in the JSON list `:jobs`.
pub(super) const OF_WORKFLOWS: &[Rows] = rows![
    Events: "event WHERE workflow_job IN (SELECT value FROM json_each(:jobs))",
    Deliveries: "delivery WHERE workflow_job IN (SELECT value FROM json_each(:jobs))",
    Sla: "sla WHERE workflow_job IN (SELECT value FROM json_each(:jobs))",
    Details: "workflow_hold WHERE workflow_job IN (SELECT value FROM json_each(:jobs))",
    Details: "workflow_notification WHERE job IN (SELECT value FROM json_each(:jobs))",
    Details: "incident WHERE workflow_job IN (SELECT value FROM json_each(:jobs))",
    Details: "alert WHERE workflow_job IN (SELECT value FROM json_each(:jobs))",
    Attempts: "attempt WHERE job IN (SELECT value FROM json_each(:jobs))",
    Nodes: "workflow_node WHERE job IN (SELECT value FROM json_each(:jobs))",
    Workflows: "workflow_job WHERE job IN (SELECT value FROM json_each(:jobs))",
];

/// The rows of the coordinator `:job` that may be many, at most `:limit` of them.
pub(super) const PARTS_OF_COORDINATOR: &[Rows] = rows![
    Events: "event WHERE event IN (SELECT event FROM event WHERE coordinator_job = :job LIMIT :limit)",
    Deliveries: "delivery WHERE delivery IN (SELECT delivery FROM delivery WHERE coordinator_job = :job LIMIT :limit)",
    Sla: "sla WHERE sla IN (SELECT sla FROM sla WHERE coordinator_job = :job LIMIT :limit)",
    Actions: "coordinator_action WHERE job = :job AND number IN (
        SELECT number FROM coordinator_action WHERE job = :job ORDER BY number LIMIT :limit)",
];

/// The ranges of actions of the coordinator `:job`, which are few.
pub(super) const RANGES_OF_COORDINATOR: &str = "coordinator_action_range WHERE job = :job";

/// The other rows of the coordinator `:job`.
pub(super) const OF_COORDINATOR: &[Rows] = rows![
    Details: "coordinator_count WHERE job = :job",
    Details: "coordinator_notification WHERE job = :job",
    Details: "incident WHERE coordinator_job = :job",
    Details: "alert WHERE coordinator_job = :job",
    Details: "coordinator_trouble WHERE job = :job",
    Details: "coordinator_output WHERE job = :job",
    Details: "bundle_coordinator WHERE coordinator_job = :job",
    Details: "coordinator_definition WHERE job = :job",
    Coordinators: "coordinator_job WHERE job = :job",
];

/// The rows of the bundle `:job`.
pub(super) const OF_BUNDLE: &[Rows] = rows![
    Events: "event WHERE bundle_job = :job",
    Deliveries: "delivery WHERE bundle_job = :job",
    Details: "incident WHERE bundle_job = :job",
    Details: "alert WHERE bundle_job = :job",
    Details: "bundle_coordinator WHERE bundle = :job",
    Bundles: "bundle_job WHERE job = :job",
];

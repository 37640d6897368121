//! New databases and realistic rows for the tests of this folder.

use tempfile::TempDir;

use super::{Birth, NewActions, OpenMode, Store, Transaction};
use howdah_testing::rows::coordinator_job;
use howdah_words::error::Result;
use howdah_words::model::id::JobKind;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::node_type::{ActionKind, NodeType};
use howdah_words::model::row::{
    ActionKey, BundleJob, BundleKey, CoordinatorDefinition, CoordinatorJob, Includes, WorkflowJob, WorkflowKey,
    WorkflowNode,
};
use howdah_words::model::status::{ActionStatus, Execution, NodeStatus, WorkflowStatus};
use howdah_words::model::time::{HOUR, Timestamp};

/// 2026-11-20T09:30:00Z.
pub(super) const NOW: Timestamp = Timestamp::from_seconds(1_795_167_000);

pub(super) fn create() -> OpenMode {
    OpenMode::Create(Birth::at(NOW, 123))
}

/// A new database in a folder of its own.
pub(super) fn fresh() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("howdah.db"), &create()).unwrap();
    (folder, store)
}

/// Stores a running coordinator job with its first definition.
pub(super) fn coordinator(transaction: &Transaction<'_>) -> Result<CoordinatorJob> {
    let mut job = CoordinatorJob {
        id: transaction.next_job_id(JobKind::Coordinator)?,
        acl: Some("ops".to_owned()),
        created_at: NOW,
        modified_at: NOW,
        start_at: NOW,
        end_at: NOW + 24 * HOUR,
        pause_at: Some(NOW + 12 * HOUR),
        time_zone: "Europe/Vienna".to_owned(),
        execution: Execution::LastOnly,
        next_materialized_at: Some(NOW + HOUR),
        due_at: Some(NOW),
        ..coordinator_job(JobStatus::RUNNING)
    };
    let key = transaction.insert_coordinator_job(&mut job)?;
    let definition = CoordinatorDefinition {
        job: key,
        version: 1,
        created_at: NOW,
        definition: transaction.store_document("<coordinator-app/>")?,
        configuration: transaction.store_document("{}")?,
        includes: Includes::default(),
    };
    transaction.insert_coordinator_definition(&definition, &[])?;
    Ok(job)
}

/// Stores a bundle job that waits for its kick-off time.
pub(super) fn bundle(transaction: &Transaction<'_>) -> Result<BundleJob> {
    let mut job = BundleJob {
        job: BundleKey::default(),
        id: transaction.next_job_id(JobKind::Bundle)?,
        name: "nightly".to_owned(),
        user: "ada".to_owned(),
        group_name: None,
        acl: Some("ops".to_owned()),
        app_path: "file:///apps/nightly".to_owned(),
        status: JobStatus::PREP,
        created_at: NOW,
        modified_at: NOW,
        kickoff_at: Some(NOW),
        started_at: None,
        pause_at: None,
        end_at: None,
        suspended_at: None,
        ended_at: None,
        definition: transaction.store_document("<bundle-app/>")?,
        configuration: transaction.store_document("{}")?,
        due_at: Some(NOW),
    };
    transaction.insert_bundle_job(&mut job)?;
    Ok(job)
}

/// Stores hourly waiting actions, starting with `first`.
pub(super) fn actions(transaction: &Transaction<'_>, first: ActionKey, len: u32) -> Result<()> {
    let hour = |number: u32| NOW + HOUR * i64::from(number);
    let nominal_at: Vec<Timestamp> = (first.number..first.number + len).map(hour).collect();
    transaction.insert_actions(&NewActions {
        first,
        nominal_at: &nominal_at,
        created_at: NOW,
        status: ActionStatus::Waiting,
        definition_version: 1,
        timeout_minutes: 120,
    })
}

/// Stores a running workflow job without a parent.
pub(super) fn workflow(transaction: &Transaction<'_>) -> Result<WorkflowJob> {
    let mut job = WorkflowJob {
        job: WorkflowKey::default(),
        id: transaction.next_job_id(JobKind::Workflow)?,
        name: "load".to_owned(),
        app_path: "file:///apps/load".to_owned(),
        user: "ada".to_owned(),
        group_name: Some("ops".to_owned()),
        status: WorkflowStatus::Running,
        run: 0,
        parent_coordinator: None,
        parent_action: None,
        parent_workflow: None,
        parent_node: None,
        depth: 0,
        created_at: NOW,
        started_at: Some(NOW + 1),
        ended_at: None,
        modified_at: NOW + 2,
        definition: transaction.store_document("<workflow-app/>")?,
        configuration: transaction.store_document("{}")?,
        instance: Some("{\"at\":[\"load\"]}".to_owned()),
        external_id: Some("outside".to_owned()),
        error_code: None,
        error_message: None,
    };
    transaction.insert_workflow_job(&mut job)?;
    Ok(job)
}

/// A running node, not stored yet.
pub(super) fn node(job: WorkflowKey, name: &str, sequence: u32) -> WorkflowNode {
    WorkflowNode {
        run: 1,
        sequence,
        status: NodeStatus::Running,
        started_at: Some(NOW),
        user_retry_count: 2,
        ..WorkflowNode::new(job, name, NodeType::Action(ActionKind::Shell))
    }
}

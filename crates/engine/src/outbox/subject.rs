//! The subject of a delivery, as users name it.

use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::id::Target;
use howdah_words::model::row::Delivery;

/// Returns the id of a delivery's subject, as users name it.
pub fn subject(snapshot: &Snapshot, delivery: &Delivery) -> Result<String> {
    let coordinator = delivery.coordinator_job.map(|job| snapshot.coordinator_job_at(job)).transpose()?.flatten();
    let workflow = delivery.workflow_job.map(|job| snapshot.workflow_job_at(job)).transpose()?.flatten();
    let bundle = delivery.bundle_job.map(|job| snapshot.bundle_job_at(job)).transpose()?.flatten();
    let id = coordinator.map(|job| job.id).or(workflow.map(|job| job.id)).or(bundle.map(|job| job.id));
    let target = id.map(|id| match (delivery.action_number, &delivery.node) {
        (Some(number), _) => Target::CoordinatorAction(id, number),
        (None, Some(node)) => Target::Node(id, node.clone()),
        (None, None) => Target::Job(id),
    });
    Ok(target.map(|target| target.to_string()).unwrap_or_default())
}

//! What a bundle job would do: when it starts, and which coordinators it submits.

use serde::Serialize;

use super::view::DryJob;
use crate::bundle::BundleCoordinator;
use crate::check::dryrun::job;
use crate::engine::format::time;
use crate::engine::submit::bundle::PreparedBundleJob;
use crate::model::Properties;
use crate::model::time::Timestamp;

/// A bundle job as it would be stored; under Oozie's names for other programs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DryBundle {
    #[serde(rename = "bundleJobName")]
    pub(crate) name: String,
    #[serde(rename = "bundleJobPath")]
    pub(crate) path: String,
    /// `None`: at once.
    #[serde(rename = "kickoffTime")]
    pub(crate) kick_off: Option<String>,
    #[serde(rename = "conf")]
    pub(crate) configuration: Properties,
    /// In document order, those that are not enabled included.
    #[serde(rename = "bundleCoordJobs")]
    pub(crate) coordinators: Vec<DryBundleCoordinator>,
}

/// A coordinator that a bundle names.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DryBundleCoordinator {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) enabled: bool,
    /// As it would be submitted now; `None` when it is refused or not enabled.
    #[serde(rename = "coordJob")]
    pub(crate) job: Option<DryJob>,
}

/// What a prepared bundle would do.
pub(crate) fn bundle(job: &PreparedBundleJob, now: Timestamp) -> DryBundle {
    let bundle = &job.prepared.bundle;
    let coordinator = |named: &BundleCoordinator| DryBundleCoordinator {
        name: named.name.clone(),
        path: named.app_path.clone(),
        enabled: named.enabled,
        job: job
            .members
            .iter()
            .find(|member| member.name == named.name)
            .and_then(|member| Some(job::job(member.coordinator.as_ref()?, now))),
    };
    DryBundle {
        name: bundle.name.clone(),
        path: job.app_path.clone(),
        kick_off: bundle.kick_off.map(time),
        configuration: job.prepared.configuration.clone(),
        coordinators: bundle.coordinators.iter().map(coordinator).collect(),
    }
}

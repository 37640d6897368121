//! Computes what a bundle job would do: when it starts, and which coordinators it submits.

use serde::Serialize;

use super::view::DryJob;
use crate::check::dryrun::job;
use howdah_engine::format::time;
use howdah_engine::submit::bundle::PreparedBundleJob;
use howdah_oozie::bundle::BundleCoordinator;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// A bundle job as it would be stored, with Oozie's names for other programs.
#[derive(Clone, Debug, Serialize)]
pub struct DryBundle {
    #[serde(rename = "bundleJobName")]
    pub name: String,
    #[serde(rename = "bundleJobPath")]
    pub path: String,
    /// `None`: immediately.
    #[serde(rename = "kickoffTime")]
    pub kick_off: Option<String>,
    #[serde(rename = "conf")]
    pub configuration: Properties,
    /// In document order, including those that are not enabled.
    #[serde(rename = "bundleCoordJobs")]
    pub coordinators: Vec<DryBundleCoordinator>,
}

/// A coordinator that a bundle names.
#[derive(Clone, Debug, Serialize)]
pub struct DryBundleCoordinator {
    pub name: String,
    pub path: String,
    pub enabled: bool,
    /// The coordinator as it would be submitted now; `None` when it is refused or not enabled.
    #[serde(rename = "coordJob")]
    pub job: Option<DryJob>,
}

/// Describes what a prepared bundle would do.
pub fn bundle(job: &PreparedBundleJob, now: Timestamp) -> DryBundle {
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

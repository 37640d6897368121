//! What an action gets when it starts: its application, its job, the site and the machine.

use std::collections::BTreeMap;
use std::path::Path;

use crate::host::located::{Base, Located};
use crate::host::mounts::Mounts;
use crate::model::Properties;
use crate::model::time::Timestamp;

/// What an action is started with.
#[derive(Clone, Debug)]
pub(crate) struct ActionContext<'a> {
    /// Where other stores are on this machine.
    pub(crate) mounts: &'a Mounts,
    /// The application: its folder, in which relative `file` entries are found, and its store.
    pub(crate) application: &'a Base,
    /// The entries of `lib/` and of `oozie.libpath`.
    pub(crate) library: &'a [Located],
    /// The attempt's own working folder; created by the shim.
    pub(crate) directory: &'a Path,
    /// The user's home folder.
    pub(crate) home: &'a Path,
    /// The settings of the site.
    pub(crate) site: &'a Properties,
    /// The id of the workflow job.
    pub(crate) job_id: &'a str,
    /// The name of the node.
    pub(crate) node: &'a str,
    /// The number of the run of the job.
    pub(crate) run: u32,
    /// A text that cannot be guessed. It identifies the work of the action on other machines.
    pub(crate) token: &'a str,
    /// The user of the job.
    pub(crate) user: &'a str,
    /// The configuration of the job.
    pub(crate) job_configuration: &'a Properties,
    /// The environment that commands inherit.
    pub(crate) environment: &'a BTreeMap<String, String>,
    /// The action's effective configuration (decision W12); with its own limits.
    pub(crate) configuration: &'a Properties,
    /// The site files of the cluster that the action names; empty for an action that does not get them.
    pub(crate) cluster: &'a Properties,
    /// `oozie.action.fs.glob.max`: most files that one pattern may match.
    pub(crate) glob_max: usize,
    /// `oozie.action.max.output.data`: most bytes of captured output.
    pub(crate) output_max: usize,
    /// `oozie.action.subworkflow.max.depth`.
    pub(crate) depth_max: u32,
    /// When the action is started.
    pub(crate) now: Timestamp,
}

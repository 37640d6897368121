//! What an action gets when it starts: its application, its job, the site and the machine.

use std::collections::BTreeMap;
use std::path::Path;

use howdah_host::located::{Base, Located};
use howdah_host::mounts::Mounts;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// What an action is started with.
#[derive(Clone, Debug)]
pub struct ActionContext<'a> {
    /// Where other stores are on this machine.
    pub mounts: &'a Mounts,
    /// The application: its folder, in which relative `file` entries are found, and its store.
    pub application: &'a Base,
    /// The entries of `lib/` and of `oozie.libpath`.
    pub library: &'a [Located],
    /// The attempt's own working folder; created by the shim.
    pub directory: &'a Path,
    /// The user's home folder.
    pub home: &'a Path,
    /// The settings of the site.
    pub site: &'a Properties,
    /// The id of the workflow job.
    pub job_id: &'a str,
    /// The name of the node.
    pub node: &'a str,
    /// The number of the run of the job.
    pub run: u32,
    /// A text that cannot be guessed. It identifies the work of the action on other machines.
    pub token: &'a str,
    /// The user of the job.
    pub user: &'a str,
    /// The configuration of the job.
    pub job_configuration: &'a Properties,
    /// The environment that commands inherit.
    pub environment: &'a BTreeMap<String, String>,
    /// The action's effective configuration (decision W12); with its own limits.
    pub configuration: &'a Properties,
    /// The site files of the cluster that the action names; empty for an action that does not get them.
    pub cluster: &'a Properties,
    /// `oozie.action.fs.glob.max`: most files that one pattern may match.
    pub glob_max: usize,
    /// `oozie.action.max.output.data`: most bytes of captured output.
    pub output_max: usize,
    /// `oozie.action.subworkflow.max.depth`.
    pub depth_max: u32,
    /// When the action is started.
    pub now: Timestamp,
}

//! What expressions of a workflow can read: the job, its nodes, and the outside where the caller provides it.
//!
//! Only data and two traits; the engine fills them in.

use crate::el::CallError;
use crate::model::Properties;
use crate::model::time::Timestamp;

/// What is known of a node of this run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeFacts {
    /// The target of the node's transition; `*` for a fork.
    pub(crate) transition: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) external_status: Option<String>,
    pub(crate) tracker_uri: Option<String>,
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
    /// The captured output.
    pub(crate) data: Properties,
    /// The counters: a JSON object of groups, each an object of numbers.
    pub(crate) stats: Option<String>,
}

/// Looks up nodes of the run.
pub(crate) trait Nodes {
    /// Returns what is known of a node that has ended; `None` for any other name.
    fn facts(&self, node: &str) -> Option<NodeFacts>;
}

/// What is outside of the job: files, partitions of a metastore, a cluster's configuration. A refusal is a sentence for
/// the user; a separate error (H0113) says that the machine cannot know at present.
pub(crate) trait Outside {
    /// Returns whether a path, or a path that matches the pattern, exists.
    fn exists(&self, path: &str) -> Result<bool, CallError>;
    /// Returns whether the path is a directory; false when it is missing.
    fn is_dir(&self, path: &str) -> Result<bool, CallError>;
    /// Returns the bytes of a file; -1 when it is missing, 0 for a directory.
    fn file_size(&self, path: &str) -> Result<i64, CallError>;
    /// Returns the bytes of the files directly in a directory; -1 when it is missing or a file.
    fn dir_size(&self, path: &str) -> Result<i64, CallError>;
    /// Returns the bytes of a block of the file system; -1 when the path is missing.
    fn block_size(&self, path: &str) -> Result<i64, CallError>;
    /// Returns whether the partitions of a `hcat:` URI exist.
    fn has_partition(&self, uri: &str) -> Result<bool, CallError>;
    /// Returns a property of the configuration of the cluster at `authority` (`host:port`); empty when it has none of
    /// that name.
    fn cluster_property(&self, authority: &str, name: &str) -> Result<String, CallError>;
}

/// The job in which an expression is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct WorkflowContext<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) app_path: &'a str,
    pub(crate) user: &'a str,
    pub(crate) group: Option<&'a str>,
    /// The number of the run, starting at 0.
    pub(crate) run: u32,
    /// The job's properties.
    pub(crate) conf: &'a Properties,
    pub(crate) nodes: &'a dyn Nodes,
    /// The last node of this run that ended as ERROR.
    pub(crate) last_error_node: Option<&'a str>,
    pub(crate) now: Timestamp,
    /// Minutes by which the processing time zone is ahead of UTC.
    pub(crate) offset_minutes: i64,
    /// The id of the node's action, for `wf:callback`; empty where there is no action.
    pub(crate) action: &'a str,
    /// The address of Oozie's callbacks, for `wf:callback`.
    pub(crate) callback: &'a str,
    /// Without it there are no `fs:` functions, no `hcat:exists` and no `hadoop:conf`.
    pub(crate) outside: Option<&'a dyn Outside>,
}

impl<'a> WorkflowContext<'a> {
    /// Returns the context of a job of which nothing is known but its properties, at the epoch.
    pub(crate) fn unknown(conf: &'a Properties) -> Self {
        Self {
            id: "",
            name: "",
            app_path: "",
            user: "",
            group: None,
            run: 0,
            conf,
            nodes: &NothingKnown,
            last_error_node: None,
            now: Timestamp::EPOCH,
            offset_minutes: 0,
            action: "",
            callback: "",
            outside: Some(&NothingKnown),
        }
    }
}

/// A context in which no node has run and nothing exists, for checks before any run.
pub(crate) struct NothingKnown;

impl Nodes for NothingKnown {
    fn facts(&self, _node: &str) -> Option<NodeFacts> {
        None
    }
}

impl Outside for NothingKnown {
    fn exists(&self, _path: &str) -> Result<bool, CallError> {
        Ok(false)
    }

    fn is_dir(&self, _path: &str) -> Result<bool, CallError> {
        Ok(false)
    }

    fn file_size(&self, _path: &str) -> Result<i64, CallError> {
        Ok(-1)
    }

    fn dir_size(&self, _path: &str) -> Result<i64, CallError> {
        Ok(-1)
    }

    fn block_size(&self, _path: &str) -> Result<i64, CallError> {
        Ok(-1)
    }

    fn has_partition(&self, _uri: &str) -> Result<bool, CallError> {
        Ok(false)
    }

    fn cluster_property(&self, _authority: &str, _name: &str) -> Result<String, CallError> {
        Ok(String::new())
    }
}

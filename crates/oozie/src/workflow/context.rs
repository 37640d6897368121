//! What expressions of a workflow can read: the job, its nodes, and the outside where the caller provides it.
//!
//! Only data and two traits; the engine fills them in.

use howdah_el::CallError;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// What is known of a node of this run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts {
    /// The target of the node's transition; `*` for a fork.
    pub transition: Option<String>,
    pub external_id: Option<String>,
    pub external_status: Option<String>,
    pub tracker_uri: Option<String>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    /// The captured output.
    pub data: Properties,
    /// The counters: a JSON object of groups, each an object of numbers.
    pub stats: Option<String>,
}

/// Looks up nodes of the run.
pub trait Nodes {
    /// Returns what is known of a node that has ended; `None` for any other name.
    fn facts(&self, node: &str) -> Option<NodeFacts>;
}

/// What is outside of the job: files, partitions of a metastore, a cluster's configuration. A refusal is a sentence for
/// the user; a separate error (H0113) says that the machine cannot know at present.
pub trait Outside {
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
pub struct WorkflowContext<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub app_path: &'a str,
    pub user: &'a str,
    pub group: Option<&'a str>,
    /// The number of the run, starting at 0.
    pub run: u32,
    /// The job's properties.
    pub conf: &'a Properties,
    pub nodes: &'a dyn Nodes,
    /// The last node of this run that ended as ERROR.
    pub last_error_node: Option<&'a str>,
    pub now: Timestamp,
    /// Minutes by which the processing time zone is ahead of UTC.
    pub offset_minutes: i64,
    /// The id of the node's action, for `wf:callback`; empty where there is no action.
    pub action: &'a str,
    /// The address of Oozie's callbacks, for `wf:callback`.
    pub callback: &'a str,
    /// Without it there are no `fs:` functions, no `hcat:exists` and no `hadoop:conf`.
    pub outside: Option<&'a dyn Outside>,
}

impl<'a> WorkflowContext<'a> {
    /// Returns the context of a job of which nothing is known but its properties, at the epoch.
    pub fn unknown(conf: &'a Properties) -> Self {
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
pub struct NothingKnown;

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

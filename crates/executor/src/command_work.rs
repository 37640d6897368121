//! A command with what it needs before it runs, as the shim reads it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::end_rule::Ending;
use crate::file_operation::{FileOperation, Limits};
use crate::remote_jobs::cluster::Elsewhere;
use howdah_host::command::CommandLine;
use howdah_host::located::Located;

/// File operations with their bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileWork {
    pub(super) operations: Vec<FileOperation>,
    pub(super) limits: Limits,
}

/// A command with what it needs before it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandWork {
    /// Deletions and new folders before the command.
    pub(super) prepare: FileWork,
    /// Links in the working folder: name to target.
    pub(super) links: BTreeMap<String, Located>,
    /// Folders of the working folder that an archive is unpacked into: name to archive.
    pub(super) archives: BTreeMap<String, Located>,
    /// Files written into the working folder: name, or path in it, to content.
    pub(super) files: BTreeMap<String, String>,
    /// Files of the working folder that are written from several files, in their order: name to files.
    #[serde(default)]
    pub(super) joined: BTreeMap<String, Vec<Located>>,
    /// The command.
    pub(super) line: CommandLine,
    /// The links that are programs, made executable if they are not.
    pub(super) shipped_programs: BTreeSet<String>,
    /// Help for the message when the program cannot be started.
    pub(super) advice: Option<String>,
    /// What the shim runs after the command was killed, to end what it has started on other machines.
    pub(super) on_kill: Vec<CommandLine>,
    /// Where the jobs that it starts run; `None` when it does its work itself.
    #[serde(default)]
    pub(super) elsewhere: Option<Elsewhere>,
    /// How its end is read.
    pub(super) ending: Ending,
}

//! Removes from the folder of an attempt what only its work needed, once the work has ended well and its outcome is
//! written.
//!
//! What is left are the files of the protocol and the output. The order keeps what is needed to read the outcome again,
//! so a restored database concludes the same from the folder. A failure to remove something changes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::executor::command_work::CommandWork;
use crate::executor::element;
use crate::executor::work::{Task, Work};
use crate::host::attempt;
use crate::host::deletion::Clearing;
use crate::host::files;
use crate::host::found::Found;
use crate::host::metadata;

/// The longest order that is kept as it is, in bytes. With the claim and the outcome an attempt has less than 8 KiB.
const LONGEST_ORDER: u64 = 6 << 10;

/// The longest element of an action that stays in a shortened order, in bytes; a longer one has a file of its own.
const LONGEST_ELEMENT: usize = 3 << 10;

/// What a working folder has besides the files of the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Staged {
    directory: PathBuf,
    /// The entries of the folder that howdah made.
    names: BTreeSet<String>,
}

impl Staged {
    /// Returns what `task` puts into its working folder.
    pub(super) fn of(task: &Task) -> Self {
        task.command().map(Self::of_command).unwrap_or_default()
    }

    fn of_command(work: &CommandWork) -> Self {
        let names = work.links.keys().chain(work.archives.keys()).chain(work.files.keys()).chain(work.joined.keys());
        let entry = |name: &String| name.split('/').next().unwrap_or_default().to_owned();
        Self { directory: work.line.directory.clone(), names: names.map(entry).collect() }
    }

    /// Removes it from the folder of an attempt that has ended well, with the working folder when that becomes empty;
    /// then the parts of the order that nothing needs any more.
    pub(super) fn remove(&self, folder: &Path) {
        // A command may have put a link in its place, and what that leads to is not this folder.
        let is_own = matches!(metadata::of_link(&self.directory), Found::Present(found) if found.is_dir());
        if is_own && self.directory.starts_with(folder) {
            if let Ok(Some(clearing)) = Clearing::open(&self.directory) {
                for name in &self.names {
                    let _ = clearing.delete(name);
                }
            }
            let _ = files::remove_empty_folder(&self.directory);
        }
        shorten_order(folder);
    }
}

/// Replaces a long order by a short one. An order that another user has written (root, for the user of the job) cannot
/// be replaced and stays.
fn shorten_order(folder: &Path) {
    if attempt::order_length(folder).is_none_or(|length| length <= LONGEST_ORDER) {
        return;
    }
    let Ok(Ok(work)) = attempt::read_work::<Work>(folder) else { return };
    let mut over = work.over();
    // It is on the disk before the order that no longer has it.
    if over.body.len() > LONGEST_ELEMENT && element::write(folder, &over.body).is_ok() {
        over.body = String::new();
    }
    let _ = attempt::replace_work(folder, &over);
}

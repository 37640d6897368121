//! Removes from the folder of an attempt what only its work needed, once the work has ended well and its outcome is
//! written.
//!
//! What is left are the files of the protocol and the output. The order keeps what is needed to read the outcome again,
//! so a restored database concludes the same from the folder. A failure to remove something changes nothing.
//!
//! The shim does most of it. Some is left to the runner, which does it once the outcome is in the database: only root
//! may shorten the order that root wrote for another user, and only the runner knows that it submits nothing to a
//! cluster any more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::command_work::CommandWork;
use crate::element;
use crate::work::{Task, Work};
use howdah_host::attempt;
use howdah_host::deletion::Clearing;
use howdah_host::files;
use howdah_host::found::Found;
use howdah_host::{handover, metadata};

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
    /// Those of them that are links: a command may have put a file of its own in the place of one.
    links: BTreeSet<String>,
}

impl Staged {
    /// Returns what `task` puts into its working folder.
    pub(super) fn of(task: &Task) -> Self {
        task.command().map(Self::of_command).unwrap_or_default()
    }

    fn of_command(work: &CommandWork) -> Self {
        let names = work.links.keys().chain(work.archives.keys()).chain(work.files.keys()).chain(work.joined.keys());
        let entry = |name: &String| name.split('/').next().unwrap_or_default().to_owned();
        let links = work.links.keys().filter(|name| !name.contains('/') && !work.shipped_programs.contains(*name));
        let directory = work.line.directory.clone();
        Self { directory, names: names.map(entry).collect(), links: links.cloned().collect() }
    }

    /// Removes it from the folder of an attempt that has ended well, with the working folder when that becomes empty;
    /// then the parts of the order that nothing needs any more.
    pub(super) fn remove(&self, folder: &Path) {
        // A command may have put a link in its place, and what that leads to is not this folder.
        let is_own = matches!(metadata::of_link(&self.directory), Found::Present(found) if found.is_dir());
        if is_own && self.directory.starts_with(folder) {
            if let Ok(Some(clearing)) = Clearing::open(&self.directory) {
                for name in self.names.iter().filter(|name| self.is_as_made(name)) {
                    let _ = clearing.delete(name);
                }
            }
            let _ = files::remove_empty_folder(&self.directory);
        }
        shorten_order(folder);
    }

    /// Whether an entry is still of the kind that howdah made.
    fn is_as_made(&self, name: &str) -> bool {
        let found = || metadata::of_link(&self.directory.join(name));
        !self.links.contains(name) || matches!(found(), Found::Present(found) if found.is_symlink())
    }
}

/// Does what the shim of an attempt has left to the runner, after a good end that is in the database.
pub fn tidy_recorded(folder: &Path) {
    if handover::is_handed_over(folder) {
        shorten_order(folder);
    }
    attempt::forget_cluster_job(folder);
}

/// Replaces a long order by a short one. The owner of the folder could replace the order that root wrote for it, but
/// root would no longer trust it, and the attempt would be lost.
fn shorten_order(folder: &Path) {
    let is_long = attempt::order_length(folder).is_some_and(|length| length > LONGEST_ORDER);
    if !is_long || !attempt::is_own_order(folder) {
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

//! What is at a path, for a person who wants to see what howdah sees. Decides nothing, and nothing is decided by it.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::Located;
use super::remote::Remote;
use crate::file_store::{Entry, Summary};
use crate::found::is_absence;
use crate::{looks, user_table};
use howdah_words::error::Result;

impl Located {
    /// What is at the path; `None` when nothing is there for certain. H0110, H0113.
    pub fn inspect(&self) -> Result<Option<Entry>> {
        let answer = self.there().and_then(|remote| match remote {
            None => entry_here(&self.path),
            Some(remote) => remote.stat(),
        });
        answer.map_err(|error| self.cannot_read(&error))
    }

    /// What is in the folder, by name; `None` when the path is no folder. H0110, H0113.
    pub fn inspect_entries(&self) -> Result<Option<Vec<(Self, Entry)>>> {
        if !self.inspect()?.is_some_and(|entry| entry.is_folder) {
            return Ok(None);
        }
        let listed = self.there().and_then(|remote| match remote {
            None => entries_here(&self.path),
            Some(remote) => remote.list(),
        });
        let mut entries = listed.map_err(|error| self.cannot_read(&error))?;
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Some(entries.into_iter().map(|entry| (self.entry(entry.name.as_ref()), entry)).collect()))
    }

    /// What is below the path, as a server counts it; `None` on this machine, and when nothing is there. H0110, H0113.
    pub fn summary(&self) -> Result<Option<Summary>> {
        let answer = self.there().and_then(|remote| remote.map_or(Ok(None), |remote| remote.summary()));
        answer.map_err(|error| self.cannot_read(&error))
    }
}

impl Remote<'_> {
    fn list(&self) -> io::Result<Vec<Entry>> {
        Ok(self.store.list(self.path)?.unwrap_or_default())
    }

    fn summary(&self) -> io::Result<Option<Summary>> {
        self.store.summary(self.path)
    }
}

fn entry_here(path: &Path) -> io::Result<Option<Entry>> {
    match looks::metadata(path) {
        Err(error) if is_absence(&error) => Ok(None),
        found => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(Some(entry_of(name, &found?)))
        }
    }
}

fn entries_here(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in looks::read_dir(folder)? {
        let entry = entry?.0;
        let name = entry.file_name().to_string_lossy().into_owned();
        // A link to nothing is shown as itself.
        let found = looks::metadata(&entry.path()).or_else(|_| looks::symlink_metadata(&entry.path()))?;
        entries.push(entry_of(name, &found));
    }
    Ok(entries)
}

fn entry_of(name: String, found: &Metadata) -> Entry {
    let owner = user_table::numbered(found.uid()).ok().flatten();
    let group = user_table::group_numbered(found.gid()).ok().flatten();
    Entry {
        name,
        is_folder: found.is_dir(),
        length: if found.is_dir() { 0 } else { found.len() },
        modified: Some(found.mtime() * 1000 + found.mtime_nsec() / 1_000_000),
        mode: Some(found.mode() & 0o7777),
        owner: owner.map_or_else(|| found.uid().to_string(), |owner| owner.name),
        group: group.unwrap_or_else(|| found.gid().to_string()),
        replication: 0,
    }
}

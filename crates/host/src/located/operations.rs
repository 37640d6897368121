//! Operations on the files of a job. On this machine each is one step of `files`, `tree`, `glob`, `archive` or
//! `deletion`; on a server one of `remote`. Decides nothing but that.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::remote::{Remote, RemoteTarget};
use super::{Change, Kind, Located, MetastoreData, Reach};
use crate::deletion::{self, TargetFacts};
use crate::files::Entry;
use crate::found::cannot_read;
use crate::glob::{self, GlobError};
use crate::mounts::Mounts;
use crate::{archive, files, folders, tree};
use howdah_words::error::{Error, ErrorCode, Result};

/// Something that may be deleted, held so that the deletion meets what was found.
#[derive(Debug)]
pub enum Target {
    Here(deletion::Target),
    There(RemoteTarget),
}

impl Target {
    /// What was found.
    pub const fn facts(&self) -> &TargetFacts {
        match self {
            Self::Here(target) => target.facts(),
            Self::There(target) => target.facts(),
        }
    }

    /// Deletes it with its content; `false` when it is gone already. H0123.
    pub fn delete(self) -> Result<bool> {
        match self {
            Self::Here(target) => target.delete(),
            Self::There(target) => target.delete(),
        }
    }
}

impl MetastoreData {
    /// Drops it with its files; what does not exist is no failure. Returns a sentence when the metastore cannot be
    /// asked or refuses.
    #[cfg(feature = "hcat")]
    pub fn drop_data(&self) -> std::result::Result<(), String> {
        crate::metastore::drop_data(&self.uri)
    }

    /// Without the feature no metastore can be asked.
    #[cfg(not(feature = "hcat"))]
    pub fn drop_data(&self) -> std::result::Result<(), String> {
        let why = "this howdah was built without the feature hcat and cannot ask the metastore of";
        Err(format!("{why} [{}]", self.uri))
    }
}

impl Located {
    /// The server that has it, connected with the rights of this thread; `None` on this machine.
    pub(super) fn there(&self) -> io::Result<Option<Remote<'_>>> {
        Remote::of(self)
    }

    /// H0110 or H0113 for what cannot be queried or read.
    pub(super) fn cannot_read(&self, error: &io::Error) -> Error {
        cannot_read(Path::new(self.place().as_ref()), error)
    }

    /// The kind of what the path names.
    pub fn kind(&self) -> io::Result<Kind> {
        match self.there()? {
            None => tree::kind(&self.path),
            Some(remote) => remote.kind(),
        }
    }

    /// What is at the path; `None` when nothing is there. H0110, H0113.
    pub fn look(&self) -> Result<Option<Entry>> {
        if self.here().is_some() {
            return files::look(&self.path);
        }
        Ok(match self.kind().map_err(|error| self.cannot_read(&error))? {
            Kind::Missing => None,
            Kind::File => Some(Entry::File),
            Kind::Directory => Some(Entry::Folder),
        })
    }

    /// Bytes of a file, 0 for a folder; `None` when it does not exist.
    pub fn file_size(&self) -> io::Result<Option<u64>> {
        match self.there()? {
            None => tree::file_size(&self.path),
            Some(remote) => remote.file_size(),
        }
    }

    /// Bytes of a file and, where a server has it, when it was last changed; `None` when it does not exist.
    pub fn file_state(&self) -> io::Result<Option<(u64, Option<i64>)>> {
        match self.there()? {
            None => Ok(tree::file_size(&self.path)?.map(|length| (length, None))),
            Some(remote) => Ok(remote.stat()?.map(|entry| (entry.length, entry.modified))),
        }
    }

    /// Bytes of all files directly in a folder; `None` when there is no such folder.
    pub fn size_of_entries(&self) -> io::Result<Option<u64>> {
        match self.there()? {
            None => tree::size_of_entries(&self.path),
            Some(remote) => remote.size_of_entries(),
        }
    }

    /// The permission bits.
    pub fn mode(&self) -> io::Result<u32> {
        match self.there()? {
            None => tree::mode(&self.path),
            Some(remote) => remote.mode(),
        }
    }

    /// Whether the file can be executed where it is linked to: what a server has is copied, and the copy is a program.
    pub fn is_executable(&self) -> io::Result<bool> {
        self.here().map_or(Ok(true), tree::is_executable)
    }

    /// The existing paths that the pattern names, at most `limit`.
    pub fn expand(&self, limit: usize) -> std::result::Result<Vec<Self>, GlobError> {
        let pattern = self.path.to_string_lossy();
        let found = match self.there()? {
            None => glob::expand(&pattern, limit, &glob::ThisMachine)?,
            Some(remote) => glob::expand(&pattern, limit, &remote)?,
        };
        Ok(found.into_iter().map(|path| self.found(path)).collect())
    }

    /// The entries of a folder in the order of their names; none when there is no such folder. H0110, H0113.
    pub fn entries(&self) -> Result<Vec<Self>> {
        let remote = self.there().map_err(|error| self.cannot_read(&error))?;
        let paths = match remote {
            None => files::list(&self.path)?,
            Some(remote) => remote.entries().map_err(|error| self.cannot_read(&error))?,
        };
        Ok(paths.into_iter().map(|path| self.found(path)).collect())
    }

    /// Changes the mode or the group of what the path names, and of as much below it as `reach` says; no link below it
    /// is followed.
    pub fn change(&self, reach: Reach, change: Change<'_>) -> io::Result<()> {
        match (self.there()?, change) {
            (Some(remote), _) => remote.change(reach, change),
            (None, Change::Mode(mode)) => tree::change::change(&self.path, reach, tree::change::Change::Mode(mode)),
            (None, Change::Group { number, .. }) => {
                let number = number.ok_or(io::ErrorKind::InvalidInput)?;
                tree::change::change(&self.path, reach, tree::change::Change::Group(number))
            }
        }
    }

    /// Sets how many copies of a file are kept; a folder stays as it is. `Unsupported` on this machine.
    pub fn set_replication(&self, copies: u16) -> io::Result<()> {
        match self.there()? {
            None => {
                let text = "files of this machine have no replication factor";
                Err(io::Error::new(io::ErrorKind::Unsupported, text))
            }
            Some(remote) => remote.set_replication(copies),
        }
    }

    /// Creates a folder with its parents.
    pub fn create_folders(&self) -> io::Result<()> {
        match self.there()? {
            None => folders::create_folders(&self.path),
            Some(remote) => remote.create_folders(),
        }
    }

    /// Creates an empty file with its folders, or sets the times of an existing one to now.
    pub fn touch(&self) -> io::Result<()> {
        match self.there()? {
            None => tree::touch(&self.path),
            Some(remote) => remote.touch(),
        }
    }

    /// Renames it to another path of the same file system, or of the same server.
    pub fn rename(&self, to: &Self) -> io::Result<()> {
        match self.there()? {
            None if to.server.is_none() => tree::rename(&self.path, &to.path),
            None => Err(io::ErrorKind::CrossesDevices.into()),
            Some(remote) => remote.rename(to),
        }
    }

    /// Makes the new entries of its folder survive a crash of this machine.
    pub fn sync_parent(&self) -> io::Result<()> {
        self.here().map_or(Ok(()), files::sync_parent)
    }

    /// Creates an empty file of this machine, or empties it.
    pub fn create(&self) -> io::Result<File> {
        match self.here() {
            Some(path) => files::create(path),
            None => Err(io::ErrorKind::CrossesDevices.into()),
        }
    }

    /// Opens a regular file from byte `start` on.
    pub fn open(&self, start: u64) -> io::Result<Box<dyn Read + Send>> {
        match self.there()? {
            None => {
                let mut file = files::open_regular(&self.path)?;
                file.seek(SeekFrom::Start(start))?;
                Ok(Box::new(file))
            }
            Some(remote) => remote.open(start),
        }
    }

    /// The first `limit` bytes of a regular file, or fewer if it is shorter.
    pub fn read_start(&self, limit: u64) -> io::Result<Vec<u8>> {
        match self.there()? {
            None => files::read_start(&self.path, limit),
            Some(remote) => remote.read_start(limit),
        }
    }

    /// The text of a file. H0110 also when it is larger than `limit`, H0112, H0113.
    pub fn read_text(&self, limit: u64) -> Result<String> {
        if self.here().is_some() {
            return files::read_text(&self.path, limit);
        }
        let bytes = self.read_start(limit.saturating_add(1)).map_err(|error| self.cannot_read(&error))?;
        if bytes.len() as u64 > limit {
            let why = io::Error::other(format!("it is larger than {limit} bytes"));
            return Err(self.cannot_read(&why));
        }
        files::decode(&self.uri, bytes)
    }

    /// Creates the link `link` to this path, in the folder of an attempt; copies what a server has.
    pub fn link_as(&self, link: &Path) -> io::Result<()> {
        match self.there()? {
            None => folders::link(&self.path, link),
            Some(remote) => remote.fetch(link, 0o700),
        }
    }

    /// Copies the file into the folder of an attempt, as a program.
    pub fn copy_as_program(&self, to: &Path) -> io::Result<()> {
        match self.there()? {
            None => tree::copy_as_program(&self.path, to),
            Some(remote) => remote.fetch(to, 0o700),
        }
    }

    /// Copies the file into the folder of an attempt, with access for the owner only.
    pub fn copy_for_owner(&self, to: &Path) -> io::Result<()> {
        match self.there()? {
            None => tree::copy_for_owner(&self.path, to),
            Some(remote) => remote.fetch(to, 0o600),
        }
    }

    /// Unpacks the archive into the folder of an attempt; `false` when `stop` ended it early.
    pub fn unpack(&self, to: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
        match self.there()? {
            None => archive::unpack(&self.path, to, stop),
            Some(remote) => remote.unpack(to, stop),
        }
    }

    /// Copies the content of a folder of an attempt to this path; `false` when `stop` ended it early.
    pub fn take_copy_of(&self, from: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
        match self.there()? {
            None => tree::copy_over(from, &self.path, stop),
            Some(remote) => remote.take_copy_of(from, stop),
        }
    }

    /// Refuses (H0123) a path that must not be removed.
    pub fn check_removable(&self, mounts: &Mounts) -> Result<()> {
        match &self.server {
            None => deletion::check(&self.path, mounts).map(drop),
            Some(_) => super::removable::check_removable(self, mounts),
        }
    }

    /// Deletes it with its content; `false` when it does not exist. H0123.
    pub fn delete(&self, mounts: &Mounts) -> Result<bool> {
        self.find_target(mounts, &[])?.map_or(Ok(false), Target::delete)
    }

    /// What a deletion would remove; `None` when it does not exist. H0123 also for a path that is, contains, or lies in
    /// one of `kept`, which are paths of this machine.
    pub fn find_target(&self, mounts: &Mounts, kept: &[PathBuf]) -> Result<Option<Target>> {
        match &self.server {
            None => Ok(deletion::Target::find(&self.path, mounts, kept)?.map(Target::Here)),
            Some(_) => Ok(RemoteTarget::find(self, mounts)?.map(Target::There)),
        }
    }

    /// Moves it into the trash and keeps its path there; adds a number when the name is in use. The trash is in `home`,
    /// or in the user's home of the server.
    pub fn move_to_trash(&self, home: &Path, mounts: &Mounts) -> Result<()> {
        if self.server.is_some() {
            return super::remote::move_to_trash(self, mounts);
        }
        let Some(real) = deletion::check(&self.path, mounts)? else { return Ok(()) };
        let trash = home.join(".Trash/Current");
        let target = trash.join(real.strip_prefix("/").unwrap_or(&real));
        let refuse = |error: io::Error| deletion::not_done(&self.path, &error);
        folders::create_folders(target.parent().unwrap_or(&trash)).map_err(refuse)?;
        let numbered = |number: u32| PathBuf::from(format!("{}.{number}", target.display()));
        let is_free = |path: &PathBuf| matches!(tree::kind(path), Ok(Kind::Missing));
        let free = std::iter::once(target.clone()).chain((1..10_000).map(numbered)).find(is_free);
        let full = || Error::with(ErrorCode::H0123, &[&self.path.display(), &"the trash has no free name for it"]);
        tree::rename(&real, &free.ok_or_else(full)?).map_err(refuse)
    }
}

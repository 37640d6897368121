//! Operations on the files of a job: each is one step of `files`, `tree`, `glob`, `archive` or `deletion` on a located
//! path. Decides nothing.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{Change, Kind, Located, MetastoreData, Reach};
use crate::error::{Error, ErrorCode, Result};
use crate::host::deletion::{self, Target};
use crate::host::glob::{self, GlobError};
use crate::host::mounts::Mounts;
use crate::host::{archive, files, folders, tree};

impl MetastoreData {
    /// Drops it with its files; what does not exist is no failure. Returns a sentence when the metastore cannot be
    /// asked or refuses.
    #[cfg(feature = "hcat")]
    pub(crate) fn drop_data(&self) -> std::result::Result<(), String> {
        crate::host::metastore::drop_data(&self.uri)
    }

    /// Without the feature no metastore can be asked.
    #[cfg(not(feature = "hcat"))]
    pub(crate) fn drop_data(&self) -> std::result::Result<(), String> {
        let why = "this howdah was built without the feature hcat and cannot ask the metastore of";
        Err(format!("{why} [{}]", self.uri))
    }
}

impl Located {
    /// The kind of what the path names.
    pub(crate) fn kind(&self) -> io::Result<Kind> {
        tree::kind(&self.local)
    }

    /// Bytes of a file, 0 for a folder; `None` when it does not exist.
    pub(crate) fn file_size(&self) -> io::Result<Option<u64>> {
        tree::file_size(&self.local)
    }

    /// Bytes of all files directly in a folder; `None` when there is no such folder.
    pub(crate) fn size_of_entries(&self) -> io::Result<Option<u64>> {
        tree::size_of_entries(&self.local)
    }

    /// The permission bits.
    pub(crate) fn mode(&self) -> io::Result<u32> {
        tree::mode(&self.local)
    }

    /// Whether any user may execute the file.
    pub(crate) fn is_executable(&self) -> io::Result<bool> {
        tree::is_executable(&self.local)
    }

    /// The existing paths that the pattern names, at most `limit`.
    pub(crate) fn expand(&self, limit: usize) -> std::result::Result<Vec<Self>, GlobError> {
        let found = glob::expand(&self.local.to_string_lossy(), limit)?;
        Ok(found.into_iter().map(|path| self.found(path)).collect())
    }

    /// The entries of a folder.
    pub(crate) fn entries(&self) -> Result<Vec<Self>> {
        Ok(files::list(&self.local)?.into_iter().map(|path| self.found(path)).collect())
    }

    /// Changes the mode or the group of what the path names, and of as much below it as `reach` says; no link below it
    /// is followed.
    pub(crate) fn change(&self, reach: Reach, change: Change) -> io::Result<()> {
        tree::change::change(&self.local, reach, change)
    }

    /// Creates a folder with its parents.
    pub(crate) fn create_folders(&self) -> io::Result<()> {
        folders::create_folders(&self.local)
    }

    /// Creates an empty file with its folders, or sets the times of an existing one to now.
    pub(crate) fn touch(&self) -> io::Result<()> {
        tree::touch(&self.local)
    }

    /// Sets the permission bits.
    #[cfg(test)]
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        tree::set_mode(&self.local, mode)
    }

    /// Renames it to another path on the same file system.
    pub(crate) fn rename(&self, to: &Self) -> io::Result<()> {
        tree::rename(&self.local, &to.local)
    }

    /// Makes the new entries of its folder survive a crash of the machine.
    pub(crate) fn sync_parent(&self) -> io::Result<()> {
        files::sync_parent(&self.local)
    }

    /// Creates an empty file, or empties it.
    pub(crate) fn create(&self) -> io::Result<File> {
        files::create(&self.local)
    }

    /// Opens a regular file.
    pub(crate) fn open_regular(&self) -> io::Result<File> {
        files::open_regular(&self.local)
    }

    /// The text of a file.
    pub(crate) fn read_text(&self, limit: u64) -> Result<String> {
        files::read_text(&self.local, limit)
    }

    /// Creates the link `link` to this path, in the folder of an attempt.
    pub(crate) fn link_as(&self, link: &Path) -> io::Result<()> {
        folders::link(&self.local, link)
    }

    /// Copies the file into the folder of an attempt, as a program.
    pub(crate) fn copy_as_program(&self, to: &Path) -> io::Result<()> {
        tree::copy_as_program(&self.local, to)
    }

    /// Copies the file into the folder of an attempt, with access for the owner only.
    pub(crate) fn copy_for_owner(&self, to: &Path) -> io::Result<()> {
        tree::copy_for_owner(&self.local, to)
    }

    /// Unpacks the archive into the folder of an attempt; `false` when `stop` ended it early.
    pub(crate) fn unpack(&self, to: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
        archive::unpack(&self.local, to, stop)
    }

    /// Copies the content of a folder of an attempt to this path; `false` when `stop` ended it early.
    pub(crate) fn take_copy_of(&self, from: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
        tree::copy_over(from, &self.local, stop)
    }

    /// Refuses (H0123) a path that must not be removed.
    pub(crate) fn check_removable(&self, mounts: &Mounts) -> Result<()> {
        deletion::check(&self.local, mounts).map(drop)
    }

    /// Deletes it with its content; `false` when it does not exist. H0123.
    pub(crate) fn delete(&self, mounts: &Mounts) -> Result<bool> {
        deletion::delete_tree(&self.local, mounts)
    }

    /// What a deletion would remove; `None` when it does not exist. H0123 also for a path that is, contains, or lies in
    /// one of `kept`.
    pub(crate) fn find_target(&self, mounts: &Mounts, kept: &[PathBuf]) -> Result<Option<Target>> {
        Target::find(&self.local, mounts, kept)
    }

    /// Moves it into the trash of a home folder and keeps its path there; adds a number when the name is in use.
    pub(crate) fn move_to_trash(&self, home: &Path, mounts: &Mounts) -> Result<()> {
        let Some(real) = deletion::check(&self.local, mounts)? else { return Ok(()) };
        let trash = home.join(".Trash/Current");
        let target = trash.join(real.strip_prefix("/").unwrap_or(&real));
        let refuse = |error: io::Error| deletion::not_done(&self.local, &error);
        folders::create_folders(target.parent().unwrap_or(&trash)).map_err(refuse)?;
        let numbered = |number: u32| PathBuf::from(format!("{}.{number}", target.display()));
        let is_free = |path: &PathBuf| matches!(tree::kind(path), Ok(Kind::Missing));
        let free = std::iter::once(target.clone()).chain((1..10_000).map(numbered)).find(is_free);
        let full = || Error::with(ErrorCode::H0123, &[&self.local.display(), &"the trash has no free name for it"]);
        tree::rename(&real, &free.ok_or_else(full)?).map_err(refuse)
    }
}

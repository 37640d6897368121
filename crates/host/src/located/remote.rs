//! Operations on the files of a job that a server has.
//!
//! Each is one or a few calls of [`FileStore`]. Changes nothing outside of what the site lets howdah write, and deletes
//! nothing that `removable` does not allow.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::removable::{check_removable, not_done, not_writable, refuse};
use super::{Change, Kind, Located, Reach};
use crate::clock::Stopwatch;
use crate::deletion::{TargetFacts, What};
use crate::fault::failing_point;
use crate::file_store::{Entry, Existing, FileStore, Holder, PART, StoreAddress, StoreError};
use crate::found::{Verdict, cannot_read, verdict};
use crate::mounts::Mounts;
use crate::{archive, files, folders, glob, looks};
use howdah_words::error::Result;

/// Folders below a server's folder are nested no deeper than this when all of them are changed or copied.
const DEEPEST: usize = 256;

/// A path of a server, and the connection to it with the rights of this thread.
pub(super) struct Remote<'a> {
    pub(super) store: Arc<dyn FileStore>,
    address: &'a StoreAddress,
    pub(super) path: &'a str,
}

impl<'a> Remote<'a> {
    /// Connects to the server that has a path; `None` when this machine has it.
    pub(super) fn of(place: &'a Located) -> io::Result<Option<Self>> {
        let Some(address) = place.server() else { return Ok(None) };
        let path = place.path().to_str().ok_or_else(|| {
            StoreError::refused(io::ErrorKind::InvalidFilename, "the name of a file on a server must be UTF-8")
        })?;
        Ok(Some(Self { store: address.connect()?, address, path }))
    }

    pub(super) fn stat(&self) -> io::Result<Option<Entry>> {
        self.store.stat(self.path)
    }

    fn existing(&self) -> io::Result<Entry> {
        self.stat()?.ok_or_else(|| StoreError::absent("it does not exist"))
    }

    pub(super) fn kind(&self) -> io::Result<Kind> {
        Ok(match self.stat()? {
            None => Kind::Missing,
            Some(entry) if entry.is_folder => Kind::Directory,
            Some(_) => Kind::File,
        })
    }

    pub(super) fn file_size(&self) -> io::Result<Option<u64>> {
        Ok(self.stat()?.map(|entry| entry.length))
    }

    pub(super) fn size_of_entries(&self) -> io::Result<Option<u64>> {
        let entries = match self.store.list(self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
            entries => entries?,
        };
        Ok(entries.map(|entries| entries.iter().map(|entry| entry.length).sum()))
    }

    pub(super) fn mode(&self) -> io::Result<u32> {
        self.existing()?.mode.ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    pub(super) fn entries(&self) -> io::Result<Vec<PathBuf>> {
        let entries = self.store.list(self.path)?.unwrap_or_default();
        let finished = entries.iter().filter(|entry| !entry.name.starts_with(PART));
        let mut paths: Vec<PathBuf> = finished.map(|entry| below(self.path, &entry.name).into()).collect();
        paths.sort();
        Ok(paths)
    }

    /// Refuses a path that the site does not let howdah write.
    fn check_writable(&self, path: &str) -> io::Result<()> {
        if self.address.may_write(path) { Ok(()) } else { Err(not_writable()) }
    }

    pub(super) fn change(&self, reach: Reach, change: Change<'_>) -> io::Result<()> {
        self.check_writable(self.path)?;
        if self.store.holder(self.path)? == Holder::Table {
            // What is in the links would be changed before the folder itself is refused.
            let text = "it is a folder of the mount table, which cannot be changed";
            return Err(StoreError::refused(io::ErrorKind::PermissionDenied, text));
        }
        let apply = |path: &str| match change {
            Change::Mode(mode) => self.store.set_mode(path, mode),
            Change::Group { name, .. } => self.store.set_group(path, name),
        };
        let top = self.existing()?;
        if reach != Reach::Itself && top.is_folder {
            self.change_below(self.path, (reach, DEEPEST), &apply)?;
        }
        apply(self.path)
    }

    /// Changes what is in a folder, before the folder itself: the right to enter it is removed last.
    fn change_below(
        &self,
        folder: &str,
        (reach, depth): (Reach, usize),
        apply: &dyn Fn(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
        for entry in self.store.list(folder)?.into_iter().flatten() {
            let path = below(folder, &entry.name);
            if entry.is_folder && reach == Reach::Everything {
                self.change_below(&path, (reach, depth), apply)?;
            }
            apply(&path)?;
        }
        Ok(())
    }

    pub(super) fn set_replication(&self, copies: u16) -> io::Result<()> {
        self.check_writable(self.path)?;
        if self.existing()?.is_folder { Ok(()) } else { self.store.set_replication(self.path, copies) }
    }

    pub(super) fn create_folders(&self) -> io::Result<()> {
        self.check_writable(self.path)?;
        self.store.create_folders(self.path)
    }

    pub(super) fn touch(&self) -> io::Result<()> {
        self.check_writable(self.path)?;
        match self.kind()? {
            Kind::Missing => self.store.write(self.path, &mut io::empty(), Existing::Keep),
            _ => self.store.set_times_to_now(self.path),
        }
    }

    pub(super) fn rename(&self, to: &Located) -> io::Result<()> {
        let target = Remote::of(to)?.filter(|target| target.address.is_same_server(self.address));
        let target = target.ok_or(io::ErrorKind::CrossesDevices)?;
        self.check_writable(self.path)?;
        target.check_writable(target.path)?;
        self.store.rename(self.path, target.path)
    }

    pub(super) fn open(&self, start: u64) -> io::Result<Box<dyn Read + Send>> {
        let mut content = self.store.open(self.path)?;
        io::copy(&mut content.by_ref().take(start), &mut io::sink())?;
        Ok(content)
    }

    pub(super) fn read_start(&self, limit: u64) -> io::Result<Vec<u8>> {
        let (watch, whole) = (Stopwatch::start(), self.address.limits.whole_answer());
        let mut content = self.store.open(self.path)?.take(limit);
        let (mut bytes, mut part) = (Vec::new(), [0; 8 * 1024]);
        loop {
            match content.read(&mut part) {
                Ok(0) => return Ok(bytes),
                Ok(read) => bytes.extend(&part[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if watch.elapsed() > whole {
                let text = format!("{} did not send the file in {} s", self.address.server, whole.as_secs_f32());
                return Err(StoreError::unknown(text));
            }
        }
    }

    /// Copies a file, or a folder with its content, to a path of this machine where nothing exists.
    pub(super) fn fetch(&self, to: &Path, mode: u32) -> io::Result<()> {
        let entry = self.existing()?;
        self.fetch_to(self.path, &entry, to, (mode, DEEPEST))
    }

    fn fetch_to(&self, from: &str, entry: &Entry, to: &Path, (mode, depth): (u32, usize)) -> io::Result<()> {
        if !entry.is_folder {
            return self.fetch_file(from, entry, to, mode);
        }
        let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
        folders::create_folders(to)?;
        for entry in self.store.list(from)?.into_iter().flatten() {
            self.fetch_to(&below(from, &entry.name), &entry, &to.join(&entry.name), (mode, depth))?;
        }
        Ok(())
    }

    fn fetch_file(&self, from: &str, entry: &Entry, to: &Path, mode: u32) -> io::Result<()> {
        let mut content = self.store.open(from)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(to)?;
        let copied = io::copy(&mut content, &mut file)?;
        if copied == entry.length {
            return Ok(());
        }
        // A connection that ends early may look like the end of the file.
        Err(StoreError::unknown(format!("{copied} of {} bytes were read", entry.length)))
    }

    /// Fetches an archive and unpacks it; what is no archive is only fetched.
    pub(super) fn unpack(&self, to: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
        if self.existing()?.is_folder {
            return self.fetch(to, 0o700).map(|()| true);
        }
        // The end of the name says what kind of archive it is.
        let name = Path::new(self.path).file_name().unwrap_or_default().to_string_lossy();
        let fetched = to.with_file_name(format!(".fetched-{name}"));
        self.fetch(&fetched, 0o700)?;
        let unpacked = archive::unpack(&fetched, to, stop);
        match looks::symlink_metadata(to) {
            Ok(found) if found.is_symlink() => fs::rename(&fetched, to)?,
            _ => fs::remove_file(&fetched)?,
        }
        unpacked
    }

    /// Copies the content of a folder of this machine; files replace files of the same name. All of it is looked at
    /// before anything is written: a link, or a name that no server can have, leaves nothing behind.
    pub(super) fn take_copy_of(&self, from: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
        self.check_writable(self.path)?;
        let Some(content) = content_of(from, self.path, stop)? else { return Ok(false) };
        self.store.create_folders(self.path)?;
        for (source, target) in content {
            if stop() {
                return Ok(false);
            }
            match source {
                None => self.store.create_folders(&target)?,
                Some(source) => {
                    let mut content: File = files::open_regular(&source)?;
                    self.store.write(&target, &mut content, Existing::Replace)?;
                }
            }
        }
        Ok(true)
    }
}

/// What is copied: a file, or `None` for a folder, and its path on the server.
type Copied = (Option<PathBuf>, String);

/// What is below a folder of this machine, folders first, with its path below `target`. `None` when `stop` ended it
/// early.
fn content_of(folder: &Path, target: &str, stop: &dyn Fn() -> bool) -> io::Result<Option<Vec<Copied>>> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), target.to_owned())];
    while let Some((from, to)) = folders.pop() {
        for entry in looks::read_dir(&from)? {
            if stop() {
                return Ok(None);
            }
            let (entry, kind) = entry?;
            let name = entry.file_name().into_string().map_err(|name| {
                let text = format!("the name [{}] is not UTF-8", name.to_string_lossy());
                io::Error::new(io::ErrorKind::InvalidFilename, text)
            })?;
            let (kind, target) = (kind?, below(&to, &name));
            if kind.is_dir() {
                found.push((None, target.clone()));
                folders.push((entry.path(), target));
            } else if kind.is_file() {
                found.push((Some(entry.path()), target));
            } else {
                let text = format!("[{}] is no file: a server has no links", entry.path().display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
        }
    }
    Ok(Some(found))
}

impl glob::Folders for Remote<'_> {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.store.stat(&path.to_string_lossy())?.is_some())
    }

    fn names(&self, folder: &Path, each: &mut dyn FnMut(OsString) -> bool) -> io::Result<()> {
        let entries = match self.store.list(&folder.to_string_lossy()) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => None,
            entries => entries?,
        };
        // As with the call, an entry after the last wanted one is not looked at.
        let finished = entries.into_iter().flatten().filter(|entry| !entry.name.starts_with(PART));
        let _ = finished.into_iter().all(|entry| each(entry.name.into()));
        Ok(())
    }
}

/// Something on a server that may be deleted.
#[derive(Debug)]
pub struct RemoteTarget {
    place: Located,
    facts: TargetFacts,
}

impl RemoteTarget {
    /// Finds what is at a path; `None` when it does not exist for certain. H0123 when it must not be deleted, H0110 and
    /// H0113 when the server does not say.
    pub(super) fn find(place: &Located, mounts: &Mounts) -> Result<Option<Self>> {
        check_removable(place, mounts)?;
        let found = failing_point("delete").and_then(|()| Remote::of(place)?.map_or(Ok(None), |remote| remote.stat()));
        let found = found.map_err(|error| match verdict(&error) {
            Verdict::Unknown => cannot_read(Path::new(place.uri()), &error),
            Verdict::Absent | Verdict::Refused => refuse(place, &error),
        })?;
        let what = |entry: &Entry| if entry.is_folder { What::Folder } else { What::File };
        Ok(found.map(|entry| Self {
            place: place.clone(),
            facts: TargetFacts { real: place.uri().into(), what: what(&entry) },
        }))
    }

    pub(super) const fn facts(&self) -> &TargetFacts {
        &self.facts
    }

    /// Deletes it; `false` when it is gone already. H0123.
    pub(super) fn delete(&self) -> Result<bool> {
        let deleted = Remote::of(&self.place).and_then(|remote| match remote {
            Some(remote) => remote.store.delete(remote.path),
            None => Ok(false),
        });
        deleted.map_err(|error| not_done(&self.place, &error))
    }
}

/// Moves it into the trash of the user's home on the server.
pub(super) fn move_to_trash(place: &Located, mounts: &Mounts) -> Result<()> {
    check_removable(place, mounts)?;
    let failed = |error: io::Error| not_done(place, &error);
    // As in Hadoop, each server of a mount table has its own trash.
    let there = place.behind().map_err(failed)?.map_or_else(|| place.clone(), |behind| behind.place);
    let Some(remote) = Remote::of(&there).map_err(failed)? else { return Ok(()) };
    if remote.kind().map_err(failed)? == Kind::Missing {
        return Ok(());
    }
    let store = &remote.store;
    let trash = format!("{}/.Trash/Current{}", store.home().map_err(failed)?, remote.path);
    let above = trash.rsplit_once('/').map_or("/", |(above, _)| above);
    store.create_folders(above).map_err(failed)?;
    for number in 0..10_000 {
        let target = if number == 0 { trash.clone() } else { format!("{trash}.{number}") };
        match store.rename(remote.path, &target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            moved => return moved.map_err(failed),
        }
    }
    Err(refuse(place, &"the trash has no free name for it"))
}

fn too_deep() -> io::Error {
    io::Error::other(format!("folders are nested more than {DEEPEST} deep"))
}

/// The path of an entry of a folder of a server.
fn below(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}

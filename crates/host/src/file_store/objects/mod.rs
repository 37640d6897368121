//! Object stores: S3 and what speaks its protocol, Google Cloud Storage, Azure.
//!
//! Folders are starts of names, as in Hadoop's S3A: a folder is there when an object is in it, or its marker, an empty
//! object whose name ends with a slash. Absent is only what a listing of the bucket does not have. Nothing here is
//! atomic but the appearance of one object: a folder is renamed and deleted object by object, and what was interrupted
//! can be repeated. Modes, groups, copies and times are not kept, and setting them does nothing, as with S3A. Must not
//! depend on what a path means for a job.

mod answer;
mod bucket;
mod content;
mod key;
mod listing;
mod settings;
mod wire;

use std::collections::{BTreeSet, HashSet};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use object_store::{CopyOptions, ObjectStoreExt as _, PutPayload};

use self::bucket::Bucket;
use self::content::Content;
use self::settings::Sources;
use self::wire::Wire;
use super::agent::Agents;
use super::checks::{self, refused};
use super::hadoop_conf::HadoopConf;
use super::store_path::StorePath;
use super::{Entry, Existing, FileStore, MOST_ENTRIES, StoreAddress, StoreError, Summary, Verdict};
use crate::{account, found};

impl Bucket {
    /// Creates the marker of a folder.
    fn mark(&self, folder: &StorePath) -> io::Result<()> {
        let key = key::addressed(&key::of_folder(folder))?;
        self.ask(self.client().put_opts(&key, PutPayload::new(), object_store::PutOptions::default())).map(drop)
    }

    /// Deletes objects by their names, with as few requests as the server allows.
    fn delete_all(&self, keys: &[String]) -> io::Result<()> {
        let mut strange = None;
        let mut many = Vec::new();
        for key in keys {
            match key::address(key) {
                None => strange = Some(key),
                // In the answer to a deletion of many the library reads the names as paths.
                Some(path) if object_store::path::Path::parse(key).is_ok_and(|read| read == path) => {
                    many.push(Ok(path));
                }
                Some(path) => self.ask(self.client().delete(&path))?,
            }
        }
        let mut deleted = self.client().delete_stream(futures_util::stream::iter(many).boxed());
        while let Some(deleted) = self.try_ask(async { Ok(deleted.next().await) })?.unwrap_or_default() {
            match deleted {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(answer::meaning(self.server(), &error)),
            }
        }
        match strange {
            None => Ok(()),
            Some(key) => {
                let text = format!("the object [{}] cannot be deleted: its name cannot be sent", key.escape_debug());
                Err(StoreError::refused(ErrorKind::InvalidInput, text))
            }
        }
    }

    /// Deletes by `delete`, or moves away, what is at a path, and keeps the folder above it, as far as that may be
    /// written. The marker is written first when nothing else keeps the folder: what fails later can be repeated, and
    /// would find nothing at the path. It is looked for afterwards too: all else may have been deleted meanwhile.
    fn keeping_above(&self, path: &StorePath, delete: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let above = path.parent().filter(|above| !above.is_root() && self.may_write(above.as_str()));
        let Some(above) = above else { return delete() };
        if self.is_alone(path, &above)? {
            self.mark(&above)?;
        }
        delete()?;
        if self.entry(&above)?.is_none() { self.mark(&above) } else { Ok(()) }
    }

    /// Refuses a path that has a file above it.
    fn check_above(&self, path: &StorePath) -> io::Result<()> {
        let mut at = path.parent();
        while let Some(above) = at.filter(|above| !above.is_root()) {
            match self.entry(&above)? {
                Some(entry) if entry.is_folder => return Ok(()),
                Some(_) => return Err(refused(ErrorKind::NotADirectory, &above, "is a file")),
                None => at = above.parent(),
            }
        }
        Ok(())
    }

    /// Copies an object or all objects of a folder; returns the names of the sources. When the server refuses a copy,
    /// what was copied is deleted: nothing was at the target before. After an unknown answer the copies stay, for the
    /// rename to be repeated.
    fn copy(&self, (from, entry): (&StorePath, &Entry), to: &StorePath) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        if entry.is_folder {
            let (old, new) = (key::of_folder(from), key::of_folder(to));
            for page in self.pages(&old, false) {
                let pairs = page?.objects.into_iter().filter_map(|object| {
                    let target = format!("{new}{}", object.key.strip_prefix(&old)?);
                    Some((object.key, target))
                });
                names.extend(pairs);
                if names.len() > MOST_ENTRIES {
                    let why = format!("has more than {MOST_ENTRIES} objects, too many to move");
                    return Err(refused(ErrorKind::InvalidInput, from, &why));
                }
            }
        } else {
            names.push((key::of_file(from).to_owned(), key::of_file(to).to_owned()));
        }
        let addresses = names.iter().map(|(old, new)| Ok((key::addressed(old)?, key::addressed(new)?)));
        let addresses: Vec<_> = addresses.collect::<io::Result<_>>()?;
        for (done, (old, new)) in addresses.iter().enumerate() {
            if let Err(error) = self.ask(self.client().copy_opts(old, new, CopyOptions::default())) {
                if found::verdict(&error) != Verdict::Unknown {
                    let copied: Vec<String> = names[..done].iter().map(|(_, new)| new.clone()).collect();
                    // The rename has failed whatever becomes of the copies.
                    let _ = self.delete_all(&copied);
                }
                return Err(error);
            }
        }
        Ok(names.into_iter().map(|(old, _)| old).collect())
    }
}

/// A connection to a bucket, with the keys of one user.
#[derive(Debug)]
pub(super) struct Objects {
    bucket: Arc<Bucket>,
    user: String,
    /// The renames, by their paths, of which an answer was unknown: what is at the target is theirs.
    begun: Mutex<HashSet<(String, String)>>,
}

impl Objects {
    /// The store at an address, for a user. Sends nothing.
    ///
    /// # Errors
    /// A refusal that says what is missing in the address, the site files or the environment.
    pub(super) fn new(address: &StoreAddress, user: &str) -> io::Result<Self> {
        let conf = address.hadoop_folder.as_deref().map(|folder| HadoopConf::read(Path::new(folder))).transpose()?;
        let environment = account::effective_uid() == account::own_uid();
        let wire = Wire::new(&Agents::new(address.limits, true)?);
        let client = settings::client(address, &Sources { conf: conf.as_ref(), environment }, &wire)?;
        let bucket = Arc::new(Bucket::new(client, address)?);
        Ok(Self { bucket, user: user.to_owned(), begun: Mutex::default() })
    }

    /// What is at a path, and the path. `NotFound`.
    fn existing(&self, path: &str) -> io::Result<(StorePath, Entry)> {
        let path = StorePath::of(path)?;
        match self.bucket.entry(&path)? {
            Some(entry) => Ok((path, entry)),
            None => Err(StoreError::absent(format!("[{}] does not exist", path.as_str()))),
        }
    }
}

impl FileStore for Objects {
    fn stat(&self, path: &str) -> io::Result<Option<Entry>> {
        self.bucket.entry(&StorePath::of(path)?)
    }

    fn list(&self, folder: &str) -> io::Result<Option<Vec<Entry>>> {
        self.list_up_to(folder, MOST_ENTRIES)
    }

    fn list_up_to(&self, folder: &str, most: usize) -> io::Result<Option<Vec<Entry>>> {
        let path = StorePath::of(folder)?;
        let (is_there, entries) = self.bucket.entries(&path, most)?;
        if is_there {
            return Ok(Some(entries));
        }
        match self.bucket.entry(&path)? {
            None => Ok(None),
            Some(entry) if entry.is_folder => Ok(Some(entries)),
            Some(_) => Err(refused(ErrorKind::NotADirectory, &path, "is a file")),
        }
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let (path, entry) = self.existing(path)?;
        if entry.is_folder {
            return Err(refused(ErrorKind::IsADirectory, &path, "is a folder"));
        }
        let (bucket, length) = (Arc::clone(&self.bucket), entry.length);
        Ok(Box::new(Content { bucket, path, length, read: 0, version: None, part: io::Cursor::default() }))
    }

    fn write(&self, path: &str, content: &mut dyn Read, existing: Existing) -> io::Result<()> {
        let path = StorePath::of(path)?;
        let found = self.bucket.entry(&path)?;
        checks::check_target(&path, found.as_ref(), existing)?;
        if found.is_none() {
            self.bucket.check_above(&path)?;
        }
        self.bucket.put(&path, content, existing)
    }

    fn create_folders(&self, path: &str) -> io::Result<()> {
        let path = StorePath::of(path)?;
        match self.bucket.entry(&path)? {
            Some(entry) if entry.is_folder => Ok(()),
            Some(_) => Err(refused(ErrorKind::AlreadyExists, &path, "is a file")),
            None => {
                self.bucket.check_above(&path)?;
                self.bucket.mark(&path)
            }
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, entry) = self.existing(from)?;
        let to = StorePath::of(to)?;
        checks::check_rename(&from, &to)?;
        let pair = (from.as_str().to_owned(), to.as_str().to_owned());
        let begun = || self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let is_again = begun().contains(&pair);
        if !is_again && self.bucket.entry(&to)?.is_some() {
            return Err(refused(ErrorKind::AlreadyExists, &to, "exists"));
        }
        if let Some(above) = to.parent() {
            match self.bucket.entry(&above)? {
                Some(entry) if entry.is_folder => {}
                Some(_) => return Err(refused(ErrorKind::NotADirectory, &above, "is a file")),
                None => return Err(StoreError::absent(format!("[{}] does not exist", above.as_str()))),
            }
        }
        begun().insert(pair.clone());
        let copied = self.bucket.copy((&from, &entry), &to);
        let moved = copied.and_then(|copied| self.bucket.keeping_above(&from, || self.bucket.delete_all(&copied)));
        if !moved.as_ref().is_err_and(|error| found::verdict(error) == Verdict::Unknown) {
            begun().remove(&pair);
        }
        moved
    }

    fn delete(&self, path: &str) -> io::Result<bool> {
        let path = StorePath::of(path)?;
        checks::check_deletion(&path)?;
        let Some(entry) = self.bucket.entry(&path)? else { return Ok(false) };
        self.bucket.keeping_above(&path, || {
            if !entry.is_folder {
                return self.bucket.delete_all(&[key::of_file(&path).to_owned()]);
            }
            let inside = key::of_folder(&path);
            for page in self.bucket.pages(&inside, false) {
                let keys = page?.objects.into_iter().map(|object| object.key);
                self.bucket.delete_all(&keys.filter(|key| key.starts_with(&inside)).collect::<Vec<_>>())?;
            }
            Ok(())
        })?;
        Ok(true)
    }

    fn set_mode(&self, path: &str, _: u32) -> io::Result<()> {
        self.existing(path).map(drop)
    }

    fn set_group(&self, path: &str, _: &str) -> io::Result<()> {
        self.existing(path).map(drop)
    }

    fn set_replication(&self, path: &str, _: u16) -> io::Result<()> {
        self.existing(path).map(drop)
    }

    fn set_times_to_now(&self, path: &str) -> io::Result<()> {
        self.existing(path).map(drop)
    }

    fn home(&self) -> io::Result<String> {
        Ok(format!("/user/{}", self.user))
    }

    fn summary(&self, path: &str) -> io::Result<Option<Summary>> {
        let path = StorePath::of(path)?;
        let Some(entry) = self.bucket.entry(&path)? else { return Ok(None) };
        if !entry.is_folder {
            return Ok(Some(Summary { bytes: entry.length, files: 1, folders: 0 }));
        }
        let inside = key::of_folder(&path);
        let (mut bytes, mut files, mut folders) = (0, 0, BTreeSet::new());
        for page in self.bucket.pages(&inside, false) {
            for object in page?.objects {
                let Some(name) = object.key.strip_prefix(&inside) else { continue };
                folders.extend(name.match_indices('/').map(|(at, _)| name[..at].to_owned()));
                if !name.is_empty() && !name.ends_with('/') {
                    files += 1;
                    bytes += object.size;
                }
            }
        }
        Ok(Some(Summary { bytes, files, folders: folders.len() as u64 + 1 }))
    }
}

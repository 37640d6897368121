//! HDFS by the protocol of its name nodes and data nodes (RPC).
//!
//! Only an answer of an active name node is a definite one. With high availability each name node has a client of its
//! own, and this module goes to the next one: the client knows no time limit for a name node that is silent. A content
//! is written under another name first, because half a file looks like a whole one; a write that fails can leave such a
//! file, `.howdah-` and a number. Where the site files say Kerberos, nothing is asked without it. Must not depend on
//! what a path means for a job.

mod answer;
mod apart;
mod calls;
mod client;
mod configuration;
mod content;
mod greeting;
mod krb5_conf;
mod name_nodes;
mod offer;
mod own_cache;
mod ticket_cache;
mod tickets;
mod trial;

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hdfs_native::Client;
use hdfs_native::client::ListStatusIterator;

use self::client::Login;
use self::configuration::Configuration;
use self::name_nodes::{Does, NameNodes};
use self::tickets::Tickets;
pub use self::trial::try_logins;
use super::checks::{self, refused};
use super::hdfs::{self, Modes, first_part, present};
use super::store_path::StorePath;
use super::{Entry, Existing, FileStore, MOST_ENTRIES, PART, StoreAddress, StoreError, Summary, too_many};
use crate::found;

/// How many entries of a folder are taken over at once: a name node sends 1,000 in an answer.
const PAGE: usize = 1_000;
/// The access time of a call that does not change it.
const UNCHANGED: u64 = u64::MAX;

/// A connection to HDFS, with the rights of one user.
#[derive(Debug)]
pub(super) struct HdfsRpc {
    name_nodes: NameNodes,
    user: String,
    modes: Modes,
}

impl HdfsRpc {
    /// The store at an address, for a user, whose rights this thread has. Sends nothing.
    ///
    /// # Errors
    /// A refusal that says what is wrong in the address or in the site files; unknown when they cannot be read.
    pub(super) fn new(address: &StoreAddress, user: &str) -> io::Result<Self> {
        let configuration = Configuration::of(address)?;
        let (modes, server) = (configuration.modes, configuration.server.clone());
        let login = if configuration.is_kerberos {
            Login::Kerberos { tickets: Arc::new(Tickets::of(address, user)?), server }
        } else {
            Login::Name(user.to_owned())
        };
        let user = login.account().to_owned();
        Ok(Self { name_nodes: NameNodes::new(configuration, address.limits, login)?, user, modes })
    }

    fn entry(&self, path: &StorePath) -> io::Result<Option<Entry>> {
        let asked = path.clone();
        let told = self.name_nodes.ask(Does::Read, async move |client| client.get_file_info(asked.as_str()).await);
        present(told)?.map(|(server, status)| answer::entry(server, &status, path.name())).transpose()
    }

    /// A change of what is at a path.
    fn change<T, C>(&self, path: &StorePath, call: C) -> io::Result<T>
    where
        C: AsyncFn(&Client, &str) -> hdfs_native::Result<T> + Send + Sync + 'static,
        T: Send + 'static,
    {
        let changed = path.clone();
        match self.name_nodes.ask(Does::Change, async move |client| call(client, changed.as_str()).await) {
            Ok((_, told)) => Ok(told),
            Err(error) if found::is_absence(&error) => Err(self.absent(path, error)),
            Err(error) => Err(error),
        }
    }

    /// What it means that a call found nothing: the same exception can be about something else.
    fn absent(&self, path: &StorePath, error: io::Error) -> io::Error {
        match self.entry(path) {
            Ok(None) => error,
            Ok(Some(_)) => StoreError::unclear(format!("[{}] exists, but: {error}", path.as_str())),
            Err(unknown) => unknown,
        }
    }

    /// Renames; `overwrite` replaces a file.
    fn move_to(&self, from: &StorePath, to: &StorePath, overwrite: bool) -> io::Result<()> {
        let (source, target) = (from.clone(), to.clone());
        let told = self
            .name_nodes
            .ask(Does::Change, async move |client| client.rename(source.as_str(), target.as_str(), overwrite).await);
        match told {
            Err(error) if found::is_absence(&error) => Err(hdfs::not_renamed(from, to, |path| self.entry(path))),
            told => told.map(|_| ()),
        }
    }
}

/// The next entries of a listing; fewer than [`PAGE`] at its end.
async fn page(listing: &ListStatusIterator) -> hdfs_native::Result<Vec<hdfs_native::client::FileStatus>> {
    let mut statuses = Vec::new();
    while statuses.len() < PAGE {
        let Some(status) = listing.next().await else { break };
        statuses.push(status?);
    }
    Ok(statuses)
}

impl FileStore for HdfsRpc {
    fn stat(&self, path: &str) -> io::Result<Option<Entry>> {
        self.entry(&StorePath::of(path)?)
    }

    fn list(&self, folder: &str) -> io::Result<Option<Vec<Entry>>> {
        self.list_up_to(folder, MOST_ENTRIES)
    }

    fn list_up_to(&self, folder: &str, most: usize) -> io::Result<Option<Vec<Entry>>> {
        let folder = StorePath::of(folder)?;
        let asked = folder.clone();
        let first = self.name_nodes.ask(Does::Read, async move |client| {
            let listing = client.list_status_iter(asked.as_str(), false);
            page(&listing).await.map(|statuses| (Arc::new(listing), statuses))
        });
        let Some((server, (listing, mut statuses))) = present(first)? else { return Ok(None) };
        let mut entries = Vec::with_capacity(statuses.len());
        loop {
            // The listing of a file has that file alone.
            if statuses.iter().any(|status| status.path == folder.as_str()) {
                return Err(refused(ErrorKind::NotADirectory, &folder, "is a file"));
            }
            let is_last = statuses.len() < PAGE;
            for status in &statuses {
                entries.push(answer::entry_of(server, status, &folder)?);
            }
            if entries.len() > most {
                return Err(too_many(folder.as_str(), most));
            }
            if is_last {
                break;
            }
            let listing = Arc::clone(&listing);
            let more = self.name_nodes.calls.go_on(server, async move || page(&listing).await);
            let Some(more) = present(more)? else { return Ok(None) };
            statuses = more;
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Some(entries))
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let path = StorePath::of(path)?;
        let asked = path.clone();
        let error = match self.name_nodes.ask(Does::Read, async move |client| client.read(asked.as_str()).await) {
            Ok((server, reader)) => return Ok(self.name_nodes.content(server, reader)),
            Err(error) if found::is_absence(&error) => error,
            Err(error) => return Err(error),
        };
        // A folder gets the same exception as nothing at all.
        match self.entry(&path)? {
            Some(entry) if entry.is_folder => Err(refused(ErrorKind::IsADirectory, &path, "is a folder")),
            Some(_) => Err(StoreError::unknown(format!("[{}] has changed meanwhile: {error}", path.as_str()))),
            None => Err(error),
        }
    }

    fn write(&self, path: &str, content: &mut dyn Read, existing: Existing) -> io::Result<()> {
        let path = StorePath::of(path)?;
        checks::check_target(&path, self.entry(&path)?.as_ref(), existing)?;
        let mut first = [0; 8 * 1024];
        let length = first_part(content, &mut first)?;
        let above = path.parent().filter(|_| length > 0);
        let Some(above) = above else {
            return self.name_nodes.write(&path, &mut io::empty(), self.modes.file, existing);
        };
        let part = hdfs::free_name_in(&above, PART)?;
        let content = &mut first[..length].chain(content);
        let written = self.name_nodes.write(&part, content, self.modes.file, Existing::Keep);
        let written = written.and_then(|()| self.move_to(&part, &path, existing == Existing::Replace));
        if written.is_err() {
            // The write has failed whatever becomes of this.
            let _ = self.delete(part.as_str());
        }
        written
    }

    fn create_folders(&self, path: &str) -> io::Result<()> {
        let path = StorePath::of(path)?;
        let mode = self.modes.folder;
        self.change(&path, async move |client, path| client.mkdirs(path, mode, true).await)?;
        // The client does not pass on whether it was done.
        match self.entry(&path)? {
            Some(entry) if entry.is_folder => Ok(()),
            Some(_) => Err(refused(ErrorKind::AlreadyExists, &path, "is a file")),
            None => Err(StoreError::unknown(format!("[{}] was not created", path.as_str()))),
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (StorePath::of(from)?, StorePath::of(to)?);
        checks::check_rename(&from, &to)?;
        checks::check_target(&to, self.entry(&to)?.as_ref(), Existing::Keep)?;
        self.move_to(&from, &to, false)
    }

    fn delete(&self, path: &str) -> io::Result<bool> {
        let path = &StorePath::of(path)?;
        checks::check_deletion(path)?;
        let told = self.change(path, async |client, path| client.delete(path, true).await);
        if present(told)?.unwrap_or_default() {
            return Ok(true);
        }
        match self.entry(path)? {
            None => Ok(false),
            Some(_) => Err(StoreError::unknown(format!("[{}] was not deleted", path.as_str()))),
        }
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        let path = StorePath::of(path)?;
        self.change(&path, async move |client, path| client.set_permission(path, mode).await)
    }

    fn set_group(&self, path: &str, group: &str) -> io::Result<()> {
        let path = StorePath::of(path)?;
        let group = group.to_owned();
        self.change(&path, async move |client, path| client.set_owner(path, None, Some(&group)).await)
    }

    fn set_replication(&self, path: &str, copies: u16) -> io::Result<()> {
        let path = StorePath::of(path)?;
        if self.change(&path, async move |client, path| client.set_replication(path, u32::from(copies)).await)? {
            return Ok(());
        }
        match self.entry(&path)? {
            None => Err(StoreError::absent(format!("[{}] does not exist", path.as_str()))),
            Some(entry) if entry.is_folder => Err(refused(ErrorKind::IsADirectory, &path, "is a folder")),
            Some(_) => Err(StoreError::unknown(format!("the replication of [{}] was not set", path.as_str()))),
        }
    }

    fn set_times_to_now(&self, path: &str) -> io::Result<()> {
        let path = StorePath::of(path)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.ok().and_then(|since| u64::try_from(since.as_millis()).ok());
        let now = now.ok_or_else(|| StoreError::unknown("the clock of this machine is wrong"))?;
        self.change(&path, async move |client, path| client.set_times(path, now, UNCHANGED).await)
    }

    fn home(&self) -> io::Result<String> {
        Ok(format!("/user/{}", self.user))
    }

    fn summary(&self, path: &str) -> io::Result<Option<Summary>> {
        let path = StorePath::of(path)?;
        let asked = path.clone();
        let told =
            self.name_nodes.ask(Does::Read, async move |client| client.get_content_summary(asked.as_str()).await);
        match told {
            Ok((_, told)) => {
                Ok(Some(Summary { bytes: told.length, files: told.file_count, folders: told.directory_count }))
            }
            Err(error) if found::is_absence(&error) => present(Err(self.absent(&path, error))),
            Err(error) => present(Err(error)),
        }
    }
}

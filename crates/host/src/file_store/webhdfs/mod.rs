//! HDFS over HTTP: WebHDFS of a name node, and HttpFS, which has the same interface.
//!
//! Only an answer of WebHDFS itself is a definite one; a page of another server, half a document, a standby or a name
//! node that starts is unknown. With HttpFS a rename is not atomic with the look at its target before it. A content is
//! written under another name first, because what a broken connection leaves behind looks like a whole file; a write
//! that fails can leave such a file, `.howdah-` and a number; with HttpFS also the old content, `.howdah-old-` and a
//! number, which the error names then. No Kerberos. Must not depend on what a path means for a
//! job.

mod answer;
mod exchange;
mod servers;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use self::exchange::{Exchange, Method, Request, Told};
use super::agent::Agents;
use super::checks::{self, refused};
use super::hadoop_conf::HadoopConf;
use super::hdfs::{self, Modes, first_part, present};
use super::store_path::StorePath;
use super::{Entry, Existing, FileStore, MOST_ENTRIES, PART, StoreAddress, StoreError, Summary, Verdict, too_many};
use crate::found;

/// The start of the name that an old content has while HttpFS gives its own name to the new one.
const OLD: &str = ".howdah-old-";

/// A connection to HDFS, with the rights of one user.
#[derive(Debug)]
pub(super) struct WebHdfs {
    exchange: Exchange,
    user: String,
    /// Whether the servers may be able to send a listing in parts.
    has_batches: AtomicBool,
    /// The permission bits of a new folder and of a new file, in octal.
    folder_mode: String,
    file_mode: String,
}

impl WebHdfs {
    /// The store at an address, for a user. Sends nothing.
    ///
    /// # Errors
    /// A refusal that says what is missing in the address or in the site files.
    pub(super) fn new(address: &StoreAddress, user: &str) -> io::Result<Self> {
        let conf = address.hadoop_folder.as_deref().map(|folder| HadoopConf::read(Path::new(folder))).transpose()?;
        let servers = servers::servers(address, conf.as_ref())?;
        let is_secure = servers.iter().any(|server| server.starts_with("https:"));
        let agents = Agents::new(address.limits, is_secure)?;
        let exchange = Exchange::new(servers, user, address.proxy_user.as_deref(), agents);
        let modes = Modes::of(conf.as_ref())?;
        let user = user.to_owned();
        let (folder_mode, file_mode) = (format!("{:o}", modes.folder), format!("{:o}", modes.file));
        Ok(Self { exchange, user, has_batches: AtomicBool::new(true), folder_mode, file_mode })
    }

    fn get(&self, operation: &str, path: &StorePath) -> io::Result<Told> {
        self.exchange.ask(&Request { method: Method::Get, operation, path, parameters: &[] })
    }

    fn put(&self, operation: &str, path: &StorePath, parameters: &[(&str, &str)]) -> io::Result<Told> {
        self.exchange.ask(&Request { method: Method::Put, operation, path, parameters })
    }

    /// A change without a result.
    fn set(&self, operation: &str, path: &str, parameters: &[(&str, &str)]) -> io::Result<()> {
        let told = self.put(operation, &StorePath::of(path)?, parameters)?;
        answer::nothing(&told.server, &told.body)
    }

    /// The entries of a folder by name; for a file, one without a name.
    fn entries(&self, folder: &StorePath, most: usize) -> io::Result<Vec<Entry>> {
        if self.has_batches.load(Ordering::Relaxed) {
            match self.in_batches(folder, most) {
                // Hadoop 2.7 and older do not know the operation.
                Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                    self.has_batches.store(false, Ordering::Relaxed);
                }
                listed => return listed,
            }
        }
        let request = Request { method: Method::Get, operation: "LISTSTATUS", path: folder, parameters: &[] };
        let told = self.exchange.ask_for_entries(&request, most)?;
        let entries = told.map(|told| answer::entries(&told.server, &told.body)).transpose()?;
        entries.filter(|entries| entries.len() <= most).ok_or_else(|| too_many(folder.as_str(), most))
    }

    /// The same, from a server that sends a long listing in parts: one that is too long ends with its first part.
    fn in_batches(&self, folder: &StorePath, most: usize) -> io::Result<Vec<Entry>> {
        let (mut entries, mut last): (Vec<Entry>, Option<String>) = (Vec::new(), None);
        loop {
            let after = last.as_deref().map(|last| ("startAfter", last));
            let parameters = after.as_slice();
            let request = Request { method: Method::Get, operation: "LISTSTATUS_BATCH", path: folder, parameters };
            let told = self.exchange.ask_for_entries(&request, most)?;
            let told = told.ok_or_else(|| too_many(folder.as_str(), most))?;
            let (part, remaining) = answer::batch(&told.server, &told.body)?;
            // Parts that do not follow each other are no listing.
            let is_next = |name: &String| last.as_ref().is_none_or(|last| last < name);
            let name = part.last().map(|entry| entry.name.clone());
            if name.as_ref().map_or(remaining > 0, |name| !is_next(name)) {
                return Err(answer::senseless(&told.server));
            }
            entries.extend(part);
            if entries.len().saturating_add(remaining) > most {
                return Err(too_many(folder.as_str(), most));
            }
            if remaining == 0 {
                entries.sort_by(|one, other| one.name.cmp(&other.name));
                return Ok(entries);
            }
            last = name;
        }
    }

    fn entry(&self, path: &StorePath) -> io::Result<Option<Entry>> {
        let told = present(self.get("GETFILESTATUS", path))?;
        told.map(|told| answer::entry(&told.server, &told.body, path.name())).transpose()
    }

    /// Writes a file where it will stay.
    fn create(&self, path: &StorePath, content: &mut dyn Read, existing: Existing) -> io::Result<()> {
        let overwrite = if existing == Existing::Replace { "true" } else { "false" };
        let parameters = &[("overwrite", overwrite), ("permission", &self.file_mode)];
        let request = Request { method: Method::Put, operation: "CREATE", path, parameters };
        let Err(error) = self.exchange.put_content(&request, content) else { return Ok(()) };
        // Old data nodes have no exception of their own for this.
        match path.parent().map(|above| (self.entry(&above), above)) {
            Some((Ok(Some(entry)), above)) if !entry.is_folder && found::verdict(&error) == Verdict::Unknown => {
                Err(refused(ErrorKind::NotADirectory, &above, "is a file"))
            }
            _ => Err(error),
        }
    }

    /// Gives a written file its name.
    fn publish(&self, part: &StorePath, to: &StorePath, existing: Existing) -> io::Result<()> {
        let option = if existing == Existing::Replace { "OVERWRITE" } else { "NONE" };
        if self.move_to(part, to, option)? {
            return Ok(());
        }
        if existing == Existing::Replace {
            self.replace(part, to)
        } else {
            Err(hdfs::not_renamed(part, to, |path| self.entry(path)))
        }
    }

    /// Gives a written file the name of an existing one, with HttpFS, which replaces nothing. The old content gets
    /// another name first and is deleted last: at each moment one of the two has a name that is known.
    fn replace(&self, part: &StorePath, to: &StorePath) -> io::Result<()> {
        let Some(above) = to.parent() else { return Err(hdfs::not_renamed(part, to, |path| self.entry(path))) };
        let old = hdfs::free_name_in(&above, OLD)?;
        let kept = |error: &dyn std::fmt::Display, places: &str| {
            StoreError::unknown(format!("{error}; the old content of [{}] is {places}", to.as_str()))
        };
        let is_unknown = |error: &io::Error| found::verdict(error) == Verdict::Unknown;
        match self.move_to(to, &old, "NONE") {
            Ok(true) => {}
            Ok(false) => return Err(hdfs::not_renamed(part, to, |path| self.entry(path))),
            Err(error) if is_unknown(&error) => {
                return Err(kept(&error, &format!("there or at [{}]", old.as_str())));
            }
            Err(error) => return Err(error),
        }
        let failed = match self.move_to(part, to, "NONE") {
            Ok(true) => {
                // The content is written whatever becomes of this.
                let _ = self.remove(&old, "false");
                return Ok(());
            }
            Ok(false) => hdfs::not_renamed(part, to, |path| self.entry(path)),
            // The new content may have the name now.
            Err(error) if is_unknown(&error) => return Err(kept(&error, &format!("at [{}]", old.as_str()))),
            Err(error) => error,
        };
        match self.move_to(&old, to, "NONE") {
            Ok(true) => Err(failed),
            _ => Err(kept(&failed, &format!("at [{}]", old.as_str()))),
        }
    }

    /// Renames as a name node of its own does: it replaces only what it may, and moves nothing into a folder. HttpFS
    /// does not know the option, never replaces, and moves into a folder that exists; it answers whether it was done.
    fn move_to(&self, from: &StorePath, to: &StorePath, option: &str) -> io::Result<bool> {
        let told = self.put("RENAME", from, &[("destination", to.as_str()), ("renameoptions", option)])?;
        if told.body.is_empty() { Ok(true) } else { answer::boolean(&told.server, &told.body) }
    }

    fn remove(&self, path: &StorePath, recursive: &str) -> io::Result<bool> {
        let parameters = &[("recursive", recursive)];
        let request = Request { method: Method::Delete, operation: "DELETE", path, parameters };
        let Some(told) = present(self.exchange.ask(&request))? else { return Ok(false) };
        if answer::boolean(&told.server, &told.body)? {
            return Ok(true);
        }
        match self.entry(path)? {
            None => Ok(false),
            Some(_) => Err(StoreError::unknown(format!("{} did not delete [{}]", told.server, path.as_str()))),
        }
    }
}

impl FileStore for WebHdfs {
    fn stat(&self, path: &str) -> io::Result<Option<Entry>> {
        self.entry(&StorePath::of(path)?)
    }

    fn list(&self, folder: &str) -> io::Result<Option<Vec<Entry>>> {
        self.list_up_to(folder, MOST_ENTRIES)
    }

    fn list_up_to(&self, folder: &str, most: usize) -> io::Result<Option<Vec<Entry>>> {
        let folder = StorePath::of(folder)?;
        let Some(entries) = present(self.entries(&folder, most))? else { return Ok(None) };
        let not_a_folder = || Err(refused(ErrorKind::NotADirectory, &folder, "is a file"));
        match entries.as_slice() {
            [only] if only.name.is_empty() => not_a_folder(),
            // Old versions of HttpFS answer so for a file too.
            [only] if !only.is_folder && only.name == folder.name() => match self.entry(&folder)? {
                Some(entry) if entry.is_folder => Ok(Some(entries)),
                Some(_) => not_a_folder(),
                None => Ok(None),
            },
            _ => Ok(Some(entries)),
        }
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let path = StorePath::of(path)?;
        let error = match self.exchange.content(&path) {
            Err(error) if found::is_absence(&error) => error,
            answer => return answer,
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
        let above = path.parent().filter(|_| length > 0 || path.has_escapes());
        let Some(above) = above else { return self.create(&path, &mut io::empty(), existing) };
        let part = hdfs::free_name_in(&above, PART)?;
        let written = self.create(&part, &mut first[..length].chain(content), Existing::Keep);
        let written = written.and_then(|()| self.publish(&part, &path, existing));
        if written.is_err() {
            // The write has failed whatever becomes of this.
            let _ = self.delete(part.as_str());
        }
        written
    }

    fn create_folders(&self, path: &str) -> io::Result<()> {
        let path = StorePath::of(path)?;
        let told = self.put("MKDIRS", &path, &[("permission", &self.folder_mode)])?;
        if answer::boolean(&told.server, &told.body)? {
            return Ok(());
        }
        match self.entry(&path)? {
            Some(entry) if entry.is_folder => Ok(()),
            Some(_) => Err(refused(ErrorKind::AlreadyExists, &path, "is a file")),
            None => Err(StoreError::unknown(format!("{} did not create [{}]", told.server, path.as_str()))),
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (StorePath::of(from)?, StorePath::of(to)?);
        checks::check_rename(&from, &to)?;
        checks::check_target(&to, self.entry(&to)?.as_ref(), Existing::Keep)?;
        if self.move_to(&from, &to, "NONE")? {
            return Ok(());
        }
        Err(hdfs::not_renamed(&from, &to, |path| self.entry(path)))
    }

    fn delete(&self, path: &str) -> io::Result<bool> {
        let path = &StorePath::of(path)?;
        checks::check_deletion(path)?;
        self.remove(path, "true")
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        self.set("SETPERMISSION", path, &[("permission", &format!("{mode:o}"))])
    }

    fn set_group(&self, path: &str, group: &str) -> io::Result<()> {
        self.set("SETOWNER", path, &[("group", group)])
    }

    fn set_replication(&self, path: &str, copies: u16) -> io::Result<()> {
        let path = StorePath::of(path)?;
        let told = self.put("SETREPLICATION", &path, &[("replication", &copies.to_string())])?;
        if answer::boolean(&told.server, &told.body)? {
            return Ok(());
        }
        match self.entry(&path)? {
            None => Err(StoreError::absent(format!("[{}] does not exist", path.as_str()))),
            Some(entry) if entry.is_folder => Err(refused(ErrorKind::IsADirectory, &path, "is a folder")),
            Some(_) => Err(StoreError::unknown(format!("{} set no replication", told.server))),
        }
    }

    fn set_times_to_now(&self, path: &str) -> io::Result<()> {
        let since =
            SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| StoreError::unknown(error.to_string()));
        let now = since?.as_millis().to_string();
        self.set("SETTIMES", path, &[("modificationtime", &now)])
    }

    fn home(&self) -> io::Result<String> {
        Ok(format!("/user/{}", self.user))
    }

    fn summary(&self, path: &str) -> io::Result<Option<Summary>> {
        let told = present(self.get("GETCONTENTSUMMARY", &StorePath::of(path)?))?;
        told.map(|told| answer::summary(&told.server, &told.body)).transpose()
    }
}

//! A mount table (viewfs): one tree whose folders are links to folders of other stores.
//!
//! Everything below a link is asked of its server alone, so that a server which gives no answer says nothing about the
//! other links. As in Hadoop's `ViewFileSystem`, the folders above links are there and cannot be changed, a link itself
//! cannot be written, renamed or deleted, and nothing is renamed from one link to another. A listing does not ask where
//! its links lead. Must not depend on a protocol, or on what a path means for a job.

mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use self::table::{Place, Table, Target};
use super::checks::{self, refused};
use super::hadoop_conf::HadoopConf;
use super::store_path::StorePath;
use super::{Entry, Existing, FileStore, Holder, MOST_ENTRIES, StoreAddress, StoreError, Summary, too_many};
use crate::found::{Verdict, verdict};
use crate::uri::split_uri;

/// The permission bits of the folders above links, and of a link in a listing: nothing can be written there.
const READ_ONLY: u32 = 0o555;
/// The folder of the home folders, as in Hadoop.
const HOMES: &str = "/user";

/// A mount table with connections to its servers, with the rights of one user.
#[derive(Debug)]
pub(super) struct ViewFs {
    table: Table<Link>,
    user: String,
}

/// Where a link leads.
#[derive(Debug)]
struct Link {
    address: Arc<StoreAddress>,
    /// The connection, or why this link cannot be used.
    store: Result<Arc<dyn FileStore>, (ErrorKind, String)>,
}

/// A path of a server.
struct There<'a> {
    link: &'a Link,
    path: String,
}

/// The meaning of a path.
enum Meaning<'a> {
    /// A folder above links.
    Above,
    There(There<'a>),
    Nowhere,
}

impl ViewFs {
    /// The mount table at an address, for a user. Sends nothing.
    ///
    /// # Errors
    /// A refusal of a table that cannot be used; unknown when the machine cannot read the site files at present.
    pub(super) fn new(address: &StoreAddress, user: &str) -> io::Result<Self> {
        let folder = address.hadoop_folder.as_deref().ok_or_else(|| {
            let text = format!(
                "the links of [{}] are in core-site.xml: set howdah.store.hadoop-folder or HADOOP_CONF_DIR",
                address.server
            );
            StoreError::refused(ErrorKind::InvalidInput, text)
        })?;
        let authority = split_uri(&address.server).map_or("", |parts| parts.authority);
        let Table { links, fallback, homes } = Table::read(&HadoopConf::read(Path::new(folder))?, authority)?;
        let link = |(path, target): (String, Target)| Ok((Link::of(address, &path, &target)?, path));
        let links = links.into_iter().map(|entry| link(entry).map(|(link, path)| (path, link)));
        let links = links.collect::<io::Result<BTreeMap<_, _>>>()?;
        let fallback = fallback.map(|target| Link::of(address, "", &target)).transpose()?;
        Ok(Self { table: Table { links, fallback, homes }, user: user.to_owned() })
    }

    fn meaning(&self, path: &StorePath) -> Meaning<'_> {
        match self.table.place(path) {
            Place::Above => Meaning::Above,
            Place::In { target: link, rest } => {
                let path = format!("{}{rest}", link.address.folder);
                Meaning::There(There { link, path: if path.is_empty() { "/".to_owned() } else { path } })
            }
            Place::Nowhere => Meaning::Nowhere,
        }
    }

    /// The path of the server, of something that must exist.
    fn existing(&self, path: &StorePath) -> io::Result<There<'_>> {
        match self.meaning(path) {
            Meaning::There(there) => Ok(there),
            Meaning::Above => Err(read_only(path)),
            Meaning::Nowhere => Err(absent(path)),
        }
    }

    /// The path of the server where something is created.
    fn new_place(&self, path: &StorePath) -> io::Result<There<'_>> {
        match self.meaning(path) {
            Meaning::There(there) if !self.table.is_link(path) => Ok(there),
            Meaning::Nowhere => Err(refused(ErrorKind::PermissionDenied, path, "is in no link of the mount table")),
            _ => Err(read_only(path)),
        }
    }

    /// The entries of a folder above links: links, folders above links, and what else the fallback has there.
    fn entries_above(&self, folder: &StorePath, most: usize) -> io::Result<Vec<Entry>> {
        let mut entries: Vec<Entry> = self.table.names_in(folder).into_iter().map(folder_above).collect();
        if let Some(link) = &self.table.fallback {
            let rest = if folder.is_root() { "" } else { folder.as_str() };
            let path = format!("{}{rest}", link.address.folder);
            let listed = match link.store()?.list_up_to(if path.is_empty() { "/" } else { &path }, most) {
                // The folder of the table hides a file of the fallback.
                Err(error) if error.kind() == ErrorKind::NotADirectory => None,
                listed => listed?,
            };
            let links: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
            entries.extend(listed.into_iter().flatten().filter(|entry| !links.contains(&entry.name)));
        }
        if entries.len() > most {
            return Err(too_many(folder.as_str(), most));
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    fn summary_above(&self, folder: &StorePath) -> io::Result<Summary> {
        let mut sum = Summary { bytes: 0, files: 0, folders: 1 };
        for entry in self.entries_above(folder, MOST_ENTRIES)? {
            let Some(part) = self.summary(folder.join(&entry.name).as_str())? else { continue };
            sum.bytes += part.bytes;
            sum.files += part.files;
            sum.folders += part.folders;
        }
        Ok(sum)
    }
}

impl Link {
    /// Connects to the server of a link; sends nothing. What the server's own settings lack concerns this link alone.
    fn of(table: &StoreAddress, path: &str, target: &Target) -> io::Result<Self> {
        let address = Arc::new(table.of_link(path, &target.server, &target.folder));
        let store = match address.connect() {
            Err(error) if verdict(&error) == Verdict::Unknown => return Err(error),
            connected => connected.map_err(|error| (error.kind(), error.to_string())),
        };
        Ok(Self { address, store })
    }

    fn store(&self) -> io::Result<&dyn FileStore> {
        self.store.as_deref().map_err(|(kind, text)| StoreError::refused(*kind, text))
    }
}

impl There<'_> {
    fn store(&self) -> io::Result<&dyn FileStore> {
        self.link.store()
    }
}

fn folder_above(name: &str) -> Entry {
    Entry {
        name: name.to_owned(),
        is_folder: true,
        length: 0,
        modified: None,
        mode: Some(READ_ONLY),
        owner: String::new(),
        group: String::new(),
        replication: 0,
    }
}

fn absent(path: &StorePath) -> io::Error {
    StoreError::absent(format!("[{}] does not exist", path.as_str()))
}

/// The refusal to change a link or a folder above links.
fn read_only(path: &StorePath) -> io::Error {
    refused(ErrorKind::PermissionDenied, path, "belongs to the mount table, which cannot be changed")
}

impl FileStore for ViewFs {
    fn holder(&self, path: &str) -> io::Result<Holder> {
        let path = StorePath::of(path)?;
        Ok(match self.meaning(&path) {
            Meaning::There(there) => Holder::Link {
                address: Arc::clone(&there.link.address),
                path: there.path,
                is_link: self.table.is_link(&path),
            },
            Meaning::Above => Holder::Table,
            Meaning::Nowhere => Holder::Store,
        })
    }

    fn targets(&self) -> Vec<Arc<StoreAddress>> {
        self.table.links.values().chain(&self.table.fallback).map(|link| Arc::clone(&link.address)).collect()
    }

    fn stat(&self, path: &str) -> io::Result<Option<Entry>> {
        let path = StorePath::of(path)?;
        match self.meaning(&path) {
            Meaning::Above => Ok(Some(folder_above(path.name()))),
            // The target has another name.
            Meaning::There(there) => {
                let found = there.store()?.stat(&there.path)?;
                Ok(found.map(|entry| Entry { name: path.name().to_owned(), ..entry }))
            }
            Meaning::Nowhere => Ok(None),
        }
    }

    fn list(&self, folder: &str) -> io::Result<Option<Vec<Entry>>> {
        self.list_up_to(folder, MOST_ENTRIES)
    }

    fn list_up_to(&self, folder: &str, most: usize) -> io::Result<Option<Vec<Entry>>> {
        let folder = StorePath::of(folder)?;
        match self.meaning(&folder) {
            Meaning::Above => self.entries_above(&folder, most).map(Some),
            Meaning::There(there) => there.store()?.list_up_to(&there.path, most),
            Meaning::Nowhere => Ok(None),
        }
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let path = StorePath::of(path)?;
        match self.meaning(&path) {
            Meaning::Above => Err(refused(ErrorKind::IsADirectory, &path, "is a folder")),
            Meaning::There(there) => there.store()?.open(&there.path),
            Meaning::Nowhere => Err(absent(&path)),
        }
    }

    fn write(&self, path: &str, content: &mut dyn Read, existing: Existing) -> io::Result<()> {
        let there = self.new_place(&StorePath::of(path)?)?;
        there.store()?.write(&there.path, content, existing)
    }

    fn create_folders(&self, path: &str) -> io::Result<()> {
        let path = StorePath::of(path)?;
        match self.meaning(&path) {
            Meaning::Above => Ok(()),
            Meaning::There(there) if self.table.is_link(&path) => match there.store()?.stat(&there.path)? {
                Some(entry) if entry.is_folder => Ok(()),
                Some(_) => Err(refused(ErrorKind::AlreadyExists, &path, "is a file")),
                None => Err(refused(ErrorKind::PermissionDenied, &path, "is a link to a folder that does not exist")),
            },
            _ => {
                let there = self.new_place(&path)?;
                there.store()?.create_folders(&there.path)
            }
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (StorePath::of(from)?, StorePath::of(to)?);
        if self.table.is_link(&from) {
            return Err(read_only(&from));
        }
        checks::check_rename(&from, &to)?;
        let (source, target) = (self.existing(&from)?, self.new_place(&to)?);
        if !std::ptr::eq(source.link, target.link) {
            let why =
                format!("and [{}] are in different links: a mount table renames within one link only", to.as_str());
            return Err(refused(ErrorKind::CrossesDevices, &from, &why));
        }
        source.store()?.rename(&source.path, &target.path)
    }

    fn delete(&self, path: &str) -> io::Result<bool> {
        let path = StorePath::of(path)?;
        checks::check_deletion(&path)?;
        match self.meaning(&path) {
            Meaning::There(there) if !self.table.is_link(&path) => there.store()?.delete(&there.path),
            Meaning::Nowhere => Ok(false),
            _ => Err(read_only(&path)),
        }
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        let there = self.existing(&StorePath::of(path)?)?;
        there.store()?.set_mode(&there.path, mode)
    }

    fn set_group(&self, path: &str, group: &str) -> io::Result<()> {
        let there = self.existing(&StorePath::of(path)?)?;
        there.store()?.set_group(&there.path, group)
    }

    fn set_replication(&self, path: &str, copies: u16) -> io::Result<()> {
        let there = self.existing(&StorePath::of(path)?)?;
        there.store()?.set_replication(&there.path, copies)
    }

    fn set_times_to_now(&self, path: &str) -> io::Result<()> {
        let there = self.existing(&StorePath::of(path)?)?;
        there.store()?.set_times_to_now(&there.path)
    }

    fn home(&self) -> io::Result<String> {
        let homes = self.table.homes.as_deref().unwrap_or(HOMES);
        Ok(format!("{}/{}", homes.trim_end_matches('/'), self.user))
    }

    fn summary(&self, path: &str) -> io::Result<Option<Summary>> {
        let path = StorePath::of(path)?;
        match self.meaning(&path) {
            Meaning::Above => self.summary_above(&path).map(Some),
            Meaning::There(there) => there.store()?.summary(&there.path),
            Meaning::Nowhere => Ok(None),
        }
    }
}

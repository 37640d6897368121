//! What expressions of a workflow ask of this machine: `fs:`, `hcat:exists`, `hadoop:conf` (specification 4.2.5, 4.2.7,
//! 4.2.8).
//!
//! Paths go through the mounts; one without scheme is in the store of the application, below the user's home there when
//! it is relative.
//! Decides which sentence tells of a path that cannot be looked at; must never know which expression asked, and changes
//! nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::default_configuration;
use crate::run_as::Worker;
use crate::settings::Settings;
use howdah_el::CallError;
use howdah_host::found::{self, Verdict};
use howdah_host::located::{Base, GlobError, Kind, Located, Unlocated, help};
use howdah_host::mounts::Mounts;
use howdah_host::presence::{Presence as _, PresenceCache, State};
use howdah_oozie::configuration;
use howdah_oozie::workflow::context::Outside;
use howdah_words::error::Error;
use howdah_words::model::Properties;

/// The site's bound for the files that one pattern names, and what it is when the site says nothing.
const GLOB_MAX: (&str, usize) = ("oozie.action.fs.glob.max", 50_000);
/// Hadoop's own default for the bytes of a block, which is what a workflow that computes with it expects.
const BLOCK_SIZE: i64 = 128 * 1024 * 1024;
/// Which folder holds the configuration of which cluster: `host:port=folder`, separated by commas; `*` is every other.
const CONFIGURATIONS: &str = "oozie.service.HadoopAccessorService.hadoop.configurations";
/// The files of such a folder; what a later one says counts.
const CONFIGURATION_FILES: [&str; 4] = ["core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml"];

/// The address that Oozie's callbacks go to: `oozie.service.CallbackService.base.url`, else below `oozie.base.url`,
/// else where a server of this machine would be.
pub fn callback_address(site: &Properties) -> String {
    let given = |name: &str| site.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    given("oozie.service.CallbackService.base.url").map_or_else(
        || format!("{}/callback", given("oozie.base.url").unwrap_or("http://localhost:11000/oozie")),
        str::to_owned,
    )
}

/// This machine, as the user of a job sees it.
pub struct ThisMachine<'a> {
    pub mounts: &'a Mounts,
    pub settings: &'a Settings,
    /// The store of the application, and the user's home there.
    pub base: Base,
    /// The environment of the user's commands.
    pub environment: &'a BTreeMap<String, String>,
    /// With whose rights it is looked at.
    pub reader: &'a Worker,
}

impl Outside for ThisMachine<'_> {
    fn exists(&self, path: &str) -> Result<bool, CallError> {
        let local = self.local(path)?;
        let (name, default) = GLOB_MAX;
        let limit = self.settings.properties.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default);
        match self.look(|| local.expand(limit))? {
            Ok(found) => Ok(!found.is_empty()),
            Err(GlobError::TooMany(limit)) => Err(CallError::Failed(format!(
                "FS013: too many globbed files/dirs to do FS operation: more than {limit} match [{path}] ({name})"
            ))),
            Err(GlobError::Pattern(error)) => Err(CallError::Failed(format!("[{path}] is no pattern: {error}"))),
            Err(GlobError::Io(error)) => Err(unreadable(path, &error)),
        }
    }

    fn is_dir(&self, path: &str) -> Result<bool, CallError> {
        Ok(self.kind(path)? == Kind::Directory)
    }

    fn file_size(&self, path: &str) -> Result<i64, CallError> {
        let local = self.local(path)?;
        size(path, self.look(|| local.file_size())?)
    }

    fn dir_size(&self, path: &str) -> Result<i64, CallError> {
        let local = self.local(path)?;
        size(path, self.look(|| local.size_of_entries())?)
    }

    fn block_size(&self, path: &str) -> Result<i64, CallError> {
        // A folder has no blocks, as with Oozie.
        Ok(if self.kind(path)? == Kind::File { BLOCK_SIZE } else { -1 })
    }

    fn has_partition(&self, uri: &str) -> Result<bool, CallError> {
        let qualified = self.base.default_store().qualify(uri);
        match self.look(|| PresenceCache::new(self.mounts).check(&qualified))? {
            State::Present => Ok(true),
            State::Missing => Ok(false),
            State::Unreadable(why) => Err(CallError::Failed(why)),
            State::Unknown(why) => Err(CallError::Coded(found::unknown(uri, &why))),
            State::Deferred => Err(CallError::Coded(found::unknown(uri, &State::NOT_ASKED))),
            State::Unmapped(store) => Err(unmapped(uri, &store)),
        }
    }

    fn cluster_property(&self, authority: &str, name: &str) -> Result<String, CallError> {
        let properties = self.cluster_configuration(authority).map_err(problem)?;
        let resolved = configuration::resolve(&properties).map_err(|error| CallError::Failed(error.to_string()))?;
        Ok(resolved.get(name).cloned().unwrap_or_default())
    }
}

impl ThisMachine<'_> {
    /// Looks with the rights of the job's user.
    fn look<T>(&self, look: impl FnOnce() -> T) -> Result<T, CallError> {
        self.reader.act(look).map_err(CallError::Coded)
    }

    fn kind(&self, path: &str) -> Result<Kind, CallError> {
        let local = self.local(path)?;
        self.look(|| local.kind())?.map_err(|error| unreadable(path, &error))
    }

    /// The configuration of a cluster, as its files have it; empty without any.
    ///
    /// # Errors
    /// What is wrong with the files, or why they cannot be read.
    pub(crate) fn cluster_configuration(&self, authority: &str) -> Result<Properties, Vec<Error>> {
        let mut properties = Properties::new();
        let Some(folder) = self.cluster_folder(authority) else { return Ok(properties) };
        let folder = Located::named_here(&folder);
        for file in CONFIGURATION_FILES {
            let read = default_configuration::default_configuration(Some(&folder), file);
            properties.extend(read?.into_iter().flat_map(|file| file.values));
        }
        Ok(properties)
    }

    fn local(&self, path: &str) -> Result<Located, CallError> {
        self.mounts.locate(path, &self.base).map_err(|why| match why {
            Unlocated::Invalid(why) => CallError::Failed(format!("[{path}]: {why}")),
            Unlocated::Unmounted { uri, store } => unmapped(&uri, &store),
        })
    }

    /// The folder with the configuration of a cluster: the site's, else `HADOOP_CONF_DIR`.
    fn cluster_folder(&self, authority: &str) -> Option<PathBuf> {
        let named = self.folder_of(CONFIGURATIONS, authority);
        named.or_else(|| self.environment.get("HADOOP_CONF_DIR").map(PathBuf::from))
    }

    /// The folder that a property of the site names for a cluster, relative to the site file.
    pub fn folder_of(&self, property: &str, authority: &str) -> Option<PathBuf> {
        let entries = self.settings.properties.get(property).map(String::as_str).unwrap_or_default();
        let entries = || entries.split(',').filter_map(|entry| entry.split_once('='));
        let of = |wanted: &str| entries().find(|(key, _)| key.trim().eq_ignore_ascii_case(wanted));
        let folder = of(authority.trim()).or_else(|| of("*")).map(|(_, folder)| folder.trim());
        let site_folder = || self.settings.file.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
        folder.map(|folder| site_folder().join(folder))
    }
}

/// The first of several problems, with its place.
fn problem(problems: Vec<Error>) -> CallError {
    let Some(first) = problems.into_iter().next() else { return CallError::Failed(String::new()) };
    if first.may_pass() {
        return CallError::Coded(first);
    }
    CallError::Failed(first.location().map_or_else(|| first.to_string(), |place| format!("{place}: {first}")))
}

/// The bytes as expressions count them; -1 for nothing.
fn size(path: &str, found: io::Result<Option<u64>>) -> Result<i64, CallError> {
    let bytes = found.map_err(|error| unreadable(path, &error))?;
    Ok(bytes.map_or(-1, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)))
}

fn unreadable(path: &str, error: &io::Error) -> CallError {
    match found::verdict(error) {
        Verdict::Absent | Verdict::Refused => CallError::Failed(format!("[{path}] cannot be looked at: {error}")),
        Verdict::Unknown => CallError::Coded(found::unknown(path, error)),
    }
}

fn unmapped(uri: &str, store: &str) -> CallError {
    let scheme = store.split(':').next().unwrap_or_default();
    CallError::Failed(format!("E0904: Scheme [{scheme}] not supported in uri [{uri}]; {}", help(store)))
}

#[cfg(test)]
mod tests;

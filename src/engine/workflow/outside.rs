//! What expressions of a workflow ask of this machine: `fs:`, `hcat:exists`, `hadoop:conf` (specification 4.2.5, 4.2.7, 4.2.8).
//!
//! Paths go through the mounts; one without scheme is a path of this machine, below the user's home when it is relative.
//! Decides which sentence tells of a path that cannot be looked at; must never know which expression asked, and changes
//! nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::configuration;
use crate::engine::owner::Worker;
use crate::engine::settings::Settings;
use crate::engine::workflow::create;
use crate::error::Error;
use crate::host::glob::{self, GlobError};
use crate::host::mounts::{Mounts, Resolved};
use crate::host::presence::{Presence as _, PresenceCache, State};
use crate::host::tree::{self, Kind};
use crate::model::Properties;
use crate::workflow::context::Outside;

/// The site's bound for the files that one pattern names, and what it is when the site says nothing.
const GLOB_MAX: (&str, usize) = ("oozie.action.fs.glob.max", 50_000);
/// Hadoop's own default for the bytes of a block, which is what a workflow that computes with it expects.
const BLOCK_SIZE: i64 = 128 * 1024 * 1024;
/// Which folder holds the configuration of which cluster: `host:port=folder`, separated by commas; `*` is every other.
const CONFIGURATIONS: &str = "oozie.service.HadoopAccessorService.hadoop.configurations";
/// The files of such a folder; what a later one says counts.
const CONFIGURATION_FILES: [&str; 4] = ["core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml"];

/// The address that Oozie's callbacks go to: `oozie.service.CallbackService.base.url`, else below `oozie.base.url`, else
/// where a server of this machine would be.
pub(crate) fn callback_address(site: &Properties) -> String {
    let given = |name: &str| site.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    given("oozie.service.CallbackService.base.url").map_or_else(
        || format!("{}/callback", given("oozie.base.url").unwrap_or("http://localhost:11000/oozie")),
        str::to_owned,
    )
}

/// This machine, as the user of a job sees it.
pub(crate) struct ThisMachine<'a> {
    pub(crate) mounts: &'a Mounts,
    pub(crate) settings: &'a Settings,
    pub(crate) home: &'a Path,
    /// The environment of the user's commands.
    pub(crate) environment: &'a BTreeMap<String, String>,
    /// With whose rights it is looked at.
    pub(crate) reader: &'a Worker,
}

impl Outside for ThisMachine<'_> {
    fn exists(&self, path: &str) -> Result<bool, String> {
        let local = self.local(path)?;
        let (name, default) = GLOB_MAX;
        let limit = self.settings.properties.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default);
        match self.look(|| glob::expand(&local.to_string_lossy(), limit))? {
            Ok(found) => Ok(!found.is_empty()),
            Err(GlobError::TooMany(limit)) => Err(format!(
                "FS013: too many globbed files/dirs to do FS operation: more than {limit} match [{path}] ({name})"
            )),
            Err(GlobError::Pattern(error)) => Err(format!("[{path}] is no pattern: {error}")),
            Err(GlobError::Io(error)) => Err(unreadable(path, &error)),
        }
    }

    fn is_dir(&self, path: &str) -> Result<bool, String> {
        Ok(self.kind(path)? == Kind::Directory)
    }

    fn file_size(&self, path: &str) -> Result<i64, String> {
        let local = self.local(path)?;
        size(path, self.look(|| tree::file_size(&local))?)
    }

    fn dir_size(&self, path: &str) -> Result<i64, String> {
        let local = self.local(path)?;
        size(path, self.look(|| tree::size_of_entries(&local))?)
    }

    fn block_size(&self, path: &str) -> Result<i64, String> {
        Ok(if self.kind(path)? == Kind::Missing { -1 } else { BLOCK_SIZE })
    }

    fn has_partition(&self, uri: &str) -> Result<bool, String> {
        match PresenceCache::new(self.mounts).check(uri) {
            State::Present => Ok(true),
            State::Missing => Ok(false),
            State::Unreadable(why) => Err(why),
            State::Unmapped(store) => Err(unmapped(uri, &store)),
        }
    }

    fn cluster_property(&self, authority: &str, name: &str) -> Result<String, String> {
        let Some(folder) = self.cluster_folder(authority) else { return Ok(String::new()) };
        let mut properties = Properties::new();
        for file in CONFIGURATION_FILES {
            let read = create::default_configuration(Some(&folder), file);
            properties.extend(read.map_err(|errors| sentence(&errors))?.into_iter().flat_map(|file| file.values));
        }
        let resolved = configuration::resolve(&properties).map_err(|error| error.to_string())?;
        Ok(resolved.get(name).cloned().unwrap_or_default())
    }
}

impl ThisMachine<'_> {
    /// Looks with the rights of the job's user.
    fn look<T>(&self, look: impl FnOnce() -> T) -> Result<T, String> {
        self.reader.act(look).map_err(|refused| refused.message().to_owned())
    }

    fn kind(&self, path: &str) -> Result<Kind, String> {
        let local = self.local(path)?;
        self.look(|| tree::kind(&local))?.map_err(|error| unreadable(path, &error))
    }

    fn local(&self, path: &str) -> Result<PathBuf, String> {
        let is_relative = !path.is_empty() && !path.starts_with('/') && !path.contains(':');
        match self.mounts.resolve(path) {
            Resolved::Local(local) => Ok(local.into_owned()),
            Resolved::Invalid(_) if is_relative && !path.contains('\0') => Ok(self.home.join(path)),
            Resolved::Invalid(why) => Err(format!("[{path}]: {why}")),
            Resolved::Unmapped(store) => Err(unmapped(path, &store)),
        }
    }

    /// The folder with the configuration of a cluster: the site's, relative to the site file, else `HADOOP_CONF_DIR`.
    fn cluster_folder(&self, authority: &str) -> Option<PathBuf> {
        let entries = self.settings.properties.get(CONFIGURATIONS).map(String::as_str).unwrap_or_default();
        let entries = || entries.split(',').filter_map(|entry| entry.split_once('='));
        let of = |wanted: &str| entries().find(|(key, _)| key.trim().eq_ignore_ascii_case(wanted));
        let folder = of(authority.trim()).or_else(|| of("*")).map(|(_, folder)| folder.trim());
        let site_folder = || self.settings.file.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
        let named = folder.map(|folder| site_folder().join(folder));
        named.or_else(|| self.environment.get("HADOOP_CONF_DIR").map(PathBuf::from))
    }
}

/// The first of several problems, with its place.
fn sentence(problems: &[Error]) -> String {
    let Some(first) = problems.first() else { return String::new() };
    first.location().map_or_else(|| first.to_string(), |place| format!("{place}: {first}"))
}

/// The bytes as expressions count them; -1 for nothing.
fn size(path: &str, found: io::Result<Option<u64>>) -> Result<i64, String> {
    let bytes = found.map_err(|error| unreadable(path, &error))?;
    Ok(bytes.map_or(-1, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)))
}

fn unreadable(path: &str, error: &io::Error) -> String {
    format!("[{path}] cannot be looked at: {error}")
}

fn unmapped(uri: &str, store: &str) -> String {
    let scheme = store.split(':').next().unwrap_or_default();
    format!(
        "E0904: Scheme [{scheme}] not supported in uri [{uri}]; say where its files are on this machine: \
         --mount {store}=/some/folder"
    )
}

#[cfg(test)]
mod tests;

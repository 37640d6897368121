//! Decides to which store a path of a definition belongs, and where that is on this machine.
//!
//! A path with a scheme names its store itself. Without one it belongs to the store of its element ([`Base`]): in `fs`
//! and `prepare` that of the action's name-node, elsewhere that of the application path. [`Mounts::locate`] decides
//! this and creates every [`Located`]; code that touches a file for a job takes a `Located` and no text
//! ([`operations`]). So a path of a store that is not mounted never becomes a path of this machine.

mod operations;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

pub(crate) use super::default_store::{DefaultStore, Qualified};
pub(crate) use super::glob::GlobError;
pub(crate) use super::tree::Kind;
pub(crate) use super::tree::change::{Change, Reach};

use super::default_store::has_scheme;
use super::glob;
use super::mounts::{Mounts, Resolved, has_parent_step};
use crate::error::Error;
use crate::model::partition::{HCATALOG, Partition};

/// A path of a definition and where it is on this machine. May be a pattern where an operation allows one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub(crate) struct Located {
    /// As the definition writes it.
    shown: String,
    /// With its store; a plain path on this machine.
    uri: String,
    local: PathBuf,
}

/// A [`Located`] as it is stored for attempts; earlier versions stored only the local path, or that and the text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Path(PathBuf),
    Whole { shown: String, uri: Option<String>, local: PathBuf },
}

impl From<Stored> for Located {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Path(local) => Self::on_this_machine(local),
            Stored::Whole { shown, uri, local } => {
                Self { uri: uri.unwrap_or_else(|| local.to_string_lossy().into_owned()), shown, local }
            }
        }
    }
}

/// The base of a path without a scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Base {
    /// The store of absolute paths.
    store: DefaultStore,
    relative: Relative,
}

/// The base of relative paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Relative {
    #[default]
    Refused,
    In(Located),
    /// In this folder, an absolute path of the store.
    Below(String),
}

/// Why a path has no location on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unlocated {
    /// No mount covers its store.
    Unmounted {
        uri: String,
        /// The `scheme://authority`.
        store: String,
    },
    /// It is not a valid path; the text says why.
    Invalid(&'static str),
}

/// The help for a store without a mount.
pub(crate) fn help(store: &str) -> String {
    format!("say where its files are on this machine: --mount {store}=/some/folder")
}

impl std::fmt::Display for Unlocated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unmounted { uri, store } => {
                write!(f, "no mount for [{store}], the store of [{uri}]; {}", help(store))
            }
            Self::Invalid(why) => f.write_str(why),
        }
    }
}

impl Base {
    /// This machine, for absolute paths only.
    pub(crate) fn this_machine() -> Self {
        Self::default()
    }

    /// A store, for absolute paths only.
    pub(crate) const fn store(store: DefaultStore) -> Self {
        Self { store, relative: Relative::Refused }
    }

    /// A folder for relative paths, and the store of `uri` for absolute ones.
    pub(crate) fn of_application(uri: &str, folder: Located) -> Self {
        Self { store: DefaultStore::of(uri), relative: Relative::In(folder) }
    }

    /// A store with the user's home as the folder of relative paths: `home` on this machine, `/user/NAME` elsewhere.
    pub(crate) fn with_home(store: DefaultStore, user: &str, home: &Path) -> Self {
        let is_here = store.is_this_machine();
        let path = if is_here { home.to_string_lossy().into_owned() } else { format!("/user/{user}") };
        Self { store, relative: Relative::Below(path) }
    }

    /// A path with its store, mounted or not; a path of this machine stays a path.
    pub(crate) fn uri_of(&self, path: &str) -> String {
        let text = match &self.relative {
            Relative::In(folder) if is_relative(path) => folder.join(path).uri,
            Relative::Below(folder) if is_relative(path) => format!("{folder}/{path}"),
            _ => path.to_owned(),
        };
        let uri = self.store.qualify(&text).into_text();
        match &self.store.prefix {
            Some(prefix) if is_relative(path) && has_parent_step(Path::new(&uri)) => {
                let path = uri.strip_prefix(prefix.as_str()).unwrap_or(&uri);
                format!("{prefix}{}", without_parent_steps(Path::new(path)).display())
            }
            _ => uri,
        }
    }

    /// The store of absolute paths.
    pub(crate) const fn default_store(&self) -> &DefaultStore {
        &self.store
    }

    /// The folder of relative paths.
    pub(crate) const fn folder(&self) -> Option<&Located> {
        if let Relative::In(folder) = &self.relative { Some(folder) } else { None }
    }
}

impl Mounts {
    /// The location of a path of a definition on this machine.
    pub(crate) fn locate(&self, path: &str, base: &Base) -> Result<Located, Unlocated> {
        let absolute = match &base.relative {
            Relative::In(folder) if is_relative(path) => return self.below(folder, path),
            Relative::Below(folder) if is_relative(path) => Cow::Owned(format!("{folder}/{path}")),
            _ => Cow::Borrowed(path),
        };
        let uri = base.store.qualify(&absolute);
        match self.resolve(&uri) {
            Resolved::Local { path: local, mounted } => {
                let local = local.into_owned();
                let uri = if mounted { uri.as_str().to_owned() } else { local.to_string_lossy().into_owned() };
                Ok(Located { shown: path.to_owned(), uri, local })
            }
            Resolved::Unmapped(store) => Err(Unlocated::Unmounted { uri: uri.as_str().to_owned(), store }),
            Resolved::Invalid(why) => Err(Unlocated::Invalid(why)),
        }
    }

    /// A relative path in a folder; in a mounted folder it may not leave the mount.
    fn below(&self, folder: &Located, path: &str) -> Result<Located, Unlocated> {
        let mut found = folder.join(path);
        if let Some(root) = self.root_of(&folder.local).filter(|_| has_parent_step(&found.local)) {
            found.local = without_parent_steps(&found.local);
            if !found.local.starts_with(root) {
                return Err(Unlocated::Invalid("it leaves its mount through \"..\""));
            }
            found.uri = folder.uri_of(&found.local);
        }
        Ok(Located { shown: path.to_owned(), ..found })
    }
}

/// Whether a text is a relative path.
fn is_relative(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && !has_scheme(path) && !path.contains('\0')
}

fn without_parent_steps(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::ParentDir => _ = plain.pop(),
            _ => plain.push(step),
        }
    }
    plain
}

/// Data in a Hive metastore: partitions of a table, or the whole table. Like [`Located`], only [`Mounts::find_data`]
/// creates it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MetastoreData {
    uri: String,
}

impl Mounts {
    /// The data of a metastore that a URI names; `None` for any other URI, and when a mount maps it to a folder. An
    /// error for a URI that names no table.
    pub(crate) fn find_data(&self, uri: &str) -> Result<Option<MetastoreData>, Error> {
        let is_mounted = || self.locate(uri, &Base::this_machine()).is_ok();
        if !uri.starts_with(HCATALOG) || is_mounted() {
            return Ok(None);
        }
        Partition::parse(uri).map(|_| Some(MetastoreData { uri: uri.to_owned() }))
    }
}

impl MetastoreData {
    /// As the definition writes it.
    pub(crate) fn shown(&self) -> &str {
        &self.uri
    }
}

impl Located {
    /// As the definition writes it.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// With its store; on this machine, only the path.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    /// The path on this machine, to pass to a command or to print.
    pub(crate) fn local(&self) -> &Path {
        &self.local
    }

    /// The last step of the path.
    pub(crate) fn name(&self) -> Option<&str> {
        self.local.file_name().and_then(|name| name.to_str())
    }

    /// Whether it is a pattern, which can match several paths.
    pub(crate) fn is_pattern(&self) -> bool {
        self.local.to_str().is_some_and(glob::is_pattern)
    }

    /// The folders of a pattern before the first step with a pattern character.
    pub(crate) fn fixed_part(&self) -> &Path {
        let is_fixed = |folder: &&Path| !folder.to_str().is_some_and(glob::is_pattern);
        self.local.ancestors().skip(1).find(is_fixed).unwrap_or(&self.local)
    }

    /// The entry `name` of this folder.
    pub(crate) fn entry(&self, name: &OsStr) -> Self {
        self.found(self.local.join(name))
    }

    /// A relative path inside this folder.
    pub(crate) fn join(&self, path: &str) -> Self {
        // A path that starts with `/` would leave the folder.
        let path = path.trim_start_matches('/');
        let below = |text: &str| format!("{}/{path}", text.trim_end_matches('/'));
        Self { shown: below(&self.shown), uri: below(&self.uri), local: self.local.join(path) }
    }

    /// The folder that contains it; for `/`, itself.
    pub(crate) fn folder(&self) -> Self {
        let local = self.local.parent().unwrap_or(Path::new("/")).to_owned();
        Self { shown: local.to_string_lossy().into_owned(), uri: self.uri_of(&local), local }
    }

    /// Another name in the same folder; `None` for `/`.
    pub(crate) fn beside(&self, name: &str) -> Option<Self> {
        self.local.file_name().map(|_| self.folder().join(name))
    }

    /// A path of this machine that was found and is not in a definition.
    fn on_this_machine(local: PathBuf) -> Self {
        let text = local.to_string_lossy().into_owned();
        Self { shown: text.clone(), uri: text, local }
    }

    /// Another path of the same store, beside, above or below this one; it is shown as on this machine.
    fn found(&self, local: PathBuf) -> Self {
        Self { shown: local.to_string_lossy().into_owned(), uri: self.uri_of(&local), local }
    }

    /// The URI of another local path of the same store: URI and local path have the same end and different starts.
    fn uri_of(&self, other: &Path) -> String {
        let (local, other) = (self.local.to_string_lossy(), other.to_string_lossy());
        let alike = self.uri.bytes().rev().zip(local.bytes().rev()).take_while(|(one, other)| one == other).count();
        let boundary = local.len() - alike;
        let from = local.as_bytes()[boundary..].iter().position(|byte| *byte == b'/').map(|at| boundary + at);
        let Some(from) = from else { return other.into_owned() };
        let (beginning, rest) =
            (&self.uri[..self.uri.len() - (local.len() - from)], other.strip_prefix(&local[..from]));
        rest.map_or_else(|| other.clone().into_owned(), |rest| format!("{beginning}{rest}"))
    }
}

#[cfg(test)]
mod tests;

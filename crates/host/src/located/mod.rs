//! Decides to which store a path of a definition belongs, and where that is: on this machine, or on a server.
//!
//! A path with a scheme names its store itself. Without one it belongs to the store of its element ([`Base`]): in `fs`
//! and `prepare` that of the action's name-node, elsewhere that of the application path. [`Mounts::locate`] decides
//! this and creates every [`Located`]; code that touches a file for a job takes a `Located` and no text
//! ([`operations`]). So a path of a store that is not mounted never becomes a path of this machine.

mod behind;
mod inspection;
mod operations;
mod remote;
mod removable;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use super::default_store::{DefaultStore, Qualified};
pub use super::glob::GlobError;
pub use super::tree::Kind;
pub use super::tree::change::Reach;
pub use operations::Target;

use super::default_store::has_scheme;
use super::file_store::{BUCKET_SCHEMES, StoreAddress};
use super::glob;
use super::mounts::{Mounts, Resolved, has_parent_step};
use howdah_words::error::Error;
use howdah_words::model::partition::{HCATALOG, Partition};

/// A path of a definition and where it is. May be a pattern where an operation allows one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Located {
    /// As the definition writes it.
    shown: String,
    /// With its store; a plain path on this machine.
    uri: String,
    /// In its store: an absolute path of this machine, or of the server.
    path: PathBuf,
    /// The server that has it; `None` for this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Arc<StoreAddress>>,
}

/// A [`Located`] as it is stored for attempts; earlier versions stored only the local path, or that and the text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Path(PathBuf),
    Whole {
        shown: String,
        uri: Option<String>,
        #[serde(alias = "local")]
        path: PathBuf,
        server: Option<Arc<StoreAddress>>,
    },
}

impl From<Stored> for Located {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Path(local) => Self::on_this_machine(local),
            Stored::Whole { shown, uri, path, server } => {
                Self { uri: uri.unwrap_or_else(|| path.to_string_lossy().into_owned()), shown, path, server }
            }
        }
    }
}

/// A change of what a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// The permission bits.
    Mode(u32),
    /// The group.
    Group {
        name: &'a str,
        /// Its number on this machine; a server knows its groups by name.
        number: Option<u32>,
    },
}

/// The base of a path without a scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base {
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

/// Why a path has no location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlocated {
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
pub fn help(store: &str) -> String {
    let mut text = format!("say where its files are on this machine: --mount {store}=/some/folder");
    match store.split_once("://") {
        Some(("hdfs", _)) => {
            text.extend([", or which server has them: --mount ", store, "=webhdfs://namenode:9870"]);
        }
        Some(("viewfs", _)) => text.extend([", or that its links are followed: --mount ", store]),
        Some(("webhdfs" | "swebhdfs", _)) => text.extend([", or that its server is asked: --mount ", store]),
        Some((scheme, _)) if BUCKET_SCHEMES.contains(&scheme) => {
            text.extend([", or that its bucket is asked: --mount ", store, " (feature object-store)"]);
        }
        _ => {}
    }
    text
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
    pub fn this_machine() -> Self {
        Self::default()
    }

    /// A store, for absolute paths only.
    pub const fn store(store: DefaultStore) -> Self {
        Self { store, relative: Relative::Refused }
    }

    /// A folder for relative paths, and the store of `uri` for absolute ones.
    pub fn of_application(uri: &str, folder: Located) -> Self {
        Self { store: DefaultStore::of(uri), relative: Relative::In(folder) }
    }

    /// A store with the user's home as the folder of relative paths: `home` on this machine, `/user/NAME` elsewhere.
    pub fn with_home(store: DefaultStore, user: &str, home: &Path) -> Self {
        let is_here = store.is_this_machine();
        let path = if is_here { home.to_string_lossy().into_owned() } else { format!("/user/{user}") };
        Self { store, relative: Relative::Below(path) }
    }

    /// A path with its store, mounted or not; a path of this machine stays a path.
    pub fn uri_of(&self, path: &str) -> String {
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
    pub const fn default_store(&self) -> &DefaultStore {
        &self.store
    }

    /// The folder of relative paths.
    pub const fn folder(&self) -> Option<&Located> {
        if let Relative::In(folder) = &self.relative { Some(folder) } else { None }
    }
}

impl Mounts {
    /// The location of a path of a definition.
    pub fn locate(&self, path: &str, base: &Base) -> Result<Located, Unlocated> {
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
                Ok(Located { shown: path.to_owned(), uri, path: local, server: None })
            }
            Resolved::Server { server, path: there } => {
                let uri = server.uri_of(&there);
                Ok(Located { shown: path.to_owned(), uri, path: there, server: Some(server) })
            }
            Resolved::Unmapped(store) => Err(Unlocated::Unmounted { uri: uri.as_str().to_owned(), store }),
            Resolved::Invalid(why) => Err(Unlocated::Invalid(why)),
        }
    }

    /// A relative path in a folder; in a mounted folder it may not leave the mount.
    fn below(&self, folder: &Located, path: &str) -> Result<Located, Unlocated> {
        let mut found = folder.join(path);
        let root = match &folder.server {
            Some(server) => Some(Path::new(&server.folder)),
            None => self.root_of(&folder.path),
        };
        if let Some(root) = root.filter(|_| has_parent_step(&found.path)) {
            found.path = without_parent_steps(&found.path);
            if !found.path.starts_with(root) {
                return Err(Unlocated::Invalid("it leaves its mount through \"..\""));
            }
            found.uri = folder.uri_of(&found.path);
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
pub struct MetastoreData {
    uri: String,
}

impl Mounts {
    /// The data of a metastore that a URI names; `None` for any other URI, and when a mount maps it to a folder. An
    /// error for a URI that names no table.
    pub fn find_data(&self, uri: &str) -> Result<Option<MetastoreData>, Error> {
        let is_mounted = || self.locate(uri, &Base::this_machine()).is_ok();
        if !uri.starts_with(HCATALOG) || is_mounted() {
            return Ok(None);
        }
        Partition::parse(uri).map(|_| Some(MetastoreData { uri: uri.to_owned() }))
    }
}

impl MetastoreData {
    /// As the definition writes it.
    pub fn shown(&self) -> &str {
        &self.uri
    }
}

impl Located {
    /// A file or folder of this machine that a user names on the command line, or that the site names.
    pub fn named_here(path: &Path) -> Self {
        Self::on_this_machine(path.to_owned())
    }

    /// As the definition writes it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// With its store; on this machine, only the path.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The path in its store, for its steps alone: only [`Self::here`] says where a file of this machine is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path on this machine; `None` when a server has it.
    pub fn here(&self) -> Option<&Path> {
        self.server.is_none().then_some(&self.path)
    }

    /// The server that has it; `None` for this machine.
    pub fn server(&self) -> Option<&StoreAddress> {
        self.server.as_deref()
    }

    /// Where it is, to pass to a command or to print: the path on this machine, or the URI.
    pub fn place(&self) -> Cow<'_, str> {
        match &self.server {
            None => self.path.to_string_lossy(),
            Some(_) => Cow::Borrowed(&self.uri),
        }
    }

    /// The last step of the path.
    pub fn name(&self) -> Option<&str> {
        self.path.file_name().and_then(|name| name.to_str())
    }

    /// Whether it is a pattern, which can match several paths.
    pub fn is_pattern(&self) -> bool {
        self.path.to_str().is_some_and(glob::is_pattern)
    }

    /// Whether it is `above`, or below it in the same store. A server is one store, however many mounts it has.
    pub fn is_at_or_below(&self, above: &Self) -> bool {
        let is_same_store = match (&self.server, &above.server) {
            (Some(one), Some(other)) => one.is_same_server(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_store && self.path.starts_with(&above.path)
    }

    /// The folders of a pattern before the first step with a pattern character.
    pub fn fixed_part(&self) -> Self {
        let is_fixed = |folder: &&Path| !folder.to_str().is_some_and(glob::is_pattern);
        self.found(self.path.ancestors().skip(1).find(is_fixed).unwrap_or(&self.path).to_owned())
    }

    /// The entry `name` of this folder.
    pub fn entry(&self, name: &OsStr) -> Self {
        self.found(self.path.join(name))
    }

    /// A relative path inside this folder.
    pub fn join(&self, path: &str) -> Self {
        // A path that starts with `/` would leave the folder.
        let path = path.trim_start_matches('/');
        let below = |text: &str| format!("{}/{path}", text.trim_end_matches('/'));
        Self {
            shown: below(&self.shown),
            uri: below(&self.uri),
            path: self.path.join(path),
            server: self.server.clone(),
        }
    }

    /// The folder that contains it; for `/`, itself.
    pub fn folder(&self) -> Self {
        self.found(self.path.parent().unwrap_or(Path::new("/")).to_owned())
    }

    /// Another name in the same folder; `None` for `/`.
    pub fn beside(&self, name: &str) -> Option<Self> {
        self.path.file_name().map(|_| self.folder().join(name))
    }

    /// A path of this machine that was found and is not in a definition.
    fn on_this_machine(path: PathBuf) -> Self {
        let text = path.to_string_lossy().into_owned();
        Self { shown: text.clone(), uri: text, path, server: None }
    }

    /// Another path of the same store, beside, above or below this one; it is shown as it is in the store.
    fn found(&self, path: PathBuf) -> Self {
        let uri = self.uri_of(&path);
        let shown = if self.server.is_some() { uri.clone() } else { path.to_string_lossy().into_owned() };
        Self { shown, uri, path, server: self.server.clone() }
    }

    /// The URI of another path of the same store. In a mounted folder, URI and path have the same end and different
    /// starts.
    fn uri_of(&self, other: &Path) -> String {
        if let Some(server) = &self.server {
            return server.uri_of(other);
        }
        let (local, other) = (self.path.to_string_lossy(), other.to_string_lossy());
        let alike = self.uri.bytes().rev().zip(local.bytes().rev()).take_while(|(one, other)| one == other).count();
        let boundary = local.len() - alike;
        let from = local.as_bytes()[boundary..].iter().position(|byte| *byte == b'/').map(|at| boundary + at);
        let Some(from) = from else { return other.into_owned() };
        let (beginning, rest) =
            (&self.uri[..self.uri.len() - (local.len() - from)], other.strip_prefix(&local[..from]));
        rest.map_or_else(|| other.clone().into_owned(), |rest| format!("{beginning}{rest}"))
    }
}

#[cfg(all(test, feature = "object-store"))]
mod hostile_keys_tests;
#[cfg(test)]
mod hostile_names_tests;
#[cfg(test)]
mod tests;

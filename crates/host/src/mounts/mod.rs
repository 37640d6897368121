//! Maps the URIs of stores to folders of this machine, or to the servers that have their files.
//!
//! A mount `hdfs://foo:8020=/data/foo` maps a URI prefix to a folder, `hdfs://foo:8020=webhdfs://foo:9870` to a server,
//! and `webhdfs://foo:9870` alone to the server of that name; the longest prefix on a path boundary wins.
//! A URI without an authority gets that of the default file system, when it has its scheme and no mount is for it.
//! `file:///x`, `file:/x` and plain absolute paths need no mount. `located` has already decided to which store a path
//! without a scheme belongs. Accesses no file: `presence` checks whether a path exists. Escapes such as `%20` stay
//! literal, as in Hadoop's paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::default_store::Qualified;
use super::file_store::{DefaultSystem, StoreAddress, StoreSettings};
use super::uri::{UriParts, split_uri};
use howdah_words::error::{Error, ErrorCode};

/// The mounts of a command or tick.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Mounts {
    /// The longest prefix first.
    list: Vec<Mount>,
    /// The file system of URIs without an authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<DefaultSystem>,
}

/// Mounts as they are stored for attempts; before there was a default file system they were a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    List(Vec<Mount>),
    Whole { list: Vec<Mount>, default: Option<DefaultSystem> },
}

impl From<Stored> for Mounts {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::List(list) => Self { list, default: None },
            Stored::Whole { list, default } => Self { list, default },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mount {
    scheme: String,
    authority: String,
    /// Without a slash at the end; empty for the whole store.
    path: String,
    /// Earlier versions stored a folder under the name `directory`.
    #[serde(alias = "directory", deserialize_with = "target")]
    target: Target,
}

/// Where the files of a mount are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Target {
    Folder(PathBuf),
    Server(Arc<StoreAddress>),
}

/// Reads a target as it is stored for attempts; before there were servers it was the path of a folder.
fn target<'de, D: Deserializer<'de>>(stored: D) -> Result<Target, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Folder(PathBuf),
        Any(Target),
    }
    Ok(match Stored::deserialize(stored)? {
        Stored::Folder(folder) => Target::Folder(folder),
        Stored::Any(target) => target,
    })
}

/// What separates mounts in one line.
const SEPARATORS: &[char] = &[',', ' '];
const NEVER: &[char] = &[];

/// The result for a URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolved<'a> {
    /// A path of this machine.
    Local {
        path: Cow<'a, Path>,
        /// Whether a mount gave it.
        mounted: bool,
    },
    /// A path of a server.
    Server { server: Arc<StoreAddress>, path: PathBuf },
    /// A store that no mount covers; the text is its `scheme://authority`.
    Unmapped(String),
    /// No valid path; the text says why.
    Invalid(&'static str),
}

impl Mounts {
    /// Reads mounts of the form `URI-PREFIX=DIRECTORY`; H0120 names the first that is invalid.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let mut mounts: Vec<Mount> = Vec::new();
        for text in texts.into_iter().map(str::trim).filter(|text| !text.is_empty()) {
            let refuse = |why: &str| Error::with(ErrorCode::H0120, &[&text, &why]);
            let help = "write URI-PREFIX=DIRECTORY or URI-PREFIX=SERVER, such as hdfs://namenode:8020=/data or \
                        hdfs://namenode:8020=webhdfs://namenode:9870";
            let mount = parse_mount(text).map_err(|why| refuse(why).help(help))?;
            match mounts.iter().find(|other| other.same_prefix(&mount)) {
                None => mounts.push(mount),
                // Given twice, for example on the command line and in the environment.
                Some(other) if other.target == mount.target => {}
                Some(_) => return Err(refuse("this prefix is mounted at two places")),
            }
        }
        mounts.sort_by_key(|mount| std::cmp::Reverse(mount.path.len()));
        Ok(Self { list: mounts, default: None })
    }

    /// Resolves a URI; a plain absolute path in normal form allocates no memory.
    pub(super) fn resolve<'q>(&self, uri: &'q Qualified<'_>) -> Resolved<'q> {
        self.find(uri.as_str())
    }

    fn find<'a>(&self, uri: &'a str) -> Resolved<'a> {
        let here = |path| Resolved::Local { path, mounted: false };
        if uri.contains('\0') {
            return Resolved::Invalid("it holds a zero byte");
        }
        if uri.starts_with('/') {
            return here(normal_path(uri));
        }
        let Some(parts) = split_uri(uri) else {
            return Resolved::Invalid("it is neither an absolute path nor a URI with an absolute path");
        };
        if let Some(mount) = self.list.iter().find(|mount| mount.covers(&parts)) {
            return mount.resolve(&parts);
        }
        if parts.scheme.eq_ignore_ascii_case("file") {
            return match parts.authority {
                "" | "localhost" => here(normal_path(parts.path_or_root())),
                _ => Resolved::Invalid("a file URI names no other machine"),
            };
        }
        self.in_default(&parts).unwrap_or_else(|| Resolved::Unmapped(parts.store()))
    }

    /// The result for a URI that gets its authority from the default file system.
    fn in_default(&self, parts: &UriParts<'_>) -> Option<Resolved<'static>> {
        let authority = self.default.as_ref().filter(|_| parts.authority.is_empty())?.authority_for(parts.scheme)?;
        let parts = UriParts { authority, ..*parts };
        let mount = self.list.iter().find(|mount| mount.covers(&parts));
        Some(mount.map_or_else(|| Resolved::Unmapped(parts.store()), |mount| mount.resolve(&parts)))
    }

    /// The prefix of each mounted folder with the folder.
    pub fn folders(&self) -> impl Iterator<Item = (String, &Path)> {
        self.list.iter().filter_map(|mount| Some((mount.prefix(), mount.folder()?)))
    }

    /// The same mounts; their servers are asked as the site has set, and `default` is the file system of URIs without
    /// an authority, and of servers without one.
    #[must_use]
    pub fn with(mut self, settings: &StoreSettings, default: Option<DefaultSystem>) -> Self {
        for mount in &mut self.list {
            if let Target::Server(server) = &mut mount.target {
                let scheme = server.server.strip_suffix("://");
                let authority = scheme.and_then(|scheme| default.as_ref()?.authority_for(scheme)).unwrap_or_default();
                let named = format!("{}{authority}", server.server);
                *server = Arc::new(settings.address(&server.name, &named, &server.folder));
            }
        }
        self.default = default;
        self
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The mounted servers whose folders are links to those of other stores.
    pub(super) fn tables(&self) -> impl Iterator<Item = &StoreAddress> {
        self.list.iter().filter_map(Mount::server).filter(|server| server.is_mount_table())
    }

    /// The mounts in the form that [`Self::parse`] reads.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.list.iter().map(|mount| match &mount.target {
            Target::Folder(folder) => format!("{}={}", mount.prefix(), folder.display()),
            Target::Server(server) => format!("{}={}{}", mount.prefix(), server.server, server.folder),
        })
    }

    /// The mounts as one text that [`Self::split`] reads: one on each line. Empty without mounts.
    pub fn lines(&self) -> String {
        let mut text = self.texts().collect::<Vec<_>>().join("\n");
        // A line end says that blanks and commas belong to a path.
        if text.contains([',', ' ']) && !text.contains('\n') {
            text.push('\n');
        }
        text
    }

    /// The mounts in a text: one on each line, or several, separated by commas or blanks. In a text of several lines, a
    /// line with one mount is a mount as a whole.
    pub fn split(text: &str) -> impl Iterator<Item = &str> {
        let is_in_lines = text.contains('\n');
        let parts = move |line: &'_ str| is_in_lines && line.matches("://").count() == 1;
        text.lines().flat_map(move |line| line.split(if parts(line) { NEVER } else { SEPARATORS })).map(str::trim)
    }

    /// The mounted folders.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter_map(Mount::folder)
    }

    /// The folders of a server that mounts mean; not its root.
    pub(crate) fn folders_of<'a>(&'a self, server: &'a str) -> impl Iterator<Item = &'a str> {
        let servers = self.list.iter().filter_map(Mount::server).filter(move |address| address.server == server);
        servers.map(|address| address.folder.as_str()).filter(|folder| !folder.is_empty())
    }

    /// The innermost mounted folder that contains `path` (or is it), by its text only.
    pub(crate) fn root_of(&self, path: &Path) -> Option<&Path> {
        self.roots().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len())
    }
}

impl Mount {
    fn covers(&self, uri: &UriParts<'_>) -> bool {
        self.scheme.eq_ignore_ascii_case(uri.scheme)
            && self.authority.eq_ignore_ascii_case(uri.authority)
            && uri.path.strip_prefix(self.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The result for a URI that it covers.
    fn resolve(&self, uri: &UriParts<'_>) -> Resolved<'static> {
        let rest = &uri.path[self.path.len().min(uri.path.len())..];
        if rest.split('/').any(|part| part == "..") {
            return Resolved::Invalid("it leaves its mount through \"..\"");
        }
        let below = |folder: &str| normal_path(&format!("{folder}/{rest}")).into_owned();
        match &self.target {
            Target::Folder(folder) => {
                Resolved::Local { path: Cow::Owned(below(&folder.to_string_lossy())), mounted: true }
            }
            Target::Server(server) => Resolved::Server { server: Arc::clone(server), path: below(&server.folder) },
        }
    }

    fn server(&self) -> Option<&StoreAddress> {
        if let Target::Server(server) = &self.target { Some(server) } else { None }
    }

    /// The text before `=`.
    fn prefix(&self) -> String {
        format!("{}://{}{}", self.scheme, self.authority, self.path)
    }

    fn folder(&self) -> Option<&Path> {
        if let Target::Folder(folder) = &self.target { Some(folder) } else { None }
    }

    fn same_prefix(&self, other: &Self) -> bool {
        (&self.scheme, &self.authority, &self.path) == (&other.scheme, &other.authority, &other.path)
    }
}

fn parse_mount(text: &str) -> Result<Mount, &'static str> {
    let (prefix, target) = split_mount(text).ok_or("it has neither an absolute directory nor a server after \"=\"")?;
    let parts = split_uri(prefix).ok_or("the part before \"=\" is not a URI prefix")?;
    let server = split_uri(target).filter(|_| !target.starts_with('/'));
    let folder = normal_path(server.as_ref().map_or(target, |server| server.path));
    if [Path::new(parts.path), &folder].iter().any(|path| has_parent_step(path)) {
        return Err("\"..\" is not allowed");
    }
    let (scheme, authority) = (parts.scheme.to_ascii_lowercase(), parts.authority.to_ascii_lowercase());
    let path = parts.path.trim_end_matches('/').to_owned();
    let target = match server {
        None => Target::Folder(folder.into_owned()),
        Some(server) if server.scheme.eq_ignore_ascii_case("file") => {
            return Err("a folder of this machine is written as a path");
        }
        Some(server) => {
            let name = format!("{scheme}://{authority}{path}");
            let address = format!("{}://{}", server.scheme.to_ascii_lowercase(), server.authority);
            let folder = folder.to_string_lossy();
            Target::Server(Arc::new(StoreSettings::default().address(&name, &address, folder.trim_end_matches('/'))))
        }
    };
    Ok(Mount { scheme, authority, path, target })
}

/// The prefix and the target of a mount; a server alone is both. A prefix may contain `dt=2009`, so the first `=`
/// before a slash or a URI is the separator.
fn split_mount(text: &str) -> Option<(&str, &str)> {
    let is_target = |text: &str| text.starts_with('/') || split_uri(text).is_some_and(|_| text.contains("://"));
    let split = text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let found = split.into_iter().find(|(_, target)| is_target(target));
    found.or_else(|| (!text.contains('=') && is_target(text) && !text.starts_with('/')).then_some((text, text)))
}

/// Whether a step of `path` is `..`.
pub(crate) fn has_parent_step(path: &Path) -> bool {
    path.components().any(|part| part == std::path::Component::ParentDir)
}

/// An absolute path with single slashes and none at its end.
fn normal_path(path: &str) -> Cow<'_, Path> {
    if path.contains("//") {
        let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
        return Cow::Owned(PathBuf::from(format!("/{}", steps.join("/"))));
    }
    let trimmed = path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(path);
    Cow::Borrowed(Path::new(trimmed))
}

#[cfg(test)]
mod tests;

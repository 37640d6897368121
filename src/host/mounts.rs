//! Maps the URIs of stores to folders of this machine, or to the servers that have their files.
//!
//! A mount `hdfs://foo:8020=/data/foo` maps a URI prefix to a folder, `hdfs://foo:8020=webhdfs://foo:9870` to a server,
//! and `webhdfs://foo:9870` alone to the server of that name; the longest prefix on a path boundary wins.
//! `file:///x`, `file:/x` and plain absolute paths need no mount. `located` has already decided to which store a path
//! without a scheme belongs. Accesses no file: `presence` checks whether a path exists. Escapes such as `%20` stay
//! literal, as in Hadoop's paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::default_store::Qualified;
use super::file_store::{StoreAddress, StoreSettings};
use super::uri::{UriParts, split_uri};
use crate::error::{Error, ErrorCode};

/// The mounts of a command or tick, longest prefix first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mounts(Vec<Mount>);

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
    pub(crate) fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
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
        Ok(Self(mounts))
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
        if let Some(mount) = self.0.iter().find(|mount| mount.covers(&parts)) {
            let rest = &parts.path[mount.path.len().min(parts.path.len())..];
            if rest.split('/').any(|part| part == "..") {
                return Resolved::Invalid("it leaves its mount through \"..\"");
            }
            let below = |folder: &str| normal_path(&format!("{folder}/{rest}")).into_owned();
            return match &mount.target {
                Target::Folder(folder) => {
                    Resolved::Local { path: Cow::Owned(below(&folder.to_string_lossy())), mounted: true }
                }
                Target::Server(server) => Resolved::Server { server: Arc::clone(server), path: below(&server.folder) },
            };
        }
        if parts.scheme.eq_ignore_ascii_case("file") {
            return match parts.authority {
                "" | "localhost" => here(normal_path(parts.path_or_root())),
                _ => Resolved::Invalid("a file URI names no other machine"),
            };
        }
        Resolved::Unmapped(format!("{}://{}", parts.scheme, parts.authority))
    }

    /// The prefix of each mounted folder with the folder.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (String, &Path)> {
        self.0.iter().filter_map(|mount| Some((mount.prefix(), mount.folder()?)))
    }

    /// The same mounts; their servers are asked as the site has set.
    #[must_use]
    pub(crate) fn with(mut self, settings: &StoreSettings) -> Self {
        for mount in &mut self.0 {
            if let Target::Server(server) = &mut mount.target {
                *server = Arc::new(settings.address(&server.name, &server.server, &server.folder));
            }
        }
        self
    }

    /// The mounts in the form that [`Self::parse`] reads.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|mount| match &mount.target {
            Target::Folder(folder) => format!("{}={}", mount.prefix(), folder.display()),
            Target::Server(server) => format!("{}={}{}", mount.prefix(), server.server, server.folder),
        })
    }

    /// The mounts as one text that [`Self::split`] reads: one on each line. Empty without mounts.
    pub(crate) fn lines(&self) -> String {
        let mut text = self.texts().collect::<Vec<_>>().join("\n");
        // A line end says that blanks and commas belong to a path.
        if text.contains([',', ' ']) && !text.contains('\n') {
            text.push('\n');
        }
        text
    }

    /// The mounts in a text: one on each line, or several, separated by commas or blanks. In a text of several lines, a
    /// line with one mount is a mount as a whole.
    pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
        let is_in_lines = text.contains('\n');
        let parts = move |line: &'_ str| is_in_lines && line.matches("://").count() == 1;
        text.lines().flat_map(move |line| line.split(if parts(line) { NEVER } else { SEPARATORS })).map(str::trim)
    }

    /// The mounted folders.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter_map(Mount::folder)
    }

    /// The folders of a server that mounts mean; not its root.
    pub(crate) fn folders_of<'a>(&'a self, server: &'a str) -> impl Iterator<Item = &'a str> {
        let folder = move |mount: &'a Mount| match &mount.target {
            Target::Server(address) if address.server == server => Some(address.folder.as_str()),
            Target::Server(_) | Target::Folder(_) => None,
        };
        self.0.iter().filter_map(folder).filter(|folder| !folder.is_empty())
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
mod tests {
    use super::*;

    fn check(uri: &str, expect: &str) {
        let mounts = Mounts::parse([
            "hdfs://foo:8020=/data/foo",
            "hdfs://foo:8020/logs/=/fast/logs",
            "hdfs://foo:8020/p/dt=2009=/part",
            "s3a://bucket=/s3",
            "hdfs://=/default/",
            "webhdfs://Nn:9870",
            "hdfs://far:8020=webhdfs://far:9870",
            "hdfs://far:8020/lake/dt=1=webhdfs://far:9870/mnt/",
        ])
        .unwrap();
        let got = match mounts.find(uri) {
            Resolved::Local { path, .. } => path.display().to_string(),
            Resolved::Server { server, path } => format!("{} {}", server.server, path.display()),
            Resolved::Unmapped(store) => format!("unmapped {store}"),
            Resolved::Invalid(why) => format!("invalid: {why}"),
        };
        assert!(if expect == "invalid" { got.starts_with(expect) } else { got == expect }, "{uri}: {got}");
    }

    #[test]
    fn mounts_of_earlier_versions_are_still_read() {
        let read = |text: &str| serde_json::from_str::<Mounts>(text).unwrap();
        let earlier = r#"[{"scheme":"hdfs","authority":"nn:8020","path":"/a","directory":"/data/nn"}]"#;
        assert_eq!(read(earlier), Mounts::parse(["hdfs://nn:8020/a=/data/nn"]).unwrap());
        let mounts = Mounts::parse(["hdfs://nn=/data", "hdfs://far=webhdfs://far:9870/x"]).unwrap();
        assert_eq!(read(&serde_json::to_string(&mounts).unwrap()), mounts);
    }

    #[test]
    fn longest_prefix_on_a_boundary_wins() {
        check("hdfs://foo:8020/a/b", "/data/foo/a/b");
        check("HDFS://FOO:8020/a/b/", "/data/foo/a/b");
        check("hdfs://foo:8020", "/data/foo");
        check("hdfs://foo:8020/logs/2009", "/fast/logs/2009");
        check("hdfs://foo:8020/logs", "/fast/logs");
        check("hdfs://foo:8020/logsmore/x", "/data/foo/logsmore/x");
        check("hdfs://foo:8020/p/dt=2009/x", "/part/x");
        check("s3a://bucket//a///b", "/s3/a/b");
        check("hdfs:///a%20b", "/default/a%20b");
        check("hdfs:/a", "/default/a");
    }

    #[test]
    fn local_paths_need_no_mount() {
        check("file:///a/b", "/a/b");
        check("file:/a/b", "/a/b");
        check("file://localhost/a", "/a");
        check("/a//b/", "/a/b");
        check("/", "/");
        assert!(matches!(Mounts::default().find("/a/b/"), Resolved::Local { path: Cow::Borrowed(_), .. }));
    }

    #[test]
    fn servers_have_the_files_of_their_mounts() {
        check("webhdfs://nn:9870/a//b/", "webhdfs://Nn:9870 /a/b");
        check("webhdfs://nn:9870", "webhdfs://Nn:9870 /");
        check("hdfs://far:8020/a%20b", "webhdfs://far:9870 /a%20b");
        check("hdfs://far:8020/lake/dt=1/x", "webhdfs://far:9870 /mnt/x");
        check("hdfs://far:8020/lake/dt=11/x", "webhdfs://far:9870 /lake/dt=11/x");
        check("hdfs://far:8020/a/../b", "invalid");
        let mounts = Mounts::parse(["hdfs://n=/a", "webhdfs://n:1", "hdfs://m=webhdfs://n:1/x"]).unwrap();
        assert_eq!(Mounts::parse(Mounts::split(&mounts.lines())).unwrap(), mounts);
        assert_eq!(mounts.roots().count(), 1);
    }

    #[test]
    fn the_rest_is_unmapped_or_invalid() {
        check("hdfs://bar:8020/a", "unmapped hdfs://bar:8020");
        check("hcat://m:1/db/t/dt=1", "unmapped hcat://m:1");
        for uri in ["", "a/b", "hdfs:a", "file://other/a", "/a\0b", "hdfs://foo:8020/../x", "1a://x/y"] {
            check(uri, "invalid");
        }
    }

    #[test]
    fn the_text_of_mounts_is_read_again() {
        for folders in [&[][..], &["/data"], &["/a b, c"], &["/data", "/a b"], &["/data", "/b"]] {
            let texts: Vec<String> = (0..).zip(folders).map(|(n, folder)| format!("hdfs://n{n}={folder}")).collect();
            let mounts = Mounts::parse(texts.iter().map(String::as_str)).unwrap();
            assert_eq!(Mounts::parse(Mounts::split(&mounts.lines())).unwrap(), mounts, "{folders:?}");
        }
        for text in ["hdfs://a=/x, hdfs://b=/y", "hdfs://a=/x,hdfs://b=/y\n", "\nhdfs://a=/x\n hdfs://b=/y,\n"] {
            let mounts = Mounts::parse(Mounts::split(text));
            assert_eq!(mounts.map(|mounts| mounts.texts().count()).ok(), Some(2), "{text}");
        }
    }

    #[test]
    fn wrong_mounts_are_refused() {
        for text in [
            "hdfs://foo=data",
            "=/data",
            "/a=/b",
            "/a",
            "hdfs://foo=/a/../b",
            "hdfs://foo=webhdfs://n/../b",
            "hdfs://foo=file:///a",
        ] {
            assert_eq!(Mounts::parse([text]).unwrap_err().code(), ErrorCode::H0120, "{text}");
        }
        assert!(Mounts::parse(["hdfs://a=/x", "hdfs://A/=/y"]).is_err());
        assert_eq!(Mounts::parse([""]).unwrap(), Mounts::default());
    }
}

//! Where a store is, and how it may be asked.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::uri::split_uri;
use super::Holder;

/// The scheme of mount tables.
pub(super) const MOUNT_TABLE: &str = "viewfs";
/// The body of an answer may take this many times the limit of an answer: a large listing comes in many parts.
const PARTS: u32 = 6;

/// A store that the site has allowed: what definitions call it, and the server behind it. Holds no secret, so it may be
/// stored with an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreAddress {
    /// What definitions write, without a slash at the end, such as `hdfs://nn:8020` or `hdfs://nn:8020/lake`.
    pub name: String,
    /// The server that answers: `scheme://authority`, such as `webhdfs://nn:9870`. The same text when nothing else was
    /// set.
    pub server: String,
    /// The folder of the server that `name` means, without a slash at the end; empty for its root.
    pub folder: String,
    /// The folder of Hadoop's `core-site.xml` and `hdfs-site.xml`, if one was set.
    pub hadoop_folder: Option<String>,
    /// The account that asks in the name of the job's user; `None`: the user asks.
    pub proxy_user: Option<String>,
    /// The paths, each absolute, at or below which may be written and deleted; `None`: everywhere.
    pub writable: Option<Vec<String>>,
    pub limits: StoreLimits,
}

/// The default file system: a URI of its scheme that has no authority gets this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultSystem {
    pub scheme: String,
    pub authority: String,
}

impl DefaultSystem {
    /// The authority that a URI of a scheme gets.
    pub(crate) fn authority_for(&self, scheme: &str) -> Option<&str> {
        self.scheme.eq_ignore_ascii_case(scheme).then_some(self.authority.as_str())
    }
}

/// How long a store may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreLimits {
    /// For a connection, in milliseconds.
    pub connect: u64,
    /// For each answer, and for each part of a long one, in milliseconds.
    pub answer: u64,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self { connect: 3_000, answer: 20_000 }
    }
}

impl StoreLimits {
    /// The time for a connection.
    pub const fn connect(&self) -> Duration {
        Duration::from_millis(self.connect)
    }

    /// The time for an answer.
    pub const fn answer(&self) -> Duration {
        Duration::from_millis(self.answer)
    }

    /// The time for all parts of an answer that is read whole.
    pub(crate) fn whole_answer(&self) -> Duration {
        self.answer() * PARTS
    }
}

/// What the site says about its stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// The URI prefixes at or below which may be written and deleted; `None`: everywhere.
    pub writable: Option<Vec<String>>,
    pub hadoop_folder: Option<String>,
    pub proxy_user: Option<String>,
    pub limits: StoreLimits,
    /// For how long a tick may ask one store, in milliseconds.
    pub tick: u64,
    /// How many requests a tick sends to one store at once.
    pub requests: usize,
}

impl Default for StoreSettings {
    fn default() -> Self {
        let (writable, hadoop_folder, proxy_user) = (None, None, None);
        Self { writable, hadoop_folder, proxy_user, limits: StoreLimits::default(), tick: 10_000, requests: 16 }
    }
}

impl StoreSettings {
    /// For how long a tick may ask one store.
    pub(crate) const fn tick_time(&self) -> Duration {
        Duration::from_millis(self.tick)
    }

    /// The address of a store: what definitions write, the server behind it, and the folder of the server.
    pub fn address(&self, name: &str, server: &str, folder: &str) -> StoreAddress {
        StoreAddress {
            name: name.to_owned(),
            server: server.to_owned(),
            folder: folder.to_owned(),
            hadoop_folder: self.hadoop_folder.clone(),
            proxy_user: self.proxy_user.clone(),
            writable: self.writable_in(name, folder),
            limits: self.limits,
        }
    }

    /// The paths of the server at or below which may be written.
    fn writable_in(&self, prefix: &str, below: &str) -> Option<Vec<String>> {
        let in_server = |uri: &String| {
            let uri = uri.trim_end_matches('/');
            let (scheme_of_uri, rest) = uri.split_once("://")?;
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let rest = &format!("{}{path}", authority.to_ascii_lowercase());
            let (scheme, store) = prefix.split_once("://")?;
            let is_same = scheme.eq_ignore_ascii_case(scheme_of_uri);
            // What is above the mount allows all of it; what is below, a part.
            if is_same && is_at_or_below(store, rest) {
                Some(format!("{below}/"))
            } else {
                let part = (is_same && is_at_or_below(rest, store)).then(|| &rest[store.len()..])?;
                Some(format!("{below}{part}"))
            }
        };
        self.writable.as_ref().map(|uris| uris.iter().filter_map(in_server).collect())
    }
}

impl StoreAddress {
    /// What definitions write for a path of the server; the path alone when it is not below the folder.
    pub fn uri_of(&self, path: &Path) -> String {
        let path = path.to_string_lossy();
        let below = path.strip_prefix(self.folder.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        below.map_or_else(|| path.clone().into_owned(), |below| format!("{}{below}", self.name))
    }

    /// Whether the same server has the files, so that equal paths are the same file. What definitions call it, and what
    /// may be written there, can differ.
    pub(crate) fn is_same_server(&self, other: &Self) -> bool {
        // The site files say which servers a nameservice has.
        self.server == other.server && self.hadoop_folder == other.hadoop_folder
    }

    /// The address of the server behind a link of this mount table. What may be written there is what may be written in
    /// the link.
    pub(super) fn of_link(&self, link: &str, server: &str, folder: &str) -> Self {
        let allowed = |path: &String| {
            let path = path.trim_end_matches('/');
            if is_at_or_below(link, path) {
                return Some(format!("{folder}/"));
            }
            is_at_or_below(path, link).then(|| format!("{folder}{}", &path[link.len()..]))
        };
        Self {
            name: self.uri_of(Path::new(link)),
            server: server.to_owned(),
            folder: folder.to_owned(),
            writable: self.writable.as_ref().map(|paths| paths.iter().filter_map(allowed).collect()),
            ..self.clone()
        }
    }

    /// The scheme of the server.
    pub(super) fn scheme(&self) -> String {
        split_uri(&self.server).map_or_else(String::new, |parts| parts.scheme.to_ascii_lowercase())
    }

    /// Whether its folders are links to those of other stores.
    pub(crate) fn is_mount_table(&self) -> bool {
        split_uri(&self.server).is_some_and(|parts| parts.scheme.eq_ignore_ascii_case(MOUNT_TABLE))
    }

    /// Which store has a path of this one, with the rights of this thread. Asks no server.
    ///
    /// # Errors
    /// Like [`Self::connect`].
    pub fn holder(&self, path: &str) -> io::Result<Holder> {
        if self.is_mount_table() { self.connect()?.holder(path) } else { Ok(Holder::Store) }
    }

    /// Whether a path may be written and deleted.
    pub(crate) fn may_write(&self, path: &str) -> bool {
        let allows = |allowed: &String| is_at_or_below(path, allowed.trim_end_matches('/'));
        self.writable.as_ref().is_none_or(|allowed| allowed.iter().any(allows))
    }
}

/// Whether a path is `folder` or below it: `/data/output` is not below `/data/out`.
fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(writable: &[&str], mount: (&str, &str), path: &str, expect: bool) {
        let writable = Some(writable.iter().map(|uri| (*uri).to_owned()).collect());
        let settings = StoreSettings { writable, ..StoreSettings::default() };
        let address = settings.address(mount.0, "webhdfs://nn", mount.1);
        assert_eq!(address.may_write(path), expect, "{mount:?} {path} {:?}", address.writable);
    }

    #[test]
    fn only_named_folders_may_be_written() {
        let whole = ("hdfs://nn", "");
        for (path, expect) in
            [("/data/out", true), ("/data/out/x", true), ("/data/output", false), ("/data", false), ("/", false)]
        {
            check(&["hdfs://nn/data/out/"], whole, path, expect);
            check(&["hdfs://other/x", "hdfs://nn/data/out"], whole, path, expect);
        }
        check(&["hdfs://nn"], whole, "/x", true);
        check(&["hdfs://nn/"], whole, "/x", true);
        check(&["hdfs://n"], whole, "/x", false);
        check(&["webhdfs://nn/x"], whole, "/x", false);
        check(&[], whole, "/x", false);
        let part = ("hdfs://nn/lake", "/mnt");
        check(&["hdfs://nn/lake/out"], part, "/mnt/out/x", true);
        check(&["hdfs://nn/lake/out"], part, "/mnt/in", false);
        check(&["hdfs://nn"], part, "/mnt/in", true);
        check(&["hdfs://nn"], part, "/elsewhere", false);
        assert!(StoreSettings::default().address("hdfs://nn", "x", "").may_write("/x"));
    }

    #[test]
    fn what_may_be_written_in_a_link_may_be_written_behind_it() {
        let of_link = |writable: &[&str]| {
            let writable = Some(writable.iter().map(|uri| (*uri).to_owned()).collect());
            let settings = StoreSettings { writable, ..StoreSettings::default() };
            settings.address("viewfs://c", "viewfs://c", "").of_link("/data", "hdfs://nn", "/lake")
        };
        for (writable, path, expect) in [
            (&["viewfs://c"][..], "/lake/x", true),
            (&["viewfs://c/data"], "/lake/x", true),
            (&["viewfs://c/data"], "/lakes/x", false),
            (&["viewfs://c/data/out"], "/lake/out/x", true),
            (&["viewfs://c/data/out"], "/lake/in", false),
            (&["viewfs://c/other"], "/lake/x", false),
            (&["hdfs://nn"], "/lake/x", false),
        ] {
            assert_eq!(of_link(writable).may_write(path), expect, "{writable:?} {path}");
        }
        let address = of_link(&[]);
        assert_eq!(
            (address.name.as_str(), address.uri_of(Path::new("/lake/x")).as_str()),
            ("viewfs://c/data", "viewfs://c/data/x")
        );
    }
}

//! The mount table of the site files: which links it has, where they lead, and what a path is in it. Follows Hadoop's
//! `ViewFileSystem`. Must not connect to anything.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};

use super::super::address::MOUNT_TABLE;
use super::super::hadoop_conf::HadoopConf;
use super::super::site_files;
use super::super::store_path::StorePath;
use super::super::{DefaultSystem, StoreError};
use crate::uri::split_uri;

/// The start of the properties of all mount tables.
const PREFIX: &str = "fs.viewfs.mounttable.";
/// The table of a URI without an authority, and the property that gives it another name.
const DEFAULT_NAME: &str = "default";
const NAME_OF_DEFAULT: &str = "fs.viewfs.mounttable.default.name.key";

/// What the site files say about a mount table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table<T> {
    /// The links by their paths, none within another one. The path of a link at the root is empty.
    pub(super) links: BTreeMap<String, T>,
    /// Where the paths are that are in no link.
    pub(super) fallback: Option<T>,
    /// The folder of the home folders.
    pub(super) homes: Option<String>,
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// As `scheme://authority`.
    pub(super) server: String,
    /// Without a slash at the end; empty for the root.
    pub(super) folder: String,
}

/// What a path is in a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place<'t, 'p, T> {
    /// A folder above links.
    Above,
    /// In a link, or in the fallback.
    In {
        target: &'t T,
        /// The path from the target on; empty for the target itself.
        rest: &'p str,
    },
    /// In no link, and there is no fallback.
    Nowhere,
}

impl Table<Target> {
    /// The table of an authority, which may be empty.
    ///
    /// # Errors
    /// A refusal that says what is wrong, or what howdah cannot do.
    pub(super) fn read(conf: &HadoopConf, authority: &str) -> io::Result<Self> {
        let default = site_files::default_system(conf);
        let name = name(conf, authority, default.as_ref());
        let start = format!("{PREFIX}{name}.");
        let refuse = |why: &str| {
            let text = format!("the mount table [{name}] of the site files cannot be used: {why}");
            StoreError::refused(ErrorKind::InvalidInput, text)
        };
        let mut table = Self { links: BTreeMap::new(), fallback: None, homes: None };
        for property in conf.names().filter(|property| *property != NAME_OF_DEFAULT) {
            let Some(entry) = entry_of(property, &start) else { continue };
            let value = conf.get(property).ok_or_else(|| refuse(&format!("[{property}] has no value")))?;
            let added = table.add(entry, &value, default.as_ref());
            added.map_err(|why| refuse(&format!("[{property}] {why}")))?;
        }
        if table.links.is_empty() && table.fallback.is_none() {
            return Err(refuse(&format!("no property starts with {start}link")));
        }
        table.check().map_err(|why| refuse(&why))?;
        Ok(table)
    }

    /// Adds what a property says; `entry` is its name after that of the table.
    fn add(&mut self, entry: &str, value: &str, default: Option<&DefaultSystem>) -> Result<(), String> {
        match entry {
            "linkFallback" => self.fallback = Some(Target::of(value, default)?),
            "linkMergeSlash" => _ = self.links.insert(String::new(), Target::of(value, default)?),
            "homedir" => self.homes = Some(path(value)?.as_str().to_owned()),
            _ => match entry.split_once('.') {
                Some(("link", link)) => {
                    let link = path(link)?;
                    if link.is_root() {
                        return Err("is a link at the root, which is written as linkMergeSlash".to_owned());
                    }
                    let target = Target::of(value, default)?;
                    if self.links.insert(link.as_str().to_owned(), target).is_some() {
                        return Err("is there twice".to_owned());
                    }
                }
                Some(("linkMerge" | "linkNfly" | "linkRegex", _)) => {
                    return Err("is a kind of link that howdah does not follow: it knows link, linkFallback and \
                                linkMergeSlash"
                        .to_owned());
                }
                _ => return Err("is no known kind of entry".to_owned()),
            },
        }
        Ok(())
    }

    /// Refuses links within links.
    fn check(&self) -> Result<(), String> {
        let has_root = self.links.contains_key("");
        if has_root && (self.links.len() > 1 || self.fallback.is_some()) {
            return Err("a linkMergeSlash is the only link of its table".to_owned());
        }
        let within = self.links.keys().find_map(|above| Some((above, self.below(above).next()?)));
        match within {
            Some((above, (below, _))) => Err(format!("the link [{below}] is within the link [{above}]")),
            None => Ok(()),
        }
    }
}

impl<T> Table<T> {
    /// What a path is.
    pub(super) fn place<'t, 'p>(&'t self, path: &'p StorePath) -> Place<'t, 'p, T> {
        let whole = if path.is_root() { "" } else { path.as_str() };
        let ends = whole.match_indices('/').map(|(at, _)| at).chain([whole.len()]);
        let link = ends.into_iter().find_map(|end| Some((self.links.get(&whole[..end])?, &whole[end..])));
        match (link, &self.fallback) {
            (Some((target, rest)), _) => Place::In { target, rest },
            (None, _) if whole.is_empty() || self.below(whole).next().is_some() => Place::Above,
            (None, Some(target)) => Place::In { target, rest: whole },
            (None, None) => Place::Nowhere,
        }
    }

    /// Whether a path is a link.
    pub(super) fn is_link(&self, path: &StorePath) -> bool {
        self.links.contains_key(if path.is_root() { "" } else { path.as_str() })
    }

    /// The names in a folder above links, each once.
    pub(super) fn names_in(&self, folder: &StorePath) -> Vec<&str> {
        let whole = if folder.is_root() { "" } else { folder.as_str() };
        let rest = self.below(whole).map(|(path, _)| &path[whole.len() + 1..]);
        let mut names: Vec<&str> = rest.map(|rest| rest.split('/').next().unwrap_or_default()).collect();
        names.dedup();
        names
    }

    /// The links within a folder.
    fn below(&self, folder: &str) -> impl Iterator<Item = (&str, &T)> {
        let start = format!("{folder}/");
        let links = self.links.range(start.clone()..).map(|(path, target)| (path.as_str(), target));
        links.take_while(move |(path, _)| path.starts_with(&start))
    }
}

impl Target {
    fn of(uri: &str, default: Option<&DefaultSystem>) -> Result<Self, String> {
        let cannot = |why: &str| Err(format!("leads to [{uri}], which {why}"));
        if uri.contains("${") {
            return cannot("has a reference that the site files do not explain");
        }
        let parts = split_uri(uri);
        let (scheme, authority, below) = match (&parts, default) {
            (Some(parts), _) if !parts.authority.is_empty() => (parts.scheme, parts.authority, parts.path_or_root()),
            (Some(parts), Some(default)) if default.authority_for(parts.scheme).is_some() => {
                (parts.scheme, default.authority.as_str(), parts.path_or_root())
            }
            (None, Some(default)) if uri.starts_with('/') => (default.scheme.as_str(), default.authority.as_str(), uri),
            _ => return cannot("names no server, and the default file system is no server of that kind"),
        };
        let scheme = scheme.to_ascii_lowercase();
        if scheme == MOUNT_TABLE {
            return cannot("is a mount table again: howdah follows no link to another table");
        }
        let folder = path(below)?;
        let folder = if folder.is_root() { String::new() } else { folder.as_str().to_owned() };
        Ok(Self { server: format!("{scheme}://{authority}"), folder })
    }
}

/// The name of the table of an authority.
fn name(conf: &HadoopConf, authority: &str, default: Option<&DefaultSystem>) -> String {
    let of_default = || default.and_then(|default| default.authority_for(MOUNT_TABLE)).map(str::to_owned);
    let named = Some(authority).filter(|name| !name.is_empty()).map(str::to_owned).or_else(of_default);
    named.or_else(|| conf.get(NAME_OF_DEFAULT)).unwrap_or_else(|| DEFAULT_NAME.to_owned())
}

/// The name of a property after that of its table. A mount has lost the case of its authority.
fn entry_of<'a>(property: &'a str, start: &str) -> Option<&'a str> {
    let (own, entry) = property.split_at_checked(start.len())?;
    own.eq_ignore_ascii_case(start).then_some(entry)
}

fn path(text: &str) -> Result<StorePath, String> {
    StorePath::of(text).map_err(|error| format!("cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: &str = "fs.defaultFS=hdfs://main:8020 fs.viewfs.mounttable.C.link./data=hdfs://nn1:8020/lake/ \
        fs.viewfs.mounttable.C.link./data-old=webhdfs://nn2 fs.viewfs.mounttable.C.link./apps/a/x=s3a://Bucket/x \
        fs.viewfs.mounttable.C.link./apps/b=hdfs:///b fs.viewfs.mounttable.C.link.//tmp//=/scratch \
        fs.viewfs.mounttable.C.homedir=/home fs.viewfs.mounttable.D.link./other=hdfs://nn3/ other=1";

    fn read(site: &str, authority: &str) -> Result<Table<Target>, String> {
        Table::read(&HadoopConf::of_pairs(site), authority).map_err(|error| error.to_string())
    }

    fn shown(table: &Table<Target>, path: &str) -> String {
        let path = StorePath::of(path).unwrap();
        match table.place(&path) {
            Place::Above => format!("above {}", table.names_in(&path).join(" ")),
            Place::In { target, rest } => format!("{}{}{rest}", target.server, target.folder),
            Place::Nowhere => "nowhere".to_owned(),
        }
    }

    #[test]
    fn a_path_is_in_its_link_or_above_links() {
        let table = read(SITE, "c").unwrap();
        for (path, expect) in [
            ("/", "above apps data data-old tmp"),
            ("/apps", "above a b"),
            ("/apps/a/", "above x"),
            ("/data", "hdfs://nn1:8020/lake"),
            ("/data/x/y", "hdfs://nn1:8020/lake/x/y"),
            ("/data-old/x", "webhdfs://nn2/x"),
            ("/data-older", "nowhere"),
            ("/apps/a/x/y", "s3a://Bucket/x/y"),
            ("/apps/b/c", "hdfs://main:8020/b/c"),
            ("/apps/c", "nowhere"),
            ("/tmp/x", "hdfs://main:8020/scratch/x"),
            ("/other", "nowhere"),
            ("/Data", "nowhere"),
        ] {
            assert_eq!(shown(&table, path), expect, "{path}");
        }
        let is_link = |path: &str| table.is_link(&StorePath::of(path).unwrap());
        assert_eq!(["/data", "/data/x", "/apps", "/"].map(is_link), [true, false, false, false]);
        assert_eq!(table.homes.as_deref(), Some("/home"));
    }

    #[test]
    fn what_is_in_no_link_is_in_the_fallback() {
        let fallback = "fs.viewfs.mounttable.c.linkFallback=hdfs://nn/rest";
        let table = read(&format!("{fallback} fs.viewfs.mounttable.c.link./a/b=hdfs://nn/b"), "c").unwrap();
        for (path, expect) in [
            ("/", "above a"),
            ("/a", "above b"),
            ("/a/b/c", "hdfs://nn/b/c"),
            ("/a/x", "hdfs://nn/rest/a/x"),
            ("/x", "hdfs://nn/rest/x"),
        ] {
            assert_eq!(shown(&table, path), expect, "{path}");
        }
        // As in Hadoop, a fallback alone is a table.
        assert_eq!(shown(&read(fallback, "c").unwrap(), "/"), "above ");
    }

    #[test]
    fn a_link_at_the_root_has_everything() {
        let table = read("fs.viewfs.mounttable.c.linkMergeSlash=hdfs://nn/", "c").unwrap();
        assert_eq!(["/", "/a/b"].map(|path| shown(&table, path)), ["hdfs://nn", "hdfs://nn/a/b"]);
        assert!(table.is_link(&StorePath::of("/").unwrap()));
    }

    #[test]
    fn a_table_is_found_by_its_name() {
        let table = |name: &str| format!("fs.viewfs.mounttable.{name}.link./{name}=hdfs://nn/");
        let all = [table("c"), table("default"), table("mine")].join(" ");
        for (more, authority, expect) in [
            ("", "c", "c"),
            ("", "", "default"),
            ("fs.defaultFS=viewfs://c/", "", "c"),
            ("fs.defaultFS=hdfs://c/", "", "default"),
            ("fs.viewfs.mounttable.default.name.key=mine", "", "mine"),
            ("fs.viewfs.mounttable.default.name.key=mine", "default", "default"),
        ] {
            let table = read(&format!("{all} {more}"), authority).unwrap();
            assert_eq!(table.links.into_keys().collect::<Vec<_>>(), [format!("/{expect}")], "{more} [{authority}]");
        }
    }

    #[test]
    fn what_howdah_cannot_follow_is_refused() {
        let link = "fs.viewfs.mounttable.c.link.";
        for (site, expect) in [
            ("other=1", "[c] of the site files cannot be used: no property starts with fs.viewfs.mounttable.c.link"),
            ("fs.viewfs.mounttable.c.homedir=/home", "no property starts with"),
            (
                "fs.viewfs.mounttable.c.linkMerge./a=hdfs://n/a,hdfs://m/a",
                "[fs.viewfs.mounttable.c.linkMerge./a] is a kind",
            ),
            ("fs.viewfs.mounttable.c.linkNfly.minReplication=2./a=hdfs://n/a", "linkNfly.minReplication] is a kind"),
            ("fs.viewfs.mounttable.c.linkRegex.x=hdfs://n/a", "linkRegex.x] is a kind of link that howdah does not"),
            ("fs.viewfs.mounttable.c.links./a=hdfs://n/a", "is no known kind of entry"),
            (&format!("{link}/=hdfs://n/"), "which is written as linkMergeSlash"),
            (&format!("{link}a=hdfs://n/"), "the path [a] is not absolute"),
            (&format!("{link}/a=hdfs://n/a/../b"), "has a step [.] or [..]"),
            (&format!("{link}/a=hdfs://n/ {link}/a/b=hdfs://n/b"), "the link [/a/b] is within the link [/a]"),
            (&format!("{link}/a=hdfs://n/ {link}//a=hdfs://n/b"), "is there twice"),
            (&format!("{link}/a="), "link./a] has no value"),
            (&format!("{link}/a=hdfs:///a"), "leads to [hdfs:///a], which names no server"),
            (&format!("{link}/a=/a"), "leads to [/a], which names no server"),
            (&format!("{link}/a=file:///a"), "leads to [file:///a], which names no server"),
            (&format!("{link}/a=hdfs://n/${{user.name}}"), "has a reference that the site files do not explain"),
            (&format!("{link}/a=viewfs://d/a"), "is a mount table again"),
            (&format!("{link}/a=/a fs.defaultFS=viewfs://c"), "is a mount table again"),
            (
                &format!("fs.viewfs.mounttable.c.linkMergeSlash=hdfs://n/ {link}/a=hdfs://n/a"),
                "a linkMergeSlash is the only link of its table",
            ),
        ] {
            let why = read(site, "c").unwrap_err();
            assert!(why.contains(expect), "{site}: {why}");
        }
    }
}

//! Names that an escape, a pattern or a comparison of texts could take for others: a property of folders of this
//! machine, and of the same folders behind a server.
//!
//! Each case has a folder `out`, which is mounted, and a folder `output` beside it, which is not. After each operation
//! the answer and all files of both must be those of a model: a set of paths.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::file_store::testing::{Reply, Server, absent, answer, boolean, exception, json, status_of, there};

/// The names in the folders; a server has only those that are UTF-8.
const NAMES: &[&[u8]] = &[
    b"out",
    b"output",
    b"out ",
    b" ",
    b"...",
    b"..out",
    b"%2e%2e",
    b"%2F",
    b"out%2Foutput",
    b"%",
    b"a+b&c=d;e",
    b"out?op=DELETE&recursive=true",
    b"#out",
    b"out\noutput",
    b"\"\\",
    b"nn:out",
    b"*",
    b"o*",
    b"?",
    b"[o]ut",
    b"{out,output}",
    "\u{e9}".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{1f980}".as_bytes(),
    b"\xff",
];

/// Patterns for one step, and which names they match; `None` for what is no pattern.
type Matches = fn(&str) -> bool;
const PATTERNS: &[(&str, Option<Matches>)] = &[
    ("*", Some(|_| true)),
    ("?", Some(|name| name.chars().count() == 1)),
    ("??", Some(|name| name.chars().count() == 2)),
    ("o*", Some(|name| name.starts_with('o'))),
    ("out?*", Some(|name| name.starts_with("out") && name != "out")),
    ("[o]ut", Some(|name| name == "out")),
    ("[^o]*", Some(|name| !name.starts_with('o'))),
    ("[\u{e9}\u{1f980}]", Some(|name| matches!(name, "\u{e9}" | "\u{1f980}"))),
    ("{out,output}", Some(|name| matches!(name, "out" | "output"))),
    ("{..,%2*}*", Some(|name| name.starts_with("..") || name.starts_with("%2"))),
    (".*", Some(|name| name.starts_with('.'))),
    ("*\u{e9}", Some(|name| name.ends_with('\u{e9}'))),
    ("\\*", Some(|name| name == "*")),
    ("out?op=DELETE&recursive=true", Some(|name| name == "out?op=DELETE&recursive=true")),
    ("[o", None),
    ("{out", None),
];

/// What is in the folder of a test: each path, and whether it is a folder.
type Tree = BTreeMap<PathBuf, bool>;

#[derive(Clone, Debug)]
enum Operation {
    Delete(String),
    Expand(String),
    DeleteAllOf(String),
    List(String),
    Rename(String, String),
}

type Names = Vec<&'static [u8]>;

/// A tree and operations. A case has few names, so that its operations meet what is there.
fn inputs() -> impl Strategy<Value = (Vec<Vec<&'static OsStr>>, Vec<Operation>)> {
    subsequence(NAMES, 6).prop_flat_map(|names| (trees(names.clone()), operations(names)))
}

/// The paths of a tree; what has something below it is a folder.
fn trees(names: Names) -> impl Strategy<Value = Vec<Vec<&'static OsStr>>> {
    let name = select(names).prop_map(OsStr::from_bytes);
    prop::collection::vec(prop::collection::vec(name, 1..4), 4..16)
}

fn paths(step: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec(step, 1..4).prop_map(|steps| steps.join("/"))
}

fn operations(names: Names) -> impl Strategy<Value = Vec<Operation>> {
    let name = select(names).prop_map(|name| String::from_utf8_lossy(name).into_owned());
    let plain = || paths(name.clone());
    let pattern =
        || paths(prop_oneof![1 => name.clone(), 2 => select(PATTERNS).prop_map(|(pattern, _)| pattern.to_owned())]);
    let one = prop_oneof![
        plain().prop_map(Operation::Delete),
        pattern().prop_map(Operation::Expand),
        pattern().prop_map(Operation::DeleteAllOf),
        plain().prop_map(Operation::List),
        (plain(), plain()).prop_map(|(from, to)| Operation::Rename(from, to)),
    ];
    prop::collection::vec(one, 1..6)
}

/// Creates the tree in `out` and in `output`.
fn plant(root: &Path, tree: &[Vec<&OsStr>], is_here: bool) {
    for top in ["out", "output"] {
        let top = root.join(top);
        if top.exists() {
            fs::remove_dir_all(&top).unwrap();
        }
        fs::create_dir(&top).unwrap();
        for steps in tree.iter().filter(|steps| is_here || steps.iter().all(|name| name.to_str().is_some())) {
            let path = steps.iter().fold(top.clone(), |path, name| path.join(name));
            // Below what is a file already, or where a folder is, nothing is created.
            let _ = fs::create_dir_all(path.parent().unwrap());
            let _ = fs::OpenOptions::new().write(true).create_new(true).open(path);
        }
    }
}

/// What is below a folder.
fn snapshot(root: &Path) -> Tree {
    let (mut tree, mut folders) = (Tree::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            tree.insert(path.strip_prefix(root).unwrap().to_owned(), path.is_dir());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    tree
}

fn entries<'a>(tree: &'a Tree, folder: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
    tree.keys().filter(move |path| path.parent() == Some(folder))
}

/// Removes a path and what is below it; whether it was there.
fn remove(tree: &mut Tree, path: &Path) -> bool {
    let was_there = tree.contains_key(path);
    tree.retain(|other, _| !other.starts_with(path));
    was_there
}

/// What a pattern names below `out`; `None` when a step is no pattern.
fn named_by(tree: &Tree, pattern: &str) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("out")];
    for step in pattern.split('/') {
        let pattern = PATTERNS.iter().find(|(text, _)| *text == step);
        let matches = pattern.map(|(_, matches)| matches.ok_or(())).transpose().ok()?;
        let of_folder = |folder: &PathBuf| -> Vec<PathBuf> {
            let literal = folder.join(step);
            let is_match = |path: &&PathBuf| matches.is_some_and(|is| is(&path.file_name().unwrap().to_string_lossy()));
            if tree.contains_key(&literal) {
                vec![literal]
            } else {
                entries(tree, folder).filter(is_match).cloned().collect()
            }
        };
        found = found.iter().flat_map(of_folder).collect();
    }
    Some(found)
}

/// Where the operations of a case happen.
struct Place<'a> {
    root: &'a Path,
    mounts: Mounts,
    is_here: bool,
}

impl Place<'_> {
    fn at(&self, path: &str) -> Located {
        self.mounts.locate(&format!("hdfs://nn/{path}"), &Base::this_machine()).unwrap()
    }

    /// The paths in the tree, by their order; each says what its URI is.
    fn in_tree(&self, found: &[Located]) -> Vec<PathBuf> {
        let above = if self.is_here { self.root } else { Path::new("/") };
        let in_tree = |place: &Located| {
            let path = place.path().strip_prefix(above).unwrap().to_owned();
            let below = path.strip_prefix("out").unwrap().to_string_lossy();
            assert_eq!(place.uri(), format!("hdfs://nn/{below}"), "the URI of {path:?}");
            path
        };
        let mut paths: Vec<PathBuf> = found.iter().map(in_tree).collect();
        paths.sort();
        paths
    }

    fn expand(&self, tree: &Tree, pattern: &str) -> Vec<Located> {
        let found = self.at(pattern).expand(1000);
        match named_by(tree, pattern) {
            None => assert!(matches!(found, Err(GlobError::Pattern(_))), "{pattern:?}: {found:?}"),
            Some(mut expect) => {
                expect.sort();
                assert_eq!(self.in_tree(found.as_ref().unwrap()), expect, "{pattern:?}");
            }
        }
        found.unwrap_or_default()
    }

    /// Does the operation, and does it to the model.
    fn perform(&self, tree: &mut Tree, operation: &Operation) {
        let below = |path: &str| Path::new("out").join(path);
        match operation {
            Operation::Delete(path) => {
                assert_eq!(self.at(path).delete(&self.mounts).unwrap(), remove(tree, &below(path)));
            }
            Operation::Expand(pattern) => drop(self.expand(tree, pattern)),
            Operation::DeleteAllOf(pattern) => {
                for place in self.expand(tree, pattern) {
                    assert!(place.delete(&self.mounts).unwrap() && remove(tree, &self.in_tree(&[place])[0]));
                }
            }
            Operation::List(folder) => {
                let listed = self.at(folder).entries();
                // At and below a file an error is as right as no entries.
                if listed.is_ok() || !below(folder).ancestors().any(|above| tree.get(above) == Some(&false)) {
                    let expect: Vec<PathBuf> = entries(tree, &below(folder)).cloned().collect();
                    assert_eq!(self.in_tree(&listed.unwrap()), expect);
                }
            }
            Operation::Rename(from, to) => {
                let (source, target) = (below(from), below(to));
                let has_folder = target.parent().is_some_and(|above| tree.get(above) == Some(&true));
                if tree.contains_key(&source)
                    && !tree.contains_key(&target)
                    && has_folder
                    && !target.starts_with(&source)
                {
                    self.at(from).rename(&self.at(to)).unwrap();
                    let renamed = |path: &PathBuf| match path.strip_prefix(&source) {
                        // Joining nothing would add a slash.
                        Ok(rest) if rest.as_os_str().is_empty() => target.clone(),
                        Ok(rest) => target.join(rest),
                        Err(_) => path.clone(),
                    };
                    *tree = tree.iter().map(|(path, is_folder)| (renamed(path), *is_folder)).collect();
                }
            }
        }
        assert_eq!(&snapshot(self.root), tree, "after the operation");
    }
}

/// WebHDFS over a folder, which lists three entries at a time.
fn serve(root: &Path, request: &str) -> Reply {
    let target = request.lines().next().and_then(|line| line.split(' ').nth(1)).unwrap();
    let (path, query) = target.split_once('?').unwrap();
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let at = |path: &str| {
        assert!(!path.split('/').any(|step| matches!(step, "." | "..")), "{path:?}");
        root.join(path.trim_start_matches('/'))
    };
    let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let path = at(&decoded(path.strip_prefix("/webhdfs/v1").unwrap()));
    let kind_of = |path: &Path| if path.is_dir() { "DIRECTORY" } else { "FILE" };
    let operation = parameter("op").unwrap();
    if !path.exists() && operation != "DELETE" {
        return absent();
    }
    match operation {
        "GETFILESTATUS" => there(kind_of(&path)),
        "LISTSTATUS_BATCH" => {
            let after = parameter("startAfter").map(decoded).unwrap_or_default();
            let names = match fs::read_dir(&path) {
                Ok(entries) => entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect(),
                Err(_) => vec![String::new()],
            };
            let mut names: Vec<String> = names.into_iter().filter(|name| name.is_empty() || *name > after).collect();
            names.sort();
            let remaining = names.len().saturating_sub(3);
            let status = |name: &String| status_of(name, kind_of(&path.join(name)));
            let listed = names.iter().take(3).map(status).collect::<Vec<_>>().join(",");
            let listed = format!(r#"{{"FileStatuses":{{"FileStatus":[{listed}]}}}}"#);
            let text =
                format!(r#"{{"DirectoryListing":{{"partialListing":{listed},"remainingEntries":{remaining}}}}}"#);
            json("200 OK", &text)
        }
        "DELETE" => {
            let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            boolean(gone.is_ok())
        }
        "RENAME" => {
            let to = at(&decoded(parameter("destination").unwrap()));
            assert!(!to.exists());
            fs::rename(&path, to).unwrap();
            answer("200 OK", "application/octet-stream", "")
        }
        _ => exception("400 Bad Request", "UnsupportedOperationException"),
    }
}

fn check(root: &Path, target: &str, cases: u32) {
    let mounts = Mounts::parse([format!("hdfs://nn={target}/out").as_str()]).unwrap();
    let place = Place { root, mounts, is_here: target.starts_with('/') };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let result = runner.run(&inputs(), |(tree, operations)| {
        plant(root, &tree, place.is_here);
        let mut model = snapshot(root);
        for operation in &operations {
            place.perform(&mut model, operation);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn operations_on_hostile_names_do_what_they_say_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    check(folder.path(), folder.path().to_str().unwrap(), 24);
    let root = folder.path().to_owned();
    let server = Server::start(move |request| serve(&root, request));
    check(folder.path(), &server.url(), 20);
}

//! Names of objects that a path, an escape or a pattern could take for others: a property of buckets.
//!
//! A bucket has a flat set of names, also such as no path can have: with steps `..` and `.`, with `//`, with line ends.
//! Each case has names below `out/`, which is mounted, and the same names beside it, with starts that `out` shares.
//! After each operation all other names must still be there.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use quick_xml::escape::{escape, unescape};

use super::*;
use crate::file_store::StoreSettings;
use crate::file_store::testing::{Reply, Server, answer};

/// The steps of names. The first ones can be steps of a path, the others cannot.
const STEPS: &[&str] = &[
    "out",
    "output",
    "out ",
    " ",
    "...",
    "..out",
    "%2e%2e",
    "%2F",
    "out%2Foutput",
    "%",
    "a+b&c=d;e",
    "out?delete",
    "#out",
    "\"\\<",
    "nn:out",
    "*",
    "o*",
    "?",
    "[o]ut",
    "{out,output}",
    "\u{e9}",
    "e\u{301}",
    "\u{1f980}",
    "",
    ".",
    "..",
    "out\noutput",
];
const OF_PATHS: usize = 23;
const PATTERNS: &[&str] = &["*", "?", "o*", "out?*", "[o]ut", "[^o]*", "{out,output}", "{..,%2*}*", ".*", "\\*"];
/// How names outside of the mount start.
const BESIDE: &[&str] = &["output/", "out%2F", "out", "out.", "/out/", "", "other/out/", "out\n"];
/// How many names a page of a listing has.
const PAGE: usize = 3;

/// The names of a bucket.
type Keys = BTreeSet<String>;

#[derive(Clone, Debug)]
enum Operation {
    Delete(String),
    DeleteAllOf(String),
    List(String),
    Rename(String, String),
}

fn inputs() -> impl Strategy<Value = (Vec<(&'static str, String)>, Vec<Operation>)> {
    let steps = (subsequence(&STEPS[..OF_PATHS], 4), subsequence(&STEPS[OF_PATHS..], 2));
    steps.prop_flat_map(|(of_paths, strange)| {
        let all = [of_paths.clone(), strange].concat();
        let key = (select([&["out/"; 4][..], BESIDE].concat()), joined(all));
        (prop::collection::vec(key, 4..16), operations(&of_paths))
    })
}

fn joined(steps: Vec<&'static str>) -> impl Strategy<Value = String> + Clone {
    prop::collection::vec(select(steps), 1..4).prop_map(|steps| steps.join("/"))
}

fn operations(steps: &[&'static str]) -> impl Strategy<Value = Vec<Operation>> + use<> {
    let plain = joined(steps.to_vec());
    let pattern = joined([steps, PATTERNS].concat());
    let one = prop_oneof![
        plain.clone().prop_map(Operation::Delete),
        pattern.prop_map(Operation::DeleteAllOf),
        plain.clone().prop_map(Operation::List),
        (plain.clone(), plain).prop_map(|(from, to)| Operation::Rename(from, to)),
    ];
    prop::collection::vec(one, 1..6)
}

/// Whether a name is that of a path's object, of its marker, or of something in it.
fn is_of(key: &str, path: &str) -> bool {
    key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The marker of the folder above a path.
fn marker_above(path: &str) -> &str {
    &path[..=path.rfind('/').expect("below the mount")]
}

/// Where the operations of a case happen.
struct Bucket {
    mounts: Mounts,
    keys: Arc<Mutex<Keys>>,
}

impl Bucket {
    fn keys(&self) -> Keys {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn at(&self, path: &str) -> Located {
        self.mounts.locate(&format!("hdfs://nn/{path}"), &Base::this_machine()).unwrap()
    }

    /// Deletes what is at a path; `named` is the path in the bucket.
    fn delete(&self, place: &Located, named: &str) {
        let before = self.keys();
        let deleted = place.delete(&self.mounts);
        let after = self.keys();
        Self::check_others(&before, &after, &[named], &[marker_above(named)]);
        let left = after.iter().filter(|key| is_of(key, named)).count();
        let was_there = before.iter().any(|key| is_of(key, named));
        match deleted {
            Ok(deleted) => assert_eq!(deleted, was_there, "{named:?}"),
            // Only what the library cannot name stays.
            Err(error) => assert!(left > 0 && error.to_string().contains("cannot be"), "{named:?}: {error}"),
        }
    }

    /// Checks that names which are not of these paths stay, and that only these markers came.
    fn check_others(before: &Keys, after: &Keys, paths: &[&str], markers: &[&str]) {
        let is_other = |key: &&String| !paths.iter().any(|path| is_of(key, path)) && !markers.contains(&key.as_str());
        let (before, after): (Vec<_>, Vec<_>) =
            (before.iter().filter(is_other).collect(), after.iter().filter(is_other).collect());
        assert_eq!(before, after, "{paths:?}");
    }

    fn perform(&self, operation: &Operation) {
        let named = |path: &str| format!("out/{path}");
        match operation {
            Operation::Delete(path) => self.delete(&self.at(path), &named(path)),
            Operation::DeleteAllOf(pattern) => {
                for place in self.at(pattern).expand(1000).unwrap_or_default() {
                    let path = place.path().to_str().unwrap().trim_start_matches('/').to_owned();
                    assert!(path.starts_with("out/"), "{pattern:?}: {path:?}");
                    self.delete(&place, &path);
                }
            }
            Operation::List(folder) => {
                let keys = self.keys();
                for place in self.at(folder).entries().unwrap_or_default() {
                    let path = place.path().to_str().unwrap().trim_start_matches('/').to_owned();
                    assert!(keys.iter().any(|key| is_of(key, &path)), "{folder:?}: {path:?}");
                    assert_eq!(path.strip_prefix(&format!("out/{folder}/")).unwrap().matches('/').count(), 0);
                }
            }
            Operation::Rename(from, to) => {
                let (source, target, before) = (named(from), named(to), self.keys());
                let renamed = self.at(from).rename(&self.at(to));
                let after = self.keys();
                let marker = marker_above(&source);
                Self::check_others(&before, &after, &[source.as_str(), target.as_str()], &[marker]);
                if renamed.is_err() {
                    let lost = before.difference(&after).collect::<Vec<_>>();
                    assert_eq!(lost, [""; 0], "a rename that failed, {source:?} to {target:?}");
                }
            }
        }
    }
}

/// Answers as S3 does, with the names of one bucket.
fn serve(keys: &Mutex<Keys>, request: &str) -> Reply {
    let mut keys = keys.lock().unwrap_or_else(PoisonError::into_inner);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut line = head.split(' ');
    let (method, target) = (line.next().unwrap(), line.next().unwrap());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let key = |path: &str| decoded(path.trim_start_matches('/').strip_prefix("bucket/").unwrap_or_default());
    match (method, key(path)) {
        ("GET", _) => answer("200 OK", "application/xml", &listing(&keys, query)),
        ("POST", _) => {
            let names = body.split("<Key>").skip(1).filter_map(|part| part.split_once("</Key>"));
            let mut deleted = String::new();
            for (name, _) in names {
                keys.remove(&*unescape(name).unwrap());
                let _ = write!(deleted, "<Deleted><Key>{name}</Key></Deleted>");
            }
            answer("200 OK", "application/xml", &format!("<DeleteResult>{deleted}</DeleteResult>"))
        }
        ("DELETE", name) => {
            keys.remove(&name);
            answer("204 No Content", "application/xml", "")
        }
        (_, name) => {
            let source = head.lines().find_map(|line| line.strip_prefix("x-amz-copy-source: "));
            if source.is_some_and(|source| !keys.contains(&key(source))) {
                return answer("404 Not Found", "application/xml", "<Error><Code>NoSuchKey</Code></Error>");
            }
            keys.insert(name);
            let copied = "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>";
            answer("200 OK\r\nETag: \"e\"", "application/xml", if source.is_some() { copied } else { "" })
        }
    }
}

/// One page of a listing.
fn listing(keys: &Keys, query: &str) -> String {
    let parameter = |name: &str| {
        let text = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        text.map(|text| percent_decode_str(&text.replace('+', " ")).decode_utf8().unwrap().into_owned())
    };
    let (prefix, after) =
        (parameter("prefix").unwrap_or_default(), parameter("continuation-token").unwrap_or_default());
    let most = parameter("max-keys").map_or(PAGE, |most| most.parse::<usize>().unwrap().min(PAGE));
    let mut found: Vec<(String, bool)> = Vec::new();
    for key in keys.iter().filter(|key| key.starts_with(&prefix)) {
        let by_step = parameter("delimiter").and_then(|delimiter| key[prefix.len()..].find(&delimiter));
        let one = by_step.map_or((key.clone(), false), |at| (key[..=prefix.len() + at].to_owned(), true));
        if one.0 > after && found.last() != Some(&one) {
            found.push(one);
        }
    }
    let is_truncated = found.len() > most;
    found.truncate(most);
    let mut text = format!("<ListBucketResult><IsTruncated>{is_truncated}</IsTruncated>");
    for (name, is_prefix) in &found {
        let name = escape(name.as_str()).replace('\n', "&#10;");
        let _ = if *is_prefix {
            write!(text, "<CommonPrefixes><Prefix>{name}</Prefix></CommonPrefixes>")
        } else {
            let rest = "<LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>\"e\"</ETag><Size>0</Size>";
            write!(text, "<Contents><Key>{name}</Key>{rest}</Contents>")
        };
    }
    if let Some((last, _)) = found.last().filter(|_| is_truncated) {
        let token = escape(last.as_str()).replace('\n', "&#10;");
        let _ = write!(text, "<NextContinuationToken>{token}</NextContinuationToken>");
    }
    text + "</ListBucketResult>"
}

/// The mounts of a bucket that a server has.
fn mounts(server: &Server, folder: &Path) -> Mounts {
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let endpoint = property("fs.s3a.endpoint", &server.url().replace("webhdfs:", "http:"));
    let keys = property("fs.s3a.access.key", "key") + &property("fs.s3a.secret.key", "secret");
    std::fs::write(folder.join("core-site.xml"), format!("<configuration>{endpoint}{keys}</configuration>")).unwrap();
    let hadoop_folder = Some(folder.to_str().unwrap().to_owned());
    let settings = StoreSettings { hadoop_folder, ..StoreSettings::default() };
    Mounts::parse(["hdfs://nn=s3a://bucket/out"]).unwrap().with(&settings, None)
}

#[test]
fn operations_on_hostile_keys_touch_no_others() {
    let keys = Arc::new(Mutex::new(Keys::new()));
    let served = Arc::clone(&keys);
    let server = Server::start(move |request| serve(&served, request));
    let folder = tempfile::tempdir().unwrap();
    let bucket = Bucket { mounts: mounts(&server, folder.path()), keys };
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let result = runner.run(&inputs(), |(names, operations)| {
        *bucket.keys.lock().unwrap() = names.iter().map(|(start, rest)| format!("{start}{rest}")).collect();
        for operation in &operations {
            bucket.perform(operation);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

//! What is in HDFS, seen and written without howdah: by plain `WebHDFS`, and by Hadoop's own client.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::{Hdfs, allow_with};
use howdah_sandbox::http_message::Message;
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::store_application::Witness;
use howdah_sandbox::store_proxy::SHORT_LIMIT;

/// What a path does not have to escape.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.');

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) is_folder: bool,
    pub(crate) length: u64,
    pub(crate) mode: u32,
    pub(crate) owner: String,
    pub(crate) replication: u64,
    /// Milliseconds of UTC.
    pub(crate) modified: u64,
}

impl Seen {
    fn of(status: &Value) -> Self {
        let number = |name: &str| status[name].as_u64().unwrap_or_else(|| panic!("{name} of {status}"));
        let text = |name: &str| status[name].as_str().unwrap_or_else(|| panic!("{name} of {status}"));
        Self {
            is_folder: text("type") == "DIRECTORY",
            length: number("length"),
            mode: u32::from_str_radix(text("permission"), 8).expect("permission bits"),
            owner: text("owner").to_owned(),
            replication: number("replication"),
            modified: number("modificationTime"),
        }
    }
}

impl Hdfs {
    /// Sends a request as the superuser, to the data node too if the name node says so.
    fn ask(&self, method: &str, path: &str, operation: &str, body: &str) -> Message {
        let path = utf8_percent_encode(path, ESCAPED);
        let target = format!("/webhdfs/v1{path}?user.name=root&op={operation}");
        let send = |port: u16, target: &str, body: &str| {
            Message::new(&format!("{method} {target} HTTP/1.1"), body).exchange(port).expect("HDFS answers")
        };
        let answer = send(self.web, &target, "");
        match answer.header("Location").and_then(|location| location.split_once(&format!(":{}", self.data_web))) {
            Some((_, target)) => send(self.data_web, target, body),
            None => answer,
        }
    }

    /// The value of a member of the answer; `None` when the path does not exist.
    fn value(&self, path: &str, operation: &str, member: &str) -> Option<Value> {
        let answer = self.ask("GET", path, operation, "");
        if answer.status() == 404 {
            return None;
        }
        assert_eq!(answer.status(), 200, "{operation} {path}: {}", answer.text());
        let mut answer: Value = serde_json::from_slice(&answer.body).expect("JSON");
        Some(answer[member].take())
    }

    fn change(&self, path: &str, operation: &str, body: &str) {
        let answer = self.ask("PUT", path, operation, body);
        assert!(matches!(answer.status(), 200 | 201), "{operation} {path}: {}", answer.text());
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, path: &str, content: &str) {
        self.change(path, "CREATE&overwrite=true", content);
    }

    /// Sets the permission bits.
    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        self.change(path, &format!("SETPERMISSION&permission={mode:o}"), "");
    }

    /// The content of a file; `None` when it does not exist.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let answer = self.ask("GET", path, "OPEN", "");
        (answer.status() != 404).then(|| {
            assert_eq!(answer.status(), 200, "{path}: {}", answer.text());
            answer.text()
        })
    }

    /// What is at a path.
    pub(crate) fn stat(&self, path: &str) -> Option<Seen> {
        self.value(path, "GETFILESTATUS", "FileStatus").map(|status| Seen::of(&status))
    }

    /// Everything below a folder, by its path from there; nothing when it does not exist.
    pub(crate) fn tree(&self, folder: &str) -> BTreeMap<String, Seen> {
        let mut found = BTreeMap::new();
        let list = self.value(folder, "LISTSTATUS", "FileStatuses");
        for status in list.iter().flat_map(|list| list["FileStatus"].as_array().expect("a list")) {
            let name = status["pathSuffix"].as_str().expect("a name");
            let seen = Seen::of(status);
            if seen.is_folder {
                let below = self.tree(&format!("{folder}/{name}")).into_iter();
                found.extend(below.map(|(path, seen)| (format!("{name}/{path}"), seen)));
            }
            found.insert(name.to_owned(), seen);
        }
        found
    }

    /// The same seen by Hadoop's own client: `mode copies owner group length` of each path.
    pub(crate) fn listed(&self, folder: &str) -> BTreeMap<String, String> {
        let listed = self.shell(&["-ls", "-R", folder]);
        let line = |line: &str| {
            // The last two columns before the path are the time; a path may contain blanks.
            let (head, path) = line.split_once(&format!(" {folder}/")).expect("each line ends with a path");
            let columns: Vec<&str> = head.split_whitespace().collect();
            (path.to_owned(), columns[..columns.len() - 2].join(" "))
        };
        listed.lines().map(line).collect()
    }
}

impl Witness for Hdfs {
    fn allow(&self, sandbox: &Sandbox, store: &str, settings: &[(&str, &str)]) {
        allow_with(sandbox, store, &[settings, &[SHORT_LIMIT]].concat());
    }

    fn write(&self, path: &str, content: &str) {
        Self::write(self, path, content);
    }

    fn tree(&self, folder: &str) -> BTreeMap<String, String> {
        let name = |path: String, seen: &Seen| if seen.is_folder { path + "/" } else { path };
        Self::tree(self, folder).into_iter().map(|(path, seen)| (name(path, &seen), format!("{seen:?}"))).collect()
    }

    fn check_mode(&self, folder: &str) {
        assert_eq!(self.stat(folder).map(|seen| seen.mode), Some(0o750), "{folder}");
    }
}

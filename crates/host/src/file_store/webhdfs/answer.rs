//! What the answers of WebHDFS mean: its JSON documents. Must not depend on how an answer arrived.

use std::io;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::super::hdfs::{Failure, Meaning, exception};
use super::super::{Entry, StoreError, Summary};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ExceptionDocument {
    remote_exception: RemoteException,
}

#[derive(Deserialize)]
struct RemoteException {
    exception: String,
    #[serde(default)]
    message: Option<String>,
}

/// What an answer with the status of an error means.
pub(super) fn failure(server: &str, status: u16, wants: &str, body: &[u8]) -> Failure {
    let definite = |error: io::Error| Failure { error, is_for_another: false };
    let Ok(ExceptionDocument { remote_exception: told }) = serde_json::from_slice(body) else {
        return definite(of_status(server, status, wants));
    };
    // The status alone says little: a name node sends most of its failures with 403.
    let (meaning, text) = exception(server, &told.exception, told.message.as_deref().unwrap_or_default());
    match meaning {
        Some(Meaning::Absent) if status == 404 => definite(StoreError::absent(text)),
        Some(Meaning::Refused(kind)) => definite(StoreError::refused(kind, text)),
        Some(Meaning::Standby) => Failure { error: StoreError::unknown(text), is_for_another: true },
        _ if status == 401 => definite(StoreError::unknown(text)),
        Some(Meaning::Absent) | None => definite(StoreError::unclear(text)),
    }
}

/// The error of an answer that is not a document of WebHDFS.
fn of_status(server: &str, status: u16, wants: &str) -> io::Error {
    let asks_for_kerberos = wants.split(',').any(|way| way.trim_start().starts_with("Negotiate"));
    // It refuses everything, for a login that has ended or a proxy in between: this says nothing about the path.
    match status {
        401 if asks_for_kerberos => {
            StoreError::unknown(format!("{server} answers 401 and wants Kerberos, which howdah does not use"))
        }
        401 | 403 => StoreError::unknown(format!("{server} refuses with status {status}")),
        _ => StoreError::unknown(format!("{server} answers {status} without a document of WebHDFS")),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StatusDocument {
    file_status: FileStatus,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListDocument {
    file_statuses: FileStatuses,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct FileStatuses {
    file_status: Vec<FileStatus>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchDocument {
    directory_listing: DirectoryListing,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DirectoryListing {
    partial_listing: ListDocument,
    remaining_entries: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileStatus {
    path_suffix: String,
    #[serde(rename = "type")]
    kind: String,
    length: u64,
    modification_time: i64,
    permission: String,
    owner: String,
    group: String,
    replication: u16,
}

impl FileStatus {
    /// `None` when it makes no sense.
    fn entry(self, name: String) -> Option<Entry> {
        let is_folder = match self.kind.as_str() {
            "DIRECTORY" => true,
            "FILE" => false,
            _ => return None,
        };
        Some(Entry {
            name,
            is_folder,
            length: if is_folder { 0 } else { self.length },
            modified: Some(self.modification_time),
            mode: Some(u32::from_str_radix(&self.permission, 8).ok()?),
            owner: self.owner,
            group: self.group,
            replication: if is_folder { 0 } else { self.replication },
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SummaryDocument {
    content_summary: ContentSummary,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentSummary {
    length: u64,
    file_count: u64,
    directory_count: u64,
}

#[derive(Deserialize)]
struct BooleanDocument {
    boolean: bool,
}

fn document<T: DeserializeOwned>(server: &str, body: &[u8]) -> io::Result<T> {
    serde_json::from_slice(body)
        .map_err(|error| StoreError::unknown(format!("{server} gives no document of WebHDFS: {error}")))
}

pub(super) fn senseless(server: &str) -> io::Error {
    StoreError::unclear(format!("{server} describes a path in a way that makes no sense"))
}

/// The answer to GETFILESTATUS about a path whose last step is `name`.
pub(super) fn entry(server: &str, body: &[u8], name: &str) -> io::Result<Entry> {
    let StatusDocument { file_status } = document(server, body)?;
    file_status.entry(name.to_owned()).ok_or_else(|| senseless(server))
}

/// The answer to LISTSTATUS, by name; for a file, one entry without a name.
pub(super) fn entries(server: &str, body: &[u8]) -> io::Result<Vec<Entry>> {
    let listed: ListDocument = document(server, body)?;
    let mut entries = in_listing(server, listed)?;
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

/// The answer to `LISTSTATUS_BATCH`: some entries in the order of the server, and how many come after them.
pub(super) fn batch(server: &str, body: &[u8]) -> io::Result<(Vec<Entry>, usize)> {
    let BatchDocument { directory_listing: told } = document(server, body)?;
    Ok((in_listing(server, told.partial_listing)?, told.remaining_entries))
}

fn in_listing(server: &str, ListDocument { file_statuses }: ListDocument) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::with_capacity(file_statuses.file_status.len());
    let is_alone = file_statuses.file_status.len() == 1;
    for mut status in file_statuses.file_status {
        let name = std::mem::take(&mut status.path_suffix);
        let leads_elsewhere = name.contains(['/', '\0']) || matches!(name.as_str(), "." | "..");
        if leads_elsewhere || (name.is_empty() && !is_alone) {
            return Err(senseless(server));
        }
        entries.push(status.entry(name).ok_or_else(|| senseless(server))?);
    }
    Ok(entries)
}

/// The answer to GETCONTENTSUMMARY.
pub(super) fn summary(server: &str, body: &[u8]) -> io::Result<Summary> {
    let SummaryDocument { content_summary: told } = document(server, body)?;
    Ok(Summary { bytes: told.length, files: told.file_count, folders: told.directory_count })
}

/// The answer to a change that succeeds or not.
pub(super) fn boolean(server: &str, body: &[u8]) -> io::Result<bool> {
    document(server, body).map(|BooleanDocument { boolean }| boolean)
}

/// The answer to a change that has no result: it must be empty, so that no page of another server counts as one.
pub(super) fn nothing(server: &str, body: &[u8]) -> io::Result<()> {
    if body.is_empty() {
        return Ok(());
    }
    Err(StoreError::unknown(format!("{server} answers with a document where WebHDFS has none")))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::super::super::super::found::{Verdict, verdict};
    use super::*;

    fn exception(class: &str) -> Vec<u8> {
        let class_name = format!("java.io.{class}");
        serde_json::json!({"RemoteException":
            {"exception": class, "javaClassName": class_name, "message": "the reason\n\tat java.lang"}})
        .to_string()
        .into_bytes()
    }

    #[test]
    fn only_listed_exceptions_are_definite() {
        use ErrorKind as K;
        for (status, class, expect, kind) in [
            (404, "FileNotFoundException", Verdict::Absent, K::NotFound),
            (404, "java.io.FileNotFoundException", Verdict::Absent, K::NotFound),
            (500, "FileNotFoundException", Verdict::Unknown, K::TimedOut),
            (403, "StandbyException", Verdict::Unknown, K::TimedOut),
            (403, "RetriableException", Verdict::Unknown, K::TimedOut),
            (403, "SafeModeException", Verdict::Unknown, K::TimedOut),
            (403, "IOException", Verdict::Unknown, K::TimedOut),
            (404, "IOException", Verdict::Unknown, K::TimedOut),
            (500, "NullPointerException", Verdict::Unknown, K::TimedOut),
            (403, "AlreadyBeingCreatedException", Verdict::Unknown, K::TimedOut),
            (403, "AccessControlException", Verdict::Refused, K::PermissionDenied),
            (500, "AccessControlException", Verdict::Refused, K::PermissionDenied),
            (401, "SecurityException", Verdict::Unknown, K::TimedOut),
            (401, "IOException", Verdict::Unknown, K::TimedOut),
            (403, "FileAlreadyExistsException", Verdict::Refused, K::AlreadyExists),
            (403, "ParentNotDirectoryException", Verdict::Refused, K::NotADirectory),
            (400, "IllegalArgumentException", Verdict::Refused, K::InvalidInput),
            (400, "UnsupportedOperationException", Verdict::Refused, K::Unsupported),
            (403, "NSQuotaExceededException", Verdict::Refused, K::QuotaExceeded),
        ] {
            let failure = failure("http://nn:1", status, "", &exception(class));
            assert_eq!((verdict(&failure.error), failure.error.kind()), (expect, kind), "{status} {class}");
            assert_eq!(failure.is_for_another, class == "StandbyException", "{status} {class}");
            assert!(failure.error.to_string().ends_with(": the reason"), "{}", failure.error);
        }
    }

    #[test]
    fn a_page_is_no_answer() {
        for (status, wants, body, expect) in [
            (404, "", "<html>no such page</html>", Verdict::Unknown),
            (404, "", "", Verdict::Unknown),
            (404, "", "{\"RemoteException\":{}}", Verdict::Unknown),
            (404, "", "{\"RemoteException\":{\"exception\":\"FileNotFoundExc", Verdict::Unknown),
            (302, "", "", Verdict::Unknown),
            (500, "", "<html></html>", Verdict::Unknown),
            (503, "", "busy", Verdict::Unknown),
            (401, "", "<html></html>", Verdict::Unknown),
            (401, "Basic, Negotiate", "", Verdict::Unknown),
            (403, "", "<html></html>", Verdict::Unknown),
        ] {
            let failure = failure("http://nn:1", status, wants, body.as_bytes());
            assert_eq!(verdict(&failure.error), expect, "{status} {body}");
            assert!(!failure.is_for_another, "{status} {body}");
            assert_eq!(failure.error.to_string().contains("Kerberos"), wants.contains("Negotiate"));
        }
    }

    const FILE: &str = r#"{"accessTime":1320171722771,"blockSize":33554432,"childrenNum":0,"fileId":16388,"group":"ops",
        "length":24930,"modificationTime":1320171722771,"owner":"webuser","pathSuffix":"a.patch","permission":"1644",
        "replication":3,"storagePolicy":0,"type":"FILE"}"#;

    fn file(name: &str) -> Entry {
        Entry {
            name: name.to_owned(),
            is_folder: false,
            length: 24930,
            modified: Some(1_320_171_722_771),
            mode: Some(0o1644),
            owner: "webuser".to_owned(),
            group: "ops".to_owned(),
            replication: 3,
        }
    }

    fn list(entries: &[String]) -> Vec<u8> {
        format!(r#"{{"FileStatuses":{{"FileStatus":[{}]}}}}"#, entries.join(",")).into_bytes()
    }

    #[test]
    fn documents_are_read() {
        let status = format!(r#"{{"FileStatus":{FILE}}}"#);
        assert_eq!(entry("s", status.as_bytes(), "x").unwrap(), file("x"));
        let folder = FILE.replace("FILE", "DIRECTORY").replace("a.patch", "b");
        let entries = entries("s", &list(&[folder, FILE.to_owned()])).unwrap();
        let folder = Entry { name: "b".to_owned(), is_folder: true, length: 0, replication: 0, ..file("") };
        assert_eq!(entries, [file("a.patch"), folder]);
        let text =
            r#"{"ContentSummary":{"directoryCount":2,"fileCount":1,"length":24930,"quota":-1,"spaceConsumed":3}}"#;
        assert_eq!(summary("s", text.as_bytes()).unwrap(), Summary { bytes: 24930, files: 1, folders: 2 });
        assert!(boolean("s", br#"{"boolean": true}"#).unwrap());
        assert!(nothing("s", b"").is_ok());
    }

    #[test]
    fn documents_that_make_no_sense_are_unknown() {
        let is_unknown = |answer: io::Result<()>, what: &str| {
            assert_eq!(verdict(&answer.unwrap_err()), Verdict::Unknown, "{what}");
        };
        let with = |from: &str, to: &str| FILE.replace(from, to);
        for wrong in [
            String::new(),
            "{}".to_owned(),
            "<html></html>".to_owned(),
            "{\"FileStatus\":{}}".to_owned(),
            format!(r#"{{"FileStatus":{FILE}"#),
            format!(r#"{{"FileStatus":{}}}"#, with("\"FILE\"", "\"SYMLINK\"")),
            format!(r#"{{"FileStatus":{}}}"#, with("1644", "rwx")),
            format!(r#"{{"FileStatus":{}}}"#, with("24930", "-1")),
        ] {
            is_unknown(entry("s", wrong.as_bytes(), "x").map(drop), &wrong);
        }
        for name in ["a/b", "..", "."] {
            is_unknown(entries("s", &list(&[with("a.patch", name)])).map(drop), name);
        }
        is_unknown(entries("s", &list(&[with("a.patch", ""), FILE.to_owned()])).map(drop), "two without a name");
        is_unknown(boolean("s", b"true").map(drop), "no object");
        is_unknown(nothing("s", b"<html></html>"), "a page");
    }
}

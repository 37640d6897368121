//! What the answers of the client mean: its errors, and its descriptions of paths. Must not depend on how an answer
//! arrived.

use std::io::{self, ErrorKind};

use hdfs_native::HdfsError;
use hdfs_native::client::FileStatus;

use super::super::hdfs::{Failure, Meaning, exception, first_line};
use super::super::store_path::StorePath;
use super::super::{Entry, StoreError};

/// The errors of a connection that was not made, so that nothing was sent.
const NOT_SENT: [ErrorKind; 5] = [
    ErrorKind::AddrNotAvailable,
    ErrorKind::ConnectionRefused,
    ErrorKind::HostUnreachable,
    ErrorKind::NetworkUnreachable,
    ErrorKind::NotConnected,
];

/// What an error of the client means.
pub(super) fn failure(server: &str, told: &HdfsError) -> Failure {
    let definite = |error: io::Error| Failure { error, is_for_another: false };
    let refused = |kind: ErrorKind, text: &str| definite(StoreError::refused(kind, said(server, text)));
    match told {
        HdfsError::FileNotFound(path) => definite(StoreError::absent(format!("[{path}] does not exist on {server}"))),
        HdfsError::AlreadyExists(text) => refused(ErrorKind::AlreadyExists, text),
        HdfsError::RPCError(class, message) => match exception(server, class, message) {
            (Some(Meaning::Absent), text) => definite(StoreError::absent(text)),
            (Some(Meaning::Refused(kind)), text) => definite(StoreError::refused(kind, text)),
            (Some(Meaning::Standby), text) => Failure { error: StoreError::unknown(text), is_for_another: true },
            (None, text) => definite(StoreError::unclear(text)),
        },
        HdfsError::IOError(error) => {
            Failure { error: unreached(server, error), is_for_another: NOT_SENT.contains(&error.kind()) }
        }
        HdfsError::UnsupportedFeature(text) | HdfsError::UnsupportedErasureCodingPolicy(text) => {
            refused(ErrorKind::Unsupported, text)
        }
        HdfsError::DataTransferError(_) | HdfsError::ChecksumError | HdfsError::BlocksNotFound(_) => {
            definite(StoreError::unclear(said(server, &told.to_string())))
        }
        // It refuses everything, for a login that it wants or a failure of its own: this says nothing about the path.
        _ => definite(StoreError::unknown(said(server, &told.to_string()))),
    }
}

/// The error of a connection that was not made, or that broke.
pub(super) fn unreached(server: &str, error: &io::Error) -> io::Error {
    // A name node that wants Kerberos, and a server that is something else, end the connection without a word.
    let ended =
        if error.kind() == ErrorKind::ConnectionAborted { "; it may want Kerberos, or be no name node" } else { "" };
    StoreError::unknown(format!("{server} does not answer: {}{ended}", first_line(&error.to_string())))
}

fn said(server: &str, text: &str) -> String {
    format!("{server} answers: {}", first_line(text))
}

/// What is at a path whose last step is `name`.
pub(super) fn entry(server: &str, status: &FileStatus, name: &str) -> io::Result<Entry> {
    let is_folder = status.isdir;
    let file_only = |number: u64| if is_folder { 0 } else { number };
    let described = || {
        Some(Entry {
            name: name.to_owned(),
            is_folder,
            length: file_only(u64::try_from(status.length).ok()?),
            modified: Some(i64::try_from(status.modification_time).ok()?),
            mode: Some(u32::from(status.permission)),
            owner: status.owner.clone(),
            group: status.group.clone(),
            replication: u16::try_from(file_only(u64::from(status.replication.unwrap_or_default()))).ok()?,
        })
    };
    described().ok_or_else(|| senseless(server))
}

/// An entry of the listing of a folder.
pub(super) fn entry_of(server: &str, status: &FileStatus, folder: &StorePath) -> io::Result<Entry> {
    let below = status.path.strip_prefix(folder.as_str()).map(|rest| rest.trim_start_matches('/'));
    let name = below.filter(|name| !name.contains(['/', '\0']) && !matches!(*name, "" | "." | ".."));
    entry(server, status, name.ok_or_else(|| senseless(server))?)
}

fn senseless(server: &str) -> io::Error {
    StoreError::unclear(format!("{server} describes a path in a way that makes no sense"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::{Verdict, verdict};

    fn check(told: &HdfsError, expect: (Verdict, ErrorKind), is_for_another: bool) {
        let failure = failure("hdfs://nn:1", told);
        assert_eq!((verdict(&failure.error), failure.error.kind()), expect, "{told}");
        assert_eq!(failure.is_for_another, is_for_another, "{told}");
        assert!(!failure.error.to_string().contains("at java"), "{}", failure.error);
    }

    #[test]
    fn only_listed_exceptions_are_definite() {
        use {ErrorKind as K, Verdict as V};
        for (class, expect, is_for_another) in [
            ("java.io.FileNotFoundException", (V::Absent, K::NotFound), false),
            ("org.apache.hadoop.security.AccessControlException", (V::Refused, K::PermissionDenied), false),
            ("org.apache.hadoop.fs.ParentNotDirectoryException", (V::Refused, K::NotADirectory), false),
            ("org.apache.hadoop.fs.InvalidPathException", (V::Refused, K::InvalidInput), false),
            ("org.apache.hadoop.hdfs.protocol.DSQuotaExceededException", (V::Refused, K::QuotaExceeded), false),
            ("org.apache.hadoop.ipc.StandbyException", (V::Unknown, K::TimedOut), true),
            ("org.apache.hadoop.ipc.RetriableException", (V::Unknown, K::TimedOut), false),
            ("org.apache.hadoop.hdfs.server.namenode.SafeModeException", (V::Unknown, K::TimedOut), false),
            ("java.io.IOException", (V::Unknown, K::TimedOut), false),
            ("", (V::Unknown, K::TimedOut), false),
        ] {
            let message = "the reason\n\tat java.lang".to_owned();
            check(&HdfsError::RPCError(class.to_owned(), message.clone()), expect, is_for_another);
            // The whole connection failed, whatever the class is.
            check(&HdfsError::FatalRPCError(class.to_owned(), message), (V::Unknown, K::TimedOut), false);
        }
        let text = || "the reason\n\tat java.lang".to_owned();
        check(&HdfsError::FileNotFound("/x".to_owned()), (V::Absent, K::NotFound), false);
        check(&HdfsError::AlreadyExists(text()), (V::Refused, K::AlreadyExists), false);
        check(&HdfsError::UnsupportedFeature(text()), (V::Refused, K::Unsupported), false);
        for told in [HdfsError::DataTransferError(text()), HdfsError::ChecksumError, HdfsError::NoSASLMechanism] {
            check(&told, (V::Unknown, K::TimedOut), false);
        }
    }

    #[test]
    fn only_a_connection_that_was_not_made_allows_another_server() {
        for (kind, is_for_another) in [
            (ErrorKind::ConnectionRefused, true),
            (ErrorKind::NetworkUnreachable, true),
            (ErrorKind::ConnectionAborted, false),
            (ErrorKind::ConnectionReset, false),
            (ErrorKind::UnexpectedEof, false),
            (ErrorKind::TimedOut, false),
        ] {
            check(&HdfsError::IOError(kind.into()), (Verdict::Unknown, ErrorKind::TimedOut), is_for_another);
        }
    }

    fn status(path: &str) -> FileStatus {
        FileStatus {
            path: path.to_owned(),
            length: 7,
            isdir: false,
            permission: 0o1644,
            owner: "ann".to_owned(),
            group: "ops".to_owned(),
            modification_time: 1_320_171_722_771,
            access_time: 0,
            replication: Some(3),
            blocksize: Some(1),
        }
    }

    #[test]
    fn entries_have_the_name_of_their_last_step() {
        let folder = |path: &str| StorePath::of(path).unwrap();
        let name = |path: &str, below: &str| entry_of("s", &status(path), &folder(below)).map(|entry| entry.name);
        assert_eq!(name("/a/b c%2F", "/a").unwrap(), "b c%2F");
        assert_eq!(name("/a", "/").unwrap(), "a");
        for (path, below) in [("/a/b/c", "/a"), ("/a/..", "/a"), ("/a/.", "/a"), ("/a", "/a"), ("/b", "/a")] {
            assert_eq!(verdict(&name(path, below).unwrap_err()), Verdict::Unknown, "{path}");
        }
        let found = entry("s", &status("/x"), "x").unwrap();
        assert_eq!((found.length, found.mode, found.replication), (7, Some(0o1644), 3));
        let folder = entry("s", &FileStatus { isdir: true, ..status("/x") }, "x").unwrap();
        assert_eq!((folder.is_folder, folder.length, folder.replication), (true, 0, 0));
        let senseless = FileStatus { modification_time: u64::MAX, ..status("/x") };
        assert_eq!(verdict(&entry("s", &senseless, "x").unwrap_err()), Verdict::Unknown);
    }
}

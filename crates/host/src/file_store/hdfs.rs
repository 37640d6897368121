//! What HDFS means, whichever protocol asks it: its exceptions by their class, its name nodes in the site files, the
//! permission bits of what is new, and why a rename failed. Must not depend on a protocol.
//!
//! An exception that is not listed here is no definite answer: a name node has one kind of answer for most of its
//! failures, permanent and passing ones alike.

use std::io::{self, ErrorKind, Read};

use super::hadoop_conf::HadoopConf;
use super::store_path::StorePath;
use super::{Entry, StoreAddress, StoreError};
use crate::uri::split_uri;
use crate::{environment, found};

/// The port of a name node's RPC where an address has none.
const RPC_PORT: u16 = 8020;
/// The property with the permission bits that new files and folders do not get, and Hadoop's own value.
const UMASK: (&str, &str) = ("fs.permissions.umask-mode", "022");
/// The most characters of a server's message that are shown.
const LONGEST_MESSAGE: usize = 400;

/// A request that a server did not do.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: io::Error,
    /// Whether the request was not done for certain and another name node may do it.
    pub(super) is_for_another: bool,
}

/// What an exception means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Absent,
    Refused(ErrorKind),
    Standby,
}

/// The exceptions that are definite answers; all others are unknown.
const MEANINGS: [(&str, Meaning); 19] = [
    ("FileNotFoundException", Meaning::Absent),
    ("StandbyException", Meaning::Standby),
    ("AccessControlException", Meaning::Refused(ErrorKind::PermissionDenied)),
    ("AclException", Meaning::Refused(ErrorKind::PermissionDenied)),
    ("AuthorizationException", Meaning::Refused(ErrorKind::PermissionDenied)),
    ("SnapshotAccessControlException", Meaning::Refused(ErrorKind::PermissionDenied)),
    ("SnapshotException", Meaning::Refused(ErrorKind::PermissionDenied)),
    ("FileAlreadyExistsException", Meaning::Refused(ErrorKind::AlreadyExists)),
    ("ParentNotDirectoryException", Meaning::Refused(ErrorKind::NotADirectory)),
    ("PathIsNotDirectoryException", Meaning::Refused(ErrorKind::NotADirectory)),
    ("PathIsDirectoryException", Meaning::Refused(ErrorKind::IsADirectory)),
    ("UnsupportedOperationException", Meaning::Refused(ErrorKind::Unsupported)),
    ("IllegalArgumentException", Meaning::Refused(ErrorKind::InvalidInput)),
    ("InvalidPathException", Meaning::Refused(ErrorKind::InvalidInput)),
    ("PathComponentTooLongException", Meaning::Refused(ErrorKind::InvalidInput)),
    ("MaxDirectoryItemsExceededException", Meaning::Refused(ErrorKind::QuotaExceeded)),
    ("NSQuotaExceededException", Meaning::Refused(ErrorKind::QuotaExceeded)),
    ("DSQuotaExceededException", Meaning::Refused(ErrorKind::QuotaExceeded)),
    ("QuotaExceededException", Meaning::Refused(ErrorKind::QuotaExceeded)),
];

/// What an exception means by its class, with or without the package, and a text for people.
pub(super) fn exception(server: &str, class: &str, message: &str) -> (Option<Meaning>, String) {
    let class = class.rsplit('.').next().unwrap_or_default();
    let meaning = MEANINGS.iter().find(|(name, _)| *name == class).map(|(_, meaning)| *meaning);
    (meaning, format!("{server} answers {class}: {}", first_line(message)))
}

/// A server's message without its stack trace.
pub(super) fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().chars().take(LONGEST_MESSAGE).collect()
}

/// Whether an address has a port.
pub(super) fn has_port(authority: &str) -> bool {
    authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

/// The address of a name node's RPC, with its port.
pub(super) fn rpc_address(authority: &str) -> String {
    if has_port(authority) { authority.to_owned() } else { format!("{authority}:{RPC_PORT}") }
}

/// The authority of a store's server.
///
/// # Errors
/// A refusal when the server is written in another way than `scheme://authority`.
pub(super) fn authority(address: &StoreAddress) -> io::Result<&str> {
    let refuse = |why: &str| Err(cannot_be_asked(&address.server, why));
    let Some(parts) = split_uri(&address.server) else { return refuse("it is no address") };
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    let authority = parts.authority;
    if authority.is_empty() || !authority.bytes().all(is_host) || !matches!(parts.path, "" | "/") {
        return refuse("it must be written as scheme://host:port");
    }
    Ok(authority)
}

/// The refusal to ask a store.
pub(super) fn cannot_be_asked(server: &str, why: &str) -> io::Error {
    StoreError::refused(ErrorKind::Unsupported, format!("the store [{server}] cannot be asked: {why}"))
}

/// How the properties of each name node of a nameservice end, such as `.cluster.nn1`; `None` when the site files have
/// no such nameservice.
pub(super) fn name_nodes(conf: &HadoopConf, name: &str) -> Option<Vec<String>> {
    // The names of properties have the service as it is written in its list.
    let services = conf.list("dfs.nameservices");
    let service = services.iter().find(|service| service.eq_ignore_ascii_case(name))?;
    let ids = conf.list(&format!("dfs.ha.namenodes.{service}"));
    if ids.is_empty() {
        return Some(vec![format!(".{service}")]);
    }
    Some(ids.iter().map(|id| format!(".{service}.{id}")).collect())
}

/// The permission bits of what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Modes {
    pub(super) folder: u32,
    pub(super) file: u32,
}

impl Modes {
    /// # Errors
    /// A refusal when the site files have a umask that cannot be read.
    pub(super) fn of(conf: Option<&HadoopConf>) -> io::Result<Self> {
        let (property, default) = UMASK;
        let text = conf.and_then(|conf| conf.get(property)).unwrap_or_else(|| default.to_owned());
        let umask = u32::from_str_radix(&text, 8).ok().filter(|umask| *umask <= 0o777).ok_or_else(|| {
            let text = format!("[{text}] of {property} cannot be read: write it in octal, such as {default}");
            StoreError::refused(ErrorKind::InvalidInput, text)
        })?;
        Ok(Self { folder: 0o777 & !umask, file: 0o666 & !umask })
    }
}

/// An answer about a path; `None` when nothing is there for certain, as below a file.
pub(super) fn present<T>(answer: io::Result<T>) -> io::Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if found::is_absence(&error) || error.kind() == ErrorKind::NotADirectory => Ok(None),
        Err(error) => Err(error),
    }
}

/// Why a rename failed, by what is there now.
pub(super) fn not_renamed(
    from: &StorePath,
    to: &StorePath,
    entry: impl Fn(&StorePath) -> io::Result<Option<Entry>>,
) -> io::Error {
    let text = |why: &str| format!("[{}] was not renamed to [{}]: {why}", from.as_str(), to.as_str());
    let is_there = |path: &StorePath| entry(path).map(|entry| entry.is_some());
    let above = to.parent().map_or(Ok(true), |above| is_there(&above));
    match (is_there(from), is_there(to), above) {
        (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => error,
        (Ok(false), ..) => StoreError::absent(text("it does not exist")),
        (_, Ok(true), _) => StoreError::refused(ErrorKind::AlreadyExists, text("the target exists")),
        (.., Ok(false)) => StoreError::absent(text("the folder above the target does not exist")),
        _ => StoreError::unknown(text("the store gives no reason")),
    }
}

/// Reads the start of a content; 0 bytes when it is empty.
pub(super) fn first_part(content: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match content.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// A path in a folder that no file has; its name starts with `start`.
pub(super) fn free_name_in(folder: &StorePath, start: &str) -> io::Result<StorePath> {
    let token = environment::random_name().map_err(|error| StoreError::unknown(error.to_string()))?;
    Ok(folder.join(&format!("{start}{token}")))
}

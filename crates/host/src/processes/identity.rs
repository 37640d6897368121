//! Which process is meant: unique among all that ever ran on this machine.
//!
//! A process is identified by its boot, its number and its start time, so a reused number is noticed.
//! Must not depend on what the process does.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::table;
use crate::environment::{self, NO_BOOT_ID};
use crate::found::{Found, Unknown};
use howdah_words::error::{Error, ErrorCode};

/// A process, unique among all that ever ran on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The boot in which it runs.
    pub boot_id: String,
    /// Its number.
    pub pid: i32,
    /// Its start time, in the kernel's format; only compared.
    pub start_time: String,
    /// The namespace of its number (a container has its own), where the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u64>,
}

impl Identity {
    /// The identity of this process. H0110 when the process table cannot be read, H0140 where there is none.
    pub fn own() -> Result<Self, Error> {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        Self::of(pid).known()?.ok_or_else(|| Error::new(ErrorCode::H0140, "there is no process table"))
    }

    /// The identity of the running process `pid`; absent when there is none or it has ended.
    pub fn of(pid: i32) -> Found<Self> {
        match (table::read(pid), environment::boot_id()) {
            (Found::Present(entry), Ok(boot_id)) => {
                let namespace = own_namespace();
                Found::Present(Self { boot_id: boot_id.to_owned(), pid, start_time: entry.start_time, namespace })
            }
            (Found::Present(_), Err(unknown)) | (Found::Unknown(unknown), _) => Found::Unknown(unknown),
            (Found::Absent, _) => Found::Absent,
        }
    }

    /// The identity of a process whose start could not be read: it never counts as alive, but its number is known.
    pub fn unseen(pid: i32) -> Self {
        let boot_id = environment::boot_id().unwrap_or(NO_BOOT_ID).to_owned();
        Self { boot_id, pid, start_time: UNSEEN.to_owned(), namespace: own_namespace() }
    }

    /// Whether its start was not read, so that its end cannot be noticed either.
    pub(crate) fn is_unseen(&self) -> bool {
        self.start_time == UNSEEN
    }

    /// Why this process cannot see whether it is alive: its number means another process here, or none. A number
    /// without a namespace is taken for one of this namespace.
    pub fn hidden(&self) -> Option<Unknown> {
        let is_hidden = matches!((self.namespace, own_namespace()), (Some(its), Some(own)) if its != own);
        let why = "it belongs to another PID namespace (a container), whose processes cannot be seen from here";
        is_hidden.then(|| Unknown::of(&format!("process {}", self.pid), why))
    }

    /// Whether it belongs to this boot, or its boot is not known.
    ///
    /// # Errors
    /// Fails when the machine cannot say which boot this is.
    pub fn is_of_this_boot(&self) -> Result<bool, Unknown> {
        let own = environment::boot_id()?;
        Ok(self.boot_id == own || self.boot_id == NO_BOOT_ID || own == NO_BOOT_ID)
    }
}

/// The PID namespace of this process; `None` where the system has none or does not report it.
fn own_namespace() -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    static NAMESPACE: OnceLock<u64> = OnceLock::new();
    if let Some(known) = NAMESPACE.get() {
        return Some(*known);
    }
    let inode = std::fs::metadata("/proc/self/ns/pid").ok()?.ino();
    Some(*NAMESPACE.get_or_init(|| inode))
}

/// The start time of a process whose start was not read.
const UNSEEN: &str = "unseen";

/// Looks for exactly this process: present while it is alive. A process that has ended but was not reaped is absent.
pub fn look_for(identity: &Identity) -> Found<()> {
    match identity.is_of_this_boot() {
        Ok(true) => match (identity.hidden(), table::read(identity.pid)) {
            (Some(unknown), _) | (None, Found::Unknown(unknown)) => Found::Unknown(unknown),
            (None, Found::Present(entry)) if entry.start_time == identity.start_time => Found::Present(()),
            (None, Found::Present(_) | Found::Absent) => Found::Absent,
        },
        Ok(false) => Found::Absent,
        Err(unknown) => Found::Unknown(unknown),
    }
}

//! A user of the machine, and the users that this process and this thread have. Must not depend on anything else of the
//! machine: `user_table` looks users up, `handover` changes to another one.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// A user of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    pub home: PathBuf,
    pub shell: String,
}

/// Whether this process may work for other users.
pub fn is_root() -> bool {
    own_uid() == 0
}

/// The number of the user for whom this process works; it stays the same while a thread acts for another user.
pub fn own_uid() -> u32 {
    rustix::process::getuid().as_raw()
}

thread_local! {
    /// What the system said last. A tick asks for each of a million paths, and the call would cost as much as the rest.
    static EFFECTIVE: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The number of the user whose rights this thread has.
pub(crate) fn effective_uid() -> u32 {
    EFFECTIVE.get().unwrap_or_else(|| {
        let user = rustix::process::geteuid().as_raw();
        EFFECTIVE.set(Some(user));
        user
    })
}

/// Whether this process was root's and has become another user: its environment may be root's.
static HAS_CHANGED: AtomicBool = AtomicBool::new(false);

/// Whether this process has become another user than the one that started it.
#[cfg(feature = "hdfs")]
pub fn has_changed() -> bool {
    HAS_CHANGED.load(Ordering::Relaxed)
}

/// Must be called by whatever turns this process into another user, before the change.
pub(super) fn note_change() {
    HAS_CHANGED.store(true, Ordering::Relaxed);
}

/// Must be called by whatever changes the rights of this thread, after the change.
pub(super) fn forget_effective_uid() {
    EFFECTIVE.set(None);
}

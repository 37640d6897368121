//! The connection of short queries, which a process that answers many of them keeps open between two.
//!
//! Opening a database reads its schema, and closing it last writes its log back: both cost more than most queries. Must
//! not depend on what is queried.
//!
//! While a connection is open, the log beside the file may have changes that the file has not. So a file must not be
//! replaced meanwhile, and a connection that waits for its next query is to be closed soon.

use std::cell::RefCell;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::rc::Rc;

use super::{Snapshot, Store, migrate};

/// What a thread keeps.
#[derive(Debug, Default)]
struct Kept {
    /// Whether it keeps anything.
    is_on: bool,
    open: Option<Open>,
}

/// An open file, which a store may be using.
#[derive(Debug)]
struct Open {
    file: Rc<Snapshot>,
    identity: Identity,
}

/// Which file it is: its file system and its number there. No other file gets the number while this one is open.
type Identity = (u64, u64);

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// From now on this thread keeps the database that it queried last open for its next query.
#[cfg(feature = "serve")]
pub fn begin() {
    KEPT.with_borrow_mut(|kept| kept.is_on = true);
}

/// Closes what this thread keeps; its next query opens the database again.
#[cfg(feature = "serve")]
pub fn close() {
    let open = KEPT.with_borrow_mut(|kept| kept.open.take());
    drop(open);
}

/// Returns the kept database, when it is the file at `path`, no store uses it, and it still has the version of this
/// program.
pub(super) fn find(path: &Path, found: Option<&Metadata>) -> Option<Store> {
    KEPT.with_borrow(|kept| {
        let Open { file, identity } = kept.open.as_ref()?;
        let is_same = file.path == path && found.map(self::identity) == Some(*identity);
        let is_free = Rc::strong_count(file) == 1;
        (is_same && is_free && migrate::is_present(file)).then(|| Store { file: Rc::clone(file) })
    })
}

/// Keeps a database that was opened after `found` was read about its file, in place of the one before.
pub(super) fn keep(store: &Store, found: Option<&Metadata>) {
    let Some(identity) = found.map(identity) else { return };
    let before = KEPT.with_borrow_mut(|kept| {
        let open = kept.is_on.then(|| Open { file: Rc::clone(&store.file), identity });
        open.and_then(|open| kept.open.replace(open))
    });
    drop(before);
}

fn identity(found: &Metadata) -> Identity {
    (found.dev(), found.ino())
}

#[cfg(all(test, feature = "serve"))]
mod tests {
    use std::fs;

    use super::super::OpenMode;
    use super::super::testing::{coordinator, create};
    use super::*;
    use howdah_words::error::ErrorCode;

    fn opened(path: &Path) -> Store {
        Store::open(path, &OpenMode::ReadOnly).unwrap()
    }

    fn jobs(store: &Store) -> usize {
        store.read(Snapshot::live_coordinator_jobs).unwrap().len()
    }

    #[test]
    fn a_database_stays_open_until_it_is_another_file_or_version() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["howdah.db", "other.db"].map(|name| folder.path().join(name));
        Store::open(&path, &create()).unwrap();
        begin();
        let first = Rc::downgrade(&opened(&path).file);
        assert!(std::ptr::eq(first.as_ptr(), Rc::as_ptr(&opened(&path).file)));
        // Two at once are two connections; each sees what another one has stored.
        let (one, two) = (opened(&path), opened(&path));
        assert!(!Rc::ptr_eq(&one.file, &two.file));
        drop((one, two));
        Store::open(&path, &create()).unwrap().transact(coordinator).unwrap();
        assert_eq!(jobs(&opened(&path)), 1);
        // Another file at the same path; as before every such change, the log is empty.
        Store::open(&other, &create()).unwrap();
        let empty = "PRAGMA wal_checkpoint(TRUNCATE)";
        opened(&path).file.connection.query_row(empty, [], |_| Ok(())).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(jobs(&opened(&path)), 0);
        let newer = Store::open(&path, &create()).unwrap();
        newer.file.connection.pragma_update(None, "user_version", 7).unwrap();
        assert_eq!(Store::open(&path, &OpenMode::ReadOnly).unwrap_err().code(), ErrorCode::H0102);
        close();
        assert!(KEPT.with_borrow(|kept| kept.open.is_none()));
    }
}

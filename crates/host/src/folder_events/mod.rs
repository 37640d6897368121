//! Events of folders: that an entry appeared in one, or that the folder itself went away.
//!
//! An event is a hint to look again and never an answer: a file that is put into a new folder at once may cause none,
//! and a file system that other machines write to causes none for their changes. Only Linux has them here.

#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has events"))]
mod event;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

use std::os::fd::BorrowedFd;
use std::path::Path;

pub use event::{Events, Unwatched, WatchId, Watched};

/// The events of some folders.
#[derive(Debug)]
pub struct FolderEvents(system::FolderEvents);

impl FolderEvents {
    /// Opens a source of events without any folder; in words why there is none.
    pub fn open() -> Result<Self, String> {
        system::FolderEvents::open().map(Self)
    }

    /// Watches a folder with the rights of this thread; links are followed as by any look at a path.
    pub fn watch(&self, folder: &Path) -> Watched {
        self.0.watch(folder)
    }

    /// Ends a watch.
    pub fn forget(&self, watch: WatchId) {
        self.0.forget(watch);
    }

    /// Returns the events since the last call, without waiting.
    pub fn read(&self) -> Events {
        self.0.read()
    }

    /// Returns what can be polled for the next event.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.descriptor()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    #[test]
    fn entries_that_appear_are_told_and_reads_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let events = FolderEvents::open().unwrap();
        let Watched::On(watch) = events.watch(folder.path()) else { panic!("a local folder is watched") };
        assert_eq!(events.watch(&folder.path().join(".")), Watched::On(watch));
        fs::write(folder.path().join("a"), "").unwrap();
        assert_eq!(events.read().changed, BTreeSet::from([watch]));
        fs::read(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a"), "more").unwrap();
        fs::remove_file(folder.path().join("a")).unwrap();
        assert_eq!(events.read(), Events::default());
        events.forget(watch);
        assert_eq!(events.read(), Events { gone: BTreeSet::from([watch]), ..Events::default() });
        fs::write(folder.path().join("b"), "").unwrap();
        assert_eq!(events.read(), Events::default());
    }

    #[test]
    fn a_folder_that_is_deleted_or_moved_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let events = FolderEvents::open().unwrap();
        for name in ["deleted", "moved"] {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            let Watched::On(watch) = events.watch(&path) else { panic!("{name}") };
            match name {
                "deleted" => fs::remove_dir(&path).unwrap(),
                _ => fs::rename(&path, folder.path().join("elsewhere")).unwrap(),
            }
            assert_eq!(events.read().gone, BTreeSet::from([watch]), "{name}");
            assert_eq!(events.watch(&path), Watched::Absent, "{name}");
        }
    }

    #[test]
    fn what_is_no_folder_is_absent() {
        let folder = tempfile::tempdir().unwrap();
        let events = FolderEvents::open().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        for name in ["file", "file/below", "nothing"] {
            assert_eq!(events.watch(&folder.path().join(name)), Watched::Absent, "{name}");
        }
        assert!(matches!(events.watch(Path::new("/\0")), Watched::Not(Unwatched::Refused(_))));
    }

    #[test]
    fn more_events_than_the_kernel_keeps_are_an_overflow() {
        let folder = tempfile::tempdir().unwrap();
        let events = FolderEvents::open().unwrap();
        events.watch(folder.path());
        let queue = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let most: usize = queue.trim().parse().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        for _ in 0..=most / 2 {
            fs::write(&one, "").unwrap();
            fs::write(&other, "").unwrap();
            fs::remove_file(&one).unwrap();
            fs::remove_file(&other).unwrap();
        }
        assert!(events.read().overflow);
        assert_eq!(events.read(), Events::default());
    }
}

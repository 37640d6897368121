//! No events of folders on other systems.

use std::os::fd::BorrowedFd;
use std::path::Path;

use super::event::{Events, Unwatched, WatchId, Watched};

#[derive(Debug)]
pub(super) struct FolderEvents;

impl FolderEvents {
    pub(super) fn open() -> Result<Self, String> {
        Err("this system has no inotify".to_owned())
    }

    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn watch(&self, _folder: &Path) -> Watched {
        Watched::Not(Unwatched::Refused("this system has no inotify".to_owned()))
    }

    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn forget(&self, _watch: WatchId) {}

    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn read(&self) -> Events {
        Events::default()
    }

    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

//! Events of folders on Linux, by inotify.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
use rustix::io::Errno;

use super::event::{Events, Unwatched, WatchId, Watched};
use crate::watch;

/// What makes an absent entry present, and what ends a watch.
const WANTED: WatchFlags =
    WatchFlags::CREATE.union(WatchFlags::MOVED_TO).union(WatchFlags::DELETE_SELF).union(WatchFlags::MOVE_SELF);

/// How many events one read may return: more than the kernel keeps by default.
const MOST_READ: usize = 65_536;

/// File systems that other machines may write to: AFS (two), Ceph, CIFS, Coda, FUSE, GFS2, GPFS, Lustre, NCP, NFS,
/// OCFS2, 9P, SMB (two) and `BeeGFS`. The numbers are those of `linux/magic.h` and of the drivers outside of Linux.
const NETWORK: [u32; 16] = [
    0x5346_414f,
    0x6b41_4653,
    0x00c3_6400,
    0xff53_4d42,
    0x7375_7245,
    0x6573_5546,
    0x0116_1970,
    0x4750_4653,
    0x0bd0_0bd0,
    0x564c,
    0x6969,
    0x7461_636f,
    0x0102_1997,
    0x517b,
    0xfe53_4d42,
    0x1983_0326,
];

#[derive(Debug)]
pub(super) struct FolderEvents(OwnedFd);

impl FolderEvents {
    pub(super) fn open() -> Result<Self, String> {
        let opened = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map(Self);
        opened.map_err(|error| match error {
            Errno::MFILE => "the kernel allows this user no more of them (fs.inotify.max_user_instances)".to_owned(),
            other => std::io::Error::from(other).to_string(),
        })
    }

    pub(super) fn watch(&self, folder: &Path) -> Watched {
        // One look: a file system whose server is away may give no answer.
        watch::look(folder, || {
            match rustix::fs::statfs(folder) {
                Ok(system) if is_network(system.f_type) => return Watched::Not(Unwatched::Network),
                Err(error) => return not_watched(error),
                Ok(_) => {}
            }
            let flags = WANTED | WatchFlags::ONLYDIR;
            add_watch(&self.0, folder, flags).map_or_else(not_watched, |watch| Watched::On(WatchId(watch)))
        })
    }

    pub(super) fn forget(&self, watch: WatchId) {
        // One that is gone already cannot be removed.
        let _ = remove_watch(&self.0, watch.0);
    }

    pub(super) fn read(&self) -> Events {
        let mut events = Events::default();
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = Reader::new(&self.0, &mut buffer);
        let mut left = MOST_READ;
        loop {
            match reader.next() {
                // What is left in the buffer is lost.
                Ok(_) if left == 0 => {
                    events.overflow = true;
                    break;
                }
                Ok(event) => note(&mut events, WatchId(event.wd()), event.events()),
                Err(Errno::INTR) => {}
                // No more, or none that can be read: polling finds what is missed.
                Err(_) => break,
            }
            left -= 1;
        }
        // A folder that moved keeps its watch, which would be one of another path.
        events.gone.iter().for_each(|watch| self.forget(*watch));
        events
    }

    #[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.0.as_fd())
    }
}

fn note(events: &mut Events, watch: WatchId, flags: ReadFlags) {
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        events.overflow = true;
    } else if flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED | ReadFlags::UNMOUNT)
    {
        events.gone.insert(watch);
    } else {
        events.changed.insert(watch);
    }
}

fn not_watched(error: Errno) -> Watched {
    match error {
        Errno::NOENT | Errno::NOTDIR => Watched::Absent,
        Errno::NOSPC => {
            let why = "the kernel allows this user no more watches (fs.inotify.max_user_watches)";
            Watched::Not(Unwatched::Limit(why.to_owned()))
        }
        other => Watched::Not(Unwatched::Refused(std::io::Error::from(other).to_string())),
    }
}

/// Checks the number of a file system's type, of which only the lower half counts.
fn is_network(kind: impl TryInto<i64>) -> bool {
    let kind = kind.try_into().unwrap_or_default();
    NETWORK.iter().any(|network| i64::from(*network) == kind & 0xffff_ffff)
}

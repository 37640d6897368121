//! Identifies processes, waits for their ends and signals them; `children` starts them.
//!
//! There are no heartbeats; the kernel is asked. A process is identified by its boot, its number and its start time, so
//! a reused number is noticed. Where the process table cannot be read, nothing is concluded: see `found`.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::environment::{self, NO_BOOT_ID};
use super::found::{Found, Unknown};
use crate::error::{Error, ErrorCode};

/// Leaves the session of the caller, so that the end of a terminal or of cron does not reach this process.
pub(crate) fn leave_session() {
    // It fails only for a leader of a process group, which is out of reach as well.
    let _ = rustix::process::setsid();
}

/// Makes a write above the limit on file sizes fail with the system's own error; otherwise SIGXFSZ would end this
/// process without a message. A handler instead of ignoring the signal, because every command would inherit that.
pub(crate) fn handle_size_limits() {
    // Without the handler the signal ends the process as before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// A flag that is set when the user interrupts this process (Ctrl-C) or asks it to end; the second time ends it.
pub(crate) fn watch_for_interrupt() -> Arc<AtomicBool> {
    let raised = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without the flag the signal still ends the process, and nothing is lost then either.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&raised));
        let _ = signal_hook::flag::register(signal, Arc::clone(&raised));
    }
    raised
}

/// A process, unique among all that ever ran on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The boot in which it runs.
    pub(crate) boot_id: String,
    /// Its number.
    pub(crate) pid: i32,
    /// Its start time, in the kernel's format; only compared.
    pub(crate) start_time: String,
    /// The namespace of its number (a container has its own), where the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<u64>,
}

/// The signals that howdah sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Signal {
    /// SIGTERM: end in order.
    Terminate,
    /// SIGKILL: end now.
    Kill,
}

impl Signal {
    /// The number of the signal.
    pub(crate) const fn number(self) -> i32 {
        self.native().as_raw()
    }

    const fn native(self) -> rustix::process::Signal {
        match self {
            Self::Terminate => rustix::process::Signal::TERM,
            Self::Kill => rustix::process::Signal::KILL,
        }
    }
}

impl Identity {
    /// The identity of this process. H0110 when the process table cannot be read, H0140 where there is none.
    pub(crate) fn own() -> Result<Self, Error> {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        Self::of(pid).known()?.ok_or_else(|| Error::new(ErrorCode::H0140, "there is no process table"))
    }

    /// The identity of the running process `pid`; absent when there is none or it has ended.
    pub(crate) fn of(pid: i32) -> Found<Self> {
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
    pub(crate) fn unseen(pid: i32) -> Self {
        let boot_id = environment::boot_id().unwrap_or(NO_BOOT_ID).to_owned();
        Self { boot_id, pid, start_time: UNSEEN.to_owned(), namespace: own_namespace() }
    }

    /// Whether its start was not read, so that its end cannot be noticed either.
    pub(crate) fn is_unseen(&self) -> bool {
        self.start_time == UNSEEN
    }

    /// Why this process cannot see whether it is alive: its number means another process here, or none. A number
    /// without a namespace is taken for one of this namespace.
    pub(crate) fn hidden(&self) -> Option<Unknown> {
        let is_hidden = matches!((self.namespace, own_namespace()), (Some(its), Some(own)) if its != own);
        let why = "it belongs to another PID namespace (a container), whose processes cannot be seen from here";
        is_hidden.then(|| Unknown::of(&format!("process {}", self.pid), why))
    }

    /// Whether it belongs to this boot, or its boot is not known.
    ///
    /// # Errors
    /// Fails when the machine cannot say which boot this is.
    pub(crate) fn is_of_this_boot(&self) -> Result<bool, Unknown> {
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
pub(crate) fn look_for(identity: &Identity) -> Found<()> {
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

/// Sends a signal to the process group `group`; `false` when it has no process.
pub(crate) fn signal_group(group: i32, signal: Signal) -> bool {
    Pid::from_raw(group)
        .filter(|group| !group.is_init())
        .is_some_and(|group| rustix::process::kill_process_group(group, signal.native()).is_ok())
}

/// The number of the user who started a process; `None` when there is no such process, or the system does not report
/// it.
pub(crate) fn user_of(pid: i32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The process groups of the session `leader`, without the leader's own; empty where sessions cannot be listed (macOS),
/// so that only the command's own group is reached there.
///
/// # Errors
/// Fails when the process table cannot be read.
pub(crate) fn groups_of_session(leader: i32) -> Result<Vec<i32>, Unknown> {
    let mut groups: Vec<i32> = table::all()?
        .into_iter()
        .filter(|entry| entry.session == leader && entry.group != leader)
        .map(|entry| entry.group)
        .collect();
    groups.sort_unstable();
    groups.dedup();
    Ok(groups)
}

/// Whether a process has this folder as its working directory; `None` where the system does not report it.
pub(crate) fn works_in(pid: i32, folder: &Path) -> Option<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = std::fs::metadata(format!("/proc/{pid}/cwd")).ok()?;
    let folder = std::fs::metadata(folder).ok()?;
    Some((own.dev(), own.ino()) == (folder.dev(), folder.ino()))
}

/// Whether the working directory of a process, or the file of its output, is in this folder or below it; `None` where
/// the system does not report it.
pub(crate) fn works_below(pid: i32, folder: &Path) -> Option<bool> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let leads_below = |link: &str| Some(std::fs::read_link(format!("/proc/{pid}/{link}")).ok()?.starts_with(&folder));
    let answers = ["cwd", "fd/1", "fd/2"].map(leads_below);
    if answers.contains(&Some(true)) { Some(true) } else { answers[0] }
}

/// The number of the session of a process; `None` when it does not exist or the system does not report it.
pub(crate) fn session_of(pid: i32) -> Option<i32> {
    table::read(pid).known().ok().flatten().map(|entry| entry.session)
}

/// A running process of the session `leader` other than the leader; absent where sessions cannot be listed.
pub(crate) fn member_of_session(leader: i32) -> Found<Identity> {
    match table::all() {
        Ok(all) => all
            .into_iter()
            .find(|entry| entry.session == leader && entry.pid != leader)
            .map_or(Found::Absent, |entry| Identity::of(entry.pid)),
        Err(unknown) => Found::Unknown(unknown),
    }
}

/// Waits for processes, which need not be children of this one; keeps its descriptors between two waits.
#[derive(Debug, Default)]
pub(crate) struct Watcher(table::Watcher);

impl Watcher {
    /// The most processes that are watched at a time.
    pub(crate) const MOST: usize = 512;

    /// Waits until one of the processes has ended or the time is over; returns whether one has ended. Ignores the
    /// processes after the first [`Self::MOST`].
    pub(crate) fn wait(&mut self, processes: &[Identity], timeout: Duration) -> bool {
        self.0.wait(&processes[..processes.len().min(Self::MOST)], timeout)
    }
}

/// One line of the process table.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    pid: i32,
    group: i32,
    session: i32,
    start_time: String,
}

#[cfg(target_os = "linux")]
mod table {
    //! The process table of Linux: `/proc` and pidfds.

    use std::collections::HashMap;
    use std::fs::File;
    use std::io::{self, Read as _};
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open, test_kill_process};

    use super::super::fault::failing_point;
    use super::{Entry, Found, Identity, Unknown, look_for};

    /// More bytes than a line of `/proc/PID/stat` has: about fifty numbers and a short name.
    const LONGEST: usize = 2048;

    pub(super) fn read(pid: i32) -> Found<Entry> {
        // The kernel returns the whole line if the buffer has room for it.
        let mut line = [0; LONGEST];
        let path = PathBuf::from(format!("/proc/{pid}/stat"));
        let read =
            failing_point("process-table").and_then(|()| File::open(&path)).and_then(|mut file| file.read(&mut line));
        match read {
            Ok(length) => parse(&String::from_utf8_lossy(&line[..length]))
                .unwrap_or_else(|| Found::Unknown(Unknown::of(&path.display().to_string(), "it has no such content"))),
            Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Found::Absent,
            Err(error) if is_hidden(&error) => unlisted(pid, &path, &error),
            Err(error) => Found::unknown(&path, &error),
        }
    }

    /// Whether an error leaves it open if the process exists: `/proc` may be missing, or hide the processes of others.
    fn is_hidden(error: &io::Error) -> bool {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
    }

    /// A process that `/proc` does not show: absent when the kernel has none, or only one of another user.
    fn unlisted(pid: i32, path: &Path, error: &io::Error) -> Found<Entry> {
        match Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw).map(test_kill_process) {
            Some(Ok(())) => Found::unknown(path, error),
            Some(Err(_)) | None => Found::Absent,
        }
    }

    /// Parses a line of `/proc/PID/stat`: absent for a process that has ended, `None` for any other text. The name may
    /// contain blanks and brackets, so fields are counted from its last `)`.
    pub(super) fn parse(line: &str) -> Option<Found<Entry>> {
        let fields: Vec<&str> = line[line.rfind(')')? + 1..].split_ascii_whitespace().collect();
        // The first field here is the third of the line: state, parent, group, session, ..., start time (22).
        if matches!(*fields.first()?, "Z" | "X" | "x") {
            return Some(Found::Absent);
        }
        Some(Found::Present(Entry {
            pid: line.split_once(' ')?.0.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            start_time: (*fields.get(19)?).to_owned(),
        }))
    }

    /// Every process that this user may see.
    pub(super) fn all() -> Result<Vec<Entry>, Unknown> {
        let folder = Path::new("/proc");
        let listed = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut all = Vec::new();
        for entry in Found::of(folder, listed).known()?.unwrap_or_default() {
            if let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) {
                all.extend(read(pid).known()?);
            }
        }
        Ok(all)
    }

    /// A descriptor for each process of the last wait.
    #[derive(Debug, Default)]
    pub(crate) struct Watcher(HashMap<Identity, OwnedFd>);

    impl Watcher {
        pub(super) fn wait(&mut self, processes: &[Identity], timeout: Duration) -> bool {
            let mut before = std::mem::take(&mut self.0);
            for process in processes {
                if let Some(descriptor) = before.remove(process) {
                    self.0.insert(process.clone(), descriptor);
                    continue;
                }
                let opened = Pid::from_raw(process.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
                // Open first and look second: then the descriptor belongs to the process that is alive now.
                match (opened, look_for(process)) {
                    (Some(Ok(descriptor)), Found::Present(())) => {
                        self.0.insert(process.clone(), descriptor);
                    }
                    // Checked again at the next wait.
                    (Some(Err(_)), Found::Present(())) | (_, Found::Unknown(_)) => {}
                    _ => return true,
                }
            }
            let mut polled: Vec<PollFd<'_>> = self.0.values().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
            let timeout = Timespec {
                tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: timeout.subsec_nanos().into(),
            };
            // An interrupted wait counts as timed out: the caller repeats it anyway.
            poll(&mut polled, Some(&timeout)).is_ok_and(|ended| ended > 0)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod table {
    //! The process table of other systems: the output of `ps`, called repeatedly.

    use std::io;
    use std::path::Path;
    use std::process::Command;
    use std::thread;
    use std::time::Duration;

    use super::{Entry, Found, Identity, Unknown, look_for};

    const PAUSE: Duration = Duration::from_millis(100);

    /// One `-o` each: on other systems than Linux the text after the first `=` would be the heading. Locale and zone
    /// are fixed because start times are compared as texts.
    fn ps(selection: &[&str]) -> io::Result<String> {
        let mut command = Command::new("ps");
        command.env("LC_ALL", "C").env("TZ", "UTC").args(selection);
        for column in ["pid=", "stat=", "pgid=", "sess=", "lstart="] {
            command.args(["-o", column]);
        }
        Ok(String::from_utf8_lossy(&command.output()?.stdout).into_owned())
    }

    pub(super) fn read(pid: i32) -> Found<Entry> {
        match ps(&["-p", &pid.to_string()]) {
            Ok(line) => parse(&line).map_or(Found::Absent, Found::Present),
            Err(error) => Found::unknown(Path::new("ps"), &error),
        }
    }

    pub(super) fn parse(line: &str) -> Option<Entry> {
        let mut fields = line.split_ascii_whitespace();
        let (pid, state) = (fields.next()?.parse().ok()?, fields.next()?);
        let (group, session) = (fields.next()?.parse().ok()?, fields.next()?.parse().unwrap_or(0));
        let start_time = fields.collect::<Vec<_>>().join(" ");
        (!state.starts_with('Z') && !start_time.is_empty()).then_some(Entry { pid, group, session, start_time })
    }

    pub(super) fn all() -> Result<Vec<Entry>, Unknown> {
        let listed = Found::of(Path::new("ps"), ps(&["-ax"])).known()?.unwrap_or_default();
        Ok(listed.lines().filter_map(parse).collect())
    }

    /// Keeps nothing: each check calls `ps` again.
    #[derive(Debug, Default)]
    pub(crate) struct Watcher;

    impl Watcher {
        pub(super) fn wait(&mut self, processes: &[Identity], timeout: Duration) -> bool {
            let mut left = timeout;
            loop {
                if processes.iter().any(|process| look_for(process) == Found::Absent) {
                    return true;
                }
                if left.is_zero() {
                    return false;
                }
                let pause = left.min(PAUSE);
                thread::sleep(pause);
                left -= pause;
            }
        }
    }
}

#[cfg(test)]
mod tests;

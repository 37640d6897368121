//! Knowing processes again, waiting for their ends and signalling them; starting them is `children`.
//!
//! There are no heartbeats and no ages; the kernel is asked. A process is known by the boot
//! it lives in, its number and its start time, so a number that was given away again deceives nobody.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::environment;
use crate::error::{Error, ErrorCode};

/// Leaves the session of the caller, so that neither a terminal's end nor cron's reaches this process.
pub(crate) fn leave_session() {
    // Refused only to a process that leads its group already, which then is out of reach as well.
    let _ = rustix::process::setsid();
}

/// Lets a write beyond a limit on the size of files fail with the system's own words, where SIGXFSZ would end this process
/// without any. A handler and not an order to ignore the signal: that would be inherited by every command.
pub(crate) fn outlive_size_limits() {
    // Without the handler the signal ends the process as before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// A flag that is raised when the user interrupts this process (Ctrl-C) or asks it to end; a second time ends it.
pub(crate) fn watch_for_interrupt() -> Arc<AtomicBool> {
    let raised = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without the flag the signal still ends the process, which loses nothing either.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&raised));
        let _ = signal_hook::flag::register(signal, Arc::clone(&raised));
    }
    raised
}

/// One process among all that ever ran on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The boot it lives in.
    pub(crate) boot_id: String,
    /// Its number.
    pub(crate) pid: i32,
    /// When it started, in the kernel's own words; only compared.
    pub(crate) start_time: String,
}

/// What a signal asks for.
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
    /// The identity of this process. H0140 when the process table cannot be read.
    pub(crate) fn own() -> Result<Self, Error> {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        Self::of(pid).ok_or_else(|| Error::new(ErrorCode::H0140, "the process table cannot be read"))
    }

    /// The identity of the living process `pid`; `None` when there is none or it has ended.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let start_time = table::read(pid)?.start_time;
        Some(Self { boot_id: environment::boot_id().to_owned(), pid, start_time })
    }
}

/// Whether this very process is alive; one that has ended but was not yet waited for is dead.
pub(crate) fn is_alive(identity: &Identity) -> bool {
    identity.boot_id == environment::boot_id()
        && table::read(identity.pid).is_some_and(|entry| entry.start_time == identity.start_time)
}

/// Sends a signal to the process group `group`; `false` when nobody is in it.
pub(crate) fn signal_group(group: i32, signal: Signal) -> bool {
    Pid::from_raw(group)
        .filter(|group| !group.is_init())
        .is_some_and(|group| rustix::process::kill_process_group(group, signal.native()).is_ok())
}

/// The number of the user who started a process; `None` when there is no such process, or where the system does not say.
pub(crate) fn user_of(pid: i32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The process groups of the session `leader`, without the leader's own; empty where sessions cannot be listed
/// (macOS), so that there only the command's own group is reached.
pub(crate) fn groups_of_session(leader: i32) -> Vec<i32> {
    let mut groups: Vec<i32> = table::all()
        .into_iter()
        .filter(|entry| entry.session == leader && entry.group != leader)
        .map(|entry| entry.group)
        .collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// A living process of the session `leader` other than the leader; `None` where sessions cannot be listed.
pub(crate) fn member_of_session(leader: i32) -> Option<Identity> {
    table::all()
        .into_iter()
        .find(|entry| entry.session == leader && entry.pid != leader)
        .and_then(|entry| Identity::of(entry.pid))
}

/// Waits for processes, which need not be children of this one; keeps between two waits what it needs to see them end.
#[derive(Debug, Default)]
pub(crate) struct Watcher(table::Watcher);

impl Watcher {
    /// The most processes that are watched at a time.
    pub(crate) const MOST: usize = 512;

    /// Waits until one of the processes has ended or the time is over; whether one has ended. Behind [`Self::MOST`] of them
    /// nobody looks.
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
    use std::io::Read as _;
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use super::{Entry, Identity, is_alive};

    /// More bytes than a line of `/proc/PID/stat` has: about fifty numbers and a short name.
    const LONGEST: usize = 2048;

    pub(super) fn read(pid: i32) -> Option<Entry> {
        // The kernel hands the line out whole to whoever has room for it.
        let mut line = [0; LONGEST];
        let length = File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read(&mut line)).ok()?;
        parse(&String::from_utf8_lossy(&line[..length]))
    }

    /// Reads a line of `/proc/PID/stat`; the name may hold blanks and brackets, so fields are counted from its last `)`.
    pub(super) fn parse(line: &str) -> Option<Entry> {
        let fields: Vec<&str> = line[line.rfind(')')? + 1..].split_ascii_whitespace().collect();
        // The first field here is the third of the line: state, parent, group, session, ..., start time (22).
        if matches!(*fields.first()?, "Z" | "X" | "x") {
            return None;
        }
        Some(Entry {
            pid: line.split_once(' ')?.0.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            start_time: (*fields.get(19)?).to_owned(),
        })
    }

    pub(super) fn all() -> Vec<Entry> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        entries.flatten().filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?)).collect()
    }

    /// A descriptor for each process that was waited for last.
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
                // Opened first and looked at second: what is alive now is what the descriptor stands for.
                match opened {
                    Some(Ok(descriptor)) if is_alive(process) => {
                        self.0.insert(process.clone(), descriptor);
                    }
                    Some(Err(_)) if is_alive(process) => {}
                    _ => return true,
                }
            }
            let mut polled: Vec<PollFd<'_>> = self.0.values().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
            let timeout = Timespec {
                tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: timeout.subsec_nanos().into(),
            };
            // An interrupted wait counts as one that ran out: the caller asks again anyway.
            poll(&mut polled, Some(&timeout)).is_ok_and(|ended| ended > 0)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod table {
    //! The process table elsewhere: what `ps` says, asked again and again.

    use std::process::Command;
    use std::thread;
    use std::time::Duration;

    use super::{Entry, Identity, is_alive};

    const PAUSE: Duration = Duration::from_millis(100);

    /// One `-o` each: elsewhere than on Linux the text behind the first `=` would be the heading. Locale and zone are fixed
    /// because start times are compared as texts.
    fn ps(selection: &[&str]) -> Option<String> {
        let mut command = Command::new("ps");
        command.env("LC_ALL", "C").env("TZ", "UTC").args(selection);
        for column in ["pid=", "stat=", "pgid=", "sess=", "lstart="] {
            command.args(["-o", column]);
        }
        Some(String::from_utf8_lossy(&command.output().ok()?.stdout).into_owned())
    }

    pub(super) fn read(pid: i32) -> Option<Entry> {
        parse(&ps(&["-p", &pid.to_string()])?)
    }

    pub(super) fn parse(line: &str) -> Option<Entry> {
        let mut fields = line.split_ascii_whitespace();
        let (pid, state) = (fields.next()?.parse().ok()?, fields.next()?);
        let (group, session) = (fields.next()?.parse().ok()?, fields.next()?.parse().unwrap_or(0));
        let start_time = fields.collect::<Vec<_>>().join(" ");
        (!state.starts_with('Z') && !start_time.is_empty()).then_some(Entry { pid, group, session, start_time })
    }

    pub(super) fn all() -> Vec<Entry> {
        ps(&["-ax"]).unwrap_or_default().lines().filter_map(parse).collect()
    }

    /// Remembers nothing: `ps` is asked for each process again.
    #[derive(Debug, Default)]
    pub(crate) struct Watcher;

    impl Watcher {
        pub(super) fn wait(&mut self, processes: &[Identity], timeout: Duration) -> bool {
            let mut left = timeout;
            loop {
                if processes.iter().any(|process| !is_alive(process)) {
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
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use super::*;

    fn sleeper() -> (Child, Identity) {
        let child = Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let identity = Identity::of(i32::try_from(child.id()).unwrap()).unwrap();
        (child, identity)
    }

    #[test]
    fn a_process_is_itself_until_it_ends() {
        let (mut child, identity) = sleeper();
        let mut watcher = Watcher::default();
        assert!(is_alive(&identity));
        assert!(!is_alive(&Identity { boot_id: "another".to_owned(), ..identity.clone() }));
        assert!(!is_alive(&Identity { start_time: "1".to_owned(), ..identity.clone() }));
        assert!(!watcher.wait(std::slice::from_ref(&identity), Duration::from_millis(10)));
        assert!(signal_group(identity.pid, Signal::Terminate));
        assert!(watcher.wait(&[Identity::own().unwrap(), identity.clone()], Duration::from_secs(20)));
        // Not waited for yet: a zombie, which is dead.
        assert!(!is_alive(&identity));
        child.wait().unwrap();
        assert!(!signal_group(identity.pid, Signal::Kill));
        assert!(watcher.wait(&[identity], Duration::from_secs(20)));
    }

    #[test]
    fn never_signals_everybody() {
        for group in [0, 1] {
            assert!(!signal_group(group, Signal::Terminate), "{group}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn reads_the_process_table() {
        let line = "7 (a) b) S 1 5 4 0 -1 4194560 1 0 0 0 3 4 5 6 20 0 1 0 12345 0 0";
        let expect = Entry { pid: 7, group: 5, session: 4, start_time: "12345".to_owned() };
        assert_eq!(table::parse(line), Some(expect));
        assert_eq!(table::parse(&line.replace(") S", ") Z")), None);
        assert_eq!(table::parse("7 (a"), None);
    }
}

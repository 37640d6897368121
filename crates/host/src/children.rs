//! The processes that this one starts, adopts and reaps, and the resources that they have used.
//!
//! An orphan is a process whose parent has died. Must not depend on what a child does.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, getsid};

use super::{environment, files, variables};
use howdah_words::error::{Error, ErrorCode};

/// How long a process may take to leave the session of its parent.
const LONGEST_START: Duration = Duration::from_secs(2);

/// The processes that this one has started and must reap, so that they do not stay as zombies.
#[derive(Debug, Default)]
pub struct Children(Vec<Child>);

impl Children {
    /// Starts howdah itself with `arguments` (a hidden verb), detached from the terminal: standard input is empty,
    /// output and errors are appended to `log`. Returns the new process's number. H0140, H0111.
    pub fn spawn_howdah<S: AsRef<OsStr>>(&mut self, arguments: &[S], log: &Path) -> Result<u32, Error> {
        let child = howdah(arguments, files::open_to_append(log)?)?
            .spawn()
            .map_err(|error| Error::new(ErrorCode::H0140, error))?;
        let pid = child.id();
        self.0.push(child);
        if is_on_terminal() {
            self.await_own_session(pid);
        }
        Ok(pid)
    }

    /// Waits until a child has left the session of this process, or ended. The end of this process may be the end of
    /// its terminal, which ends every process of the session.
    fn await_own_session(&mut self, pid: u32) {
        let child = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let deadline = Instant::now() + LONGEST_START;
        while getsid(child).ok() == getsid(None).ok() && self.reap() > 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Reaps exited children and returns how many are left.
    pub fn reap(&mut self) -> usize {
        self.0.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        self.0.len()
    }
}

impl Drop for Children {
    /// Leaves the children that still run to threads that reap them: a server lives longer than what it starts.
    fn drop(&mut self) {
        self.reap();
        for mut child in self.0.drain(..) {
            // Without a thread a child that ends stays as a zombie until this process ends.
            let _ = std::thread::Builder::new().name("child".to_owned()).spawn(move || child.wait());
        }
    }
}

/// Whether this process belongs to a terminal.
fn is_on_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// The command for howdah itself with `arguments` (a hidden verb), not started: standard input is empty, output and
/// errors go to `log`. H0140.
pub(super) fn howdah<S: AsRef<OsStr>>(arguments: &[S], log: File) -> Result<Command, Error> {
    let refuse = |error: std::io::Error| Error::new(ErrorCode::H0140, error);
    let program = environment::current_program().map_err(refuse)?;
    let output = log.try_clone().map_err(refuse)?;
    let mut command = Command::new(program);
    std::os::unix::process::CommandExt::arg0(&mut command, "howdah");
    command.args(arguments).stdin(Stdio::null()).stdout(output).stderr(log);
    if let Some(variables) = variables::for_own_processes() {
        command.env_clear().envs(variables);
    }
    Ok(command)
}

/// Makes this process adopt the orphans among its descendants.
#[cfg(target_os = "linux")]
pub(crate) fn adopt_orphans() {
    // Every kernel since 3.4 accepts it; without it process 1 adopts the orphans.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Does nothing: on other systems only process 1 can adopt orphans.
#[cfg(not(target_os = "linux"))]
pub(crate) fn adopt_orphans() {}

/// Whether this process adopts orphans.
#[cfg(target_os = "linux")]
pub(super) fn adopts_orphans() -> bool {
    rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some())
}

/// Only Linux supports it.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopts_orphans() -> bool {
    false
}

/// The resources that processes have used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Seconds of CPU time in their own code.
    pub user_seconds: f64,
    /// Seconds of CPU time in the kernel.
    pub system_seconds: f64,
    /// The largest memory, in bytes, that one of them occupied.
    pub max_memory: u64,
}

/// The resources that the reaped children of this process, and their children, have used together.
pub(crate) fn usage_of_children() -> Option<Usage> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::{TimeVal, TimeValLike as _};

    // The kernel reports KiB; macOS reports bytes.
    const UNIT: u64 = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of centuries fit")]
    let seconds = |time: TimeVal| time.num_microseconds() as f64 / 1e6;
    Some(Usage {
        user_seconds: seconds(usage.user_time()),
        system_seconds: seconds(usage.system_time()),
        max_memory: u64::try_from(usage.max_rss()).unwrap_or_default().saturating_mul(UNIT),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn howdah_is_started_with_its_output_in_the_log_and_reaped() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("runner.log");
        let mut children = Children::default();
        // Here the program that runs is the test program, which knows `--list`.
        assert!(children.spawn_howdah(&["--list"], &log).unwrap() > 0);
        while children.reap() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(std::fs::read_to_string(&log).unwrap().contains("howdah_is_started"));
    }

    #[test]
    fn a_child_that_is_left_behind_does_not_stay_as_a_zombie() {
        let folder = tempfile::tempdir().unwrap();
        let mut children = Children::default();
        let pid = children.spawn_howdah(&["--list"], &folder.path().join("runner.log")).unwrap();
        drop(children);
        let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        // A zombie can still be signalled.
        while rustix::process::test_kill_process(pid).is_ok() {
            assert!(Instant::now() < deadline, "it is still there");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

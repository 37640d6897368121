//! The fork server and its children, until each knows its folder.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use fork::Fork;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::WaitOptions;

use super::connection::{Ends, next_request};
use super::{REFUSAL, Reader, Requested};
use crate::fault::{failing_point, fault_point};
use crate::{environment, found, processes};

/// The fork server itself: a child for each requested folder. Returns `None` when the requests end and, in each child,
/// what was requested; standard input is then empty, and standard output is the same as standard error. A child that is
/// forked in advance calls `get_ready` before it waits; its folder is `None` when it must end without one.
///
/// To be called before any thread is started and before anything is read from standard input: a fork does not copy
/// threads, and what one process has read ahead is lost for the others.
///
/// # Errors
/// Fails when it can no longer read requests or write answers.
pub fn serve(mut answers: impl Write, get_ready: impl FnOnce()) -> io::Result<Option<Requested>> {
    processes::leave_session();
    let parent = rustix::process::getpid();
    let requested = |Taken { folder, ends }| Requested { folder, reader: Reader { parent, ends } };
    // Read once for all children; if it cannot be read, each child reads it itself.
    let _ = environment::boot_id();
    loop {
        reap();
        fault_point("before-fork");
        match fork_in_advance() {
            Some(Forked::Spare(connection)) => {
                let nothing = patiently(|| File::open("/dev/null"))?;
                get_ready();
                return Ok(await_folder(connection, &mut answers, &nothing)?.map(requested));
            }
            Some(Forked::Server(spare)) => {
                fault_point("after-fork");
                if !await_taken(spare)? {
                    return Ok(None);
                }
            }
            None => match fork_for_request(&mut answers)? {
                Served::Answered => {}
                Served::Ended => return Ok(None),
                Served::Child(taken) => return Ok(Some(requested(taken))),
            },
        }
    }
}

/// A folder that a child has taken, with its connection to the client.
struct Taken {
    folder: PathBuf,
    ends: Option<Ends>,
}

fn fork_child() -> io::Result<Fork> {
    failing_point("fork").and_then(|()| fork::fork())
}

/// The two processes after the fork of a child in advance, each with its end of their connection.
enum Forked {
    Spare(UnixStream),
    Server(UnixStream),
}

/// Forks a child in advance; `None` when the machine refuses.
fn fork_in_advance() -> Option<Forked> {
    let (server, spare) = UnixStream::pair().ok()?;
    Some(match fork_child().ok()? {
        Fork::Child => Forked::Spare(spare),
        Fork::Parent(_) => Forked::Server(server),
    })
}

/// What a child that was forked in advance tells the fork server.
mod notice {
    /// It has a folder and is a shim from now on.
    pub(super) const TAKEN: u8 = b't';
    /// Children have ended that are to be reaped.
    pub(super) const REAP: u8 = b'r';
    /// There are no more requests.
    pub(super) const END: u8 = b'e';
}

/// Waits, in the fork server, until the child that was forked in advance has a folder; `false` when the fork server
/// must end, because there are no more requests or the child has died: a request may have died with it, and the client
/// sends what has no answer again, to another fork server.
fn await_taken(mut spare: UnixStream) -> io::Result<bool> {
    let mut told = [0];
    loop {
        match spare.read(&mut told) {
            Ok(0) => return Ok(false),
            Ok(_) if told == [notice::TAKEN] => return Ok(true),
            Ok(_) if told == [notice::REAP] => reap(),
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Waits, in a child that was forked in advance, for its folder, and reads it from the fork server's own input: so the
/// fork server need not be woken before the child begins. `None` when the requests or the fork server end before.
fn await_folder(mut server: UnixStream, answers: &mut impl Write, nothing: &File) -> io::Result<Option<Taken>> {
    fault_point("before-folder");
    let folder = loop {
        if !is_requested(&server)? {
            return Ok(None);
        }
        match next_request()? {
            None => {
                let _ = server.write_all(&[notice::END]);
                return Ok(None);
            }
            Some(folder) if folder.as_os_str().is_empty() => drop(server.write_all(&[notice::REAP])),
            Some(folder) => break folder,
        }
    };
    fault_point("after-folder-arrived");
    // Without its client or its fork server the work is done all the same.
    let _ = answer(answers, &std::process::id().to_string());
    let _ = server.write_all(&[notice::TAKEN]);
    Ok(Some(Taken { folder, ends: leave_pipes(nothing)? }))
}

/// Waits for a request, in a child that was forked in advance; `false` when the fork server has ended.
fn is_requested(server: &UnixStream) -> io::Result<bool> {
    let stdin = rustix::stdio::stdin();
    let mut polled = [PollFd::from_borrowed_fd(server.as_fd(), PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
    loop {
        match poll(&mut polled, None) {
            Ok(_) => return Ok(polled[0].revents().is_empty()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What became of a request for which no child was forked in advance.
enum Served {
    Answered,
    /// There was none any more.
    Ended,
    /// This process is the child.
    Child(Taken),
}

/// Waits for a request and forks its child only then.
fn fork_for_request(answers: &mut impl Write) -> io::Result<Served> {
    let Some(folder) = next_request()? else { return Ok(Served::Ended) };
    if folder.as_os_str().is_empty() {
        return Ok(Served::Answered);
    }
    let answered = match fork_child() {
        Ok(Fork::Child) => {
            let ends = leave_pipes(&patiently(|| File::open("/dev/null"))?)?;
            return Ok(Served::Child(Taken { folder, ends }));
        }
        Ok(Fork::Parent(pid)) => answer(answers, &pid.to_string()),
        Err(error) => answer(answers, &format!("{REFUSAL}{error}")),
    };
    match answered {
        // The client is gone; its processes do not need it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Served::Ended),
        answered => answered.map(|()| Served::Answered),
    }
}

fn answer(answers: &mut impl Write, text: &str) -> io::Result<()> {
    writeln!(answers, "{text}").and_then(|()| answers.flush())
}

/// How often something is tried while the machine has no free descriptor.
const MOST_TRIES: u32 = 100;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);

fn patiently<T>(open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..MOST_TRIES {
        match open() {
            Err(error) if found::may_pass(&error) => std::thread::sleep(PAUSE),
            opened => return opened,
        }
    }
    open()
}

/// Replaces the fork server's standard files, from which only the server and the next child may read. What is left of
/// them serves for telling the client, and no command inherits it.
fn leave_pipes(nothing: &File) -> io::Result<Option<Ends>> {
    let ends = Ends::of_input();
    rustix::stdio::dup2_stdin(nothing)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(ends)
}

/// Reaps exited children.
fn reap() {
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
}

//! Forks many processes of howdah from one small process, so that the cost of a program start is paid once.
//!
//! A new program costs the kernel several times what a fork of a small process costs: the file is mapped, its libraries
//! are found and bound, its pages are loaded one by one. The fork server is a process with one thread, no database, no
//! lock and only the standard files. It has a child for each folder that is written to its standard input, whose number
//! is the answer, and ends with the input. Its children are independent processes and outlive it. Must not depend on
//! what they do.
//!
//! One child is always forked in advance: it waits for the next folder itself, so no other process has to be woken
//! before the work begins. It has none of another child's state, and it ends with the fork server. Where the machine
//! refuses it, the next child is forked as it is needed. When it dies the fork server ends too, because a folder may
//! have died with it: the client starts another one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use fork::Fork;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions};

use super::fault::{failing_point, fault_point};
use super::{children, environment, files, found, processes};
use crate::error::{Error, ErrorCode};

/// How many folders are sent before the answers are read; neither pipe can fill up then.
const AT_A_TIME: usize = 8;
/// How often it may die while it works on one list of folders.
const MOST_DEATHS: u32 = 3;
/// How long an answer is waited for. A child that was stopped, or that waits for the machine, must not stop the client;
/// when it begins later than another one for the same folder, it finds the claim.
const LONGEST_ANSWER: Duration = Duration::from_secs(20);
/// The first character of an answer that is an error message.
const REFUSAL: char = '!';

/// The client of a fork server, which it starts on first use and after each death.
#[derive(Debug)]
pub(crate) struct ForkServer {
    /// The arguments with which howdah calls [`serve`].
    arguments: Vec<OsString>,
    /// The file for the errors of its children.
    log: PathBuf,
    process: Option<Process>,
}

/// Why the fork server did not answer.
enum Failure {
    /// The file for errors cannot be opened: another server could not be started either.
    NoLog(Error),
    /// It could not be started, or died (H0140).
    NoServer(Error),
}

#[derive(Debug)]
struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl ForkServer {
    /// A client without a server process yet.
    pub(crate) fn new(arguments: Vec<OsString>, log: PathBuf) -> Self {
        Self { arguments, log, process: None }
    }

    /// Starts a process for each folder and returns their numbers in order, `None` for each that could not be started,
    /// and the reason if there are such (H0140, or that of the log).
    ///
    /// When the fork server dies meanwhile, another one starts processes for the folders without an answer: then a
    /// folder may get two.
    pub(crate) fn start(&mut self, folders: &[&Path]) -> (Vec<Option<i32>>, Option<Error>) {
        let mut begun = Vec::with_capacity(folders.len());
        let mut problem = None;
        let mut deaths = 0;
        while begun.len() < folders.len() {
            let due = &folders[begun.len()..folders.len().min(begun.len() + AT_A_TIME)];
            match self.process().and_then(|process| process.start(due, &mut begun)) {
                Ok(message) => problem = problem.or(message.map(|message| Error::new(ErrorCode::H0140, message))),
                Err(Failure::NoLog(error)) => {
                    problem = Some(error);
                    break;
                }
                Err(Failure::NoServer(error)) => {
                    self.end();
                    deaths += 1;
                    if deaths == MOST_DEATHS {
                        problem = Some(error);
                        break;
                    }
                }
            }
        }
        begun.resize(folders.len(), None);
        (begun, problem)
    }

    fn process(&mut self) -> Result<&mut Process, Failure> {
        match &mut self.process {
            Some(process) => Ok(process),
            none => Ok(none.insert(Process::spawn(&self.arguments, &self.log)?)),
        }
    }

    /// Makes the fork server reap its exited children.
    pub(crate) fn reap(&mut self) {
        if self.process.as_mut().is_some_and(|process| process.requests.write_all(&request(Path::new(""))).is_err()) {
            self.end();
        }
    }

    fn end(&mut self) {
        if let Some(Process { mut child, requests, answers }) = self.process.take() {
            drop((requests, answers));
            // It ends without its requests, unless it was stopped. Its children outlive it.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for ForkServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// A request: the length of the folder's path, then the path. An empty path requests only that exited children are
/// reaped.
fn request(folder: &Path) -> Vec<u8> {
    let path = folder.as_os_str().as_bytes();
    let length = u32::try_from(path.len()).expect("a path has fewer bytes than there are numbers");
    [&length.to_ne_bytes(), path].concat()
}

impl Failure {
    fn no_server(error: io::Error) -> Self {
        Self::NoServer(Error::new(ErrorCode::H0140, error))
    }
}

impl Process {
    fn spawn(arguments: &[OsString], log: &Path) -> Result<Self, Failure> {
        let log = files::open_to_append(log).map_err(Failure::NoLog)?;
        let mut command = children::howdah(arguments, log).map_err(Failure::NoServer)?;
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(Failure::no_server)?;
        let requests = child.stdin.take().expect("its standard input is a pipe");
        let answers = BufReader::new(child.stdout.take().expect("its standard output is a pipe"));
        Ok(Self { child, requests, answers })
    }

    /// Adds the numbers of the new processes to `begun`; returns the fork server's error message when it cannot fork.
    fn start(&mut self, folders: &[&Path], begun: &mut Vec<Option<i32>>) -> Result<Option<String>, Failure> {
        self.ask(folders, begun).map_err(Failure::no_server)
    }

    fn ask(&mut self, folders: &[&Path], begun: &mut Vec<Option<i32>>) -> io::Result<Option<String>> {
        let requests: Vec<u8> = folders.iter().flat_map(|folder| request(folder)).collect();
        self.requests.write_all(&requests)?;
        let mut problem = None;
        for _ in folders {
            let mut answer = String::new();
            self.await_answer()?;
            self.answers.read_line(&mut answer)?;
            match answer.strip_suffix('\n') {
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(line) => match line.strip_prefix(REFUSAL) {
                    Some(message) => {
                        begun.push(None);
                        problem = Some(message.to_owned());
                    }
                    None => begun.push(Some(line.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?)),
                },
            }
        }
        Ok(problem)
    }

    /// Waits until there is an answer; fails when it does not come in time.
    fn await_answer(&self) -> io::Result<()> {
        if !self.answers.buffer().is_empty() {
            return Ok(());
        }
        let limit = LONGEST_ANSWER.try_into().map_err(io::Error::other)?;
        let mut polled = [PollFd::new(self.answers.get_ref(), PollFlags::IN)];
        match poll(&mut polled, Some(&limit))? {
            0 => Err(io::Error::new(io::ErrorKind::TimedOut, "the fork server does not answer")),
            _ => Ok(()),
        }
    }
}

/// A folder that was requested, in the child that works on it.
pub(crate) struct Requested {
    pub(crate) folder: PathBuf,
    pub(crate) reader: Reader,
}

/// The process that waits for the result of this one: its parent, as it was before the fork. So it is right also when
/// that one ends at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader(Pid);

impl Reader {
    /// Returns whether it is still there.
    pub(crate) fn is_there(self) -> bool {
        rustix::process::getppid() == Some(self.0)
    }
}

/// The fork server itself: a child for each requested folder. Returns `None` when the requests end and, in each child,
/// what was requested; standard input is then empty, and standard output is the same as standard error. A child that is
/// forked in advance calls `get_ready` before it waits; its folder is `None` when it must end without one.
///
/// To be called before any thread is started and before anything is read from standard input: a fork does not copy
/// threads, and what one process has read ahead is lost for the others.
///
/// # Errors
/// Fails when it can no longer read requests or write answers.
pub(crate) fn serve(mut answers: impl Write, get_ready: impl FnOnce()) -> io::Result<Option<Requested>> {
    processes::leave_session();
    let reader = Reader(rustix::process::getpid());
    let requested = |folder| Requested { folder, reader };
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
                Served::Child(folder) => return Ok(Some(requested(folder))),
            },
        }
    }
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
fn await_folder(mut server: UnixStream, answers: &mut impl Write, nothing: &File) -> io::Result<Option<PathBuf>> {
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
    leave_pipes(nothing)?;
    Ok(Some(folder))
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
    Child(PathBuf),
}

/// Waits for a request and forks its child only then.
fn fork_for_request(answers: &mut impl Write) -> io::Result<Served> {
    let Some(folder) = next_request()? else { return Ok(Served::Ended) };
    if folder.as_os_str().is_empty() {
        return Ok(Served::Answered);
    }
    let answered = match fork_child() {
        Ok(Fork::Child) => {
            leave_pipes(&patiently(|| File::open("/dev/null"))?)?;
            return Ok(Served::Child(folder));
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

/// Reads one request and nothing after it, because the next one is another process's; `None` at the end.
fn next_request() -> io::Result<Option<PathBuf>> {
    let mut length = [0; 4];
    match Requests.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut folder = vec![0; usize::try_from(u32::from_ne_bytes(length)).map_err(io::Error::other)?];
    Requests.read_exact(&mut folder)?;
    Ok(Some(OsString::from_vec(folder).into()))
}

/// Standard input without the buffer that the standard library puts before it.
struct Requests;

impl Read for Requests {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
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

/// Replaces the fork server's pipes, which only the server and the next child may use.
fn leave_pipes(nothing: &File) -> io::Result<()> {
    rustix::stdio::dup2_stdin(nothing)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(())
}

/// Reaps exited children.
fn reap() {
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
}

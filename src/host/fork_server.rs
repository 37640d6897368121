//! Forks many processes of howdah from one small process, so that the cost of a program start is paid once.
//!
//! A new program costs the kernel several times what a fork of a small process costs: the file is mapped, its libraries
//! are found and bound, its pages are loaded one by one. The fork server is a process with one thread, no database, no
//! lock and only the standard files. It forks a child for each folder that is written to its standard input, writes the
//! child's number, and ends with the input. Its children are independent processes and outlive it. Must not depend on
//! what they do.
//!
//! One child is always forked in advance: it waits for its folder while something else happens, and has none of another
//! child's state. It ends with the fork server. Where it is missing or dead, the next child is forked as it is needed.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use fork::Fork;
use rustix::process::WaitOptions;

use super::fault::{failing_point, fault_point};
use super::{children, environment, files, found, processes};
use crate::error::{Error, ErrorCode};

/// How many folders are sent before the answers are read; neither pipe can fill up then.
const AT_A_TIME: usize = 8;
/// How often it may die while it works on one list of folders.
const MOST_DEATHS: u32 = 3;
/// Ends each folder: no path contains this byte.
const END: u8 = 0;
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
        if self.process.as_mut().is_some_and(|process| process.requests.write_all(&[END]).is_err()) {
            self.end();
        }
    }

    fn end(&mut self) {
        if let Some(Process { mut child, requests, answers }) = self.process.take() {
            drop((requests, answers));
            let _ = child.wait();
        }
    }
}

impl Drop for ForkServer {
    fn drop(&mut self) {
        self.end();
    }
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
        let mut requests = Vec::new();
        for folder in folders {
            requests.extend_from_slice(folder.as_os_str().as_bytes());
            requests.push(END);
        }
        self.requests.write_all(&requests)?;
        let mut problem = None;
        for _ in folders {
            let mut answer = String::new();
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
}

/// The fork server itself: a child for each requested folder. Returns `None` when the requests end and, in each child,
/// the child's folder; standard input is then empty, and standard output is the same as standard error. A child that is
/// forked in advance calls `get_ready` while it waits; its folder is `None` when the fork server ends before.
///
/// To be called before any thread is started: a fork does not copy threads.
///
/// # Errors
/// Fails when it can no longer read requests or write answers.
pub(crate) fn serve(
    mut requests: impl BufRead,
    mut answers: impl Write,
    get_ready: impl FnOnce(),
) -> io::Result<Option<PathBuf>> {
    processes::leave_session();
    // Read once for all children; if it cannot be read, each child reads it itself.
    let _ = environment::boot_id();
    let mut spare: Option<Spare> = None;
    loop {
        let mut request = Vec::new();
        requests.read_until(END, &mut request)?;
        if request.pop() != Some(END) {
            return Ok(None);
        }
        reap();
        if request.is_empty() {
            continue;
        }
        fault_point("before-fork");
        let begun = match spare.take().and_then(|spare| spare.take(&request)) {
            Some(pid) => Ok(Fork::Parent(pid)),
            None => fork_child(),
        };
        let answer = match &begun {
            Ok(Fork::Child) => {
                leave_pipes_patiently()?;
                return Ok(Some(folder(request)));
            }
            Ok(Fork::Parent(pid)) => pid.to_string(),
            Err(error) => format!("{REFUSAL}{error}"),
        };
        fault_point("after-fork");
        match writeln!(answers, "{answer}").and_then(|()| answers.flush()) {
            // The client is gone; its processes do not need it.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(None),
            result => result?,
        }
        // Without one, the next request forks its own child.
        match begun.ok().and_then(|_| Spare::fork()) {
            Some(Forked::Spare(folders)) => {
                leave_pipes_patiently()?;
                get_ready();
                return await_folder(folders);
            }
            Some(Forked::Server(forked)) => spare = Some(forked),
            None => {}
        }
    }
}

fn fork_child() -> io::Result<Fork> {
    failing_point("fork").and_then(|()| fork::fork())
}

/// A child that waits for its folder.
struct Spare {
    pid: i32,
    folders: PipeWriter,
}

/// The two processes after the fork of a spare child.
enum Forked {
    Spare(PipeReader),
    Server(Spare),
}

impl Spare {
    /// Forks a child in advance; `None` when the machine refuses.
    fn fork() -> Option<Forked> {
        let (reader, writer) = io::pipe().ok()?;
        Some(match fork_child().ok()? {
            Fork::Child => Forked::Spare(reader),
            Fork::Parent(pid) => Forked::Server(Self { pid, folders: writer }),
        })
    }

    /// Gives the child its folder; returns its number, or `None` when it is dead.
    fn take(mut self, request: &[u8]) -> Option<i32> {
        let request = [request, &[END]].concat();
        self.folders.write_all(&request).ok().map(|()| self.pid)
    }
}

/// Waits, in a child that was forked in advance, for its folder; `None` when the fork server has ended.
fn await_folder(folders: PipeReader) -> io::Result<Option<PathBuf>> {
    fault_point("before-folder");
    let mut request = Vec::new();
    BufReader::new(folders).read_until(END, &mut request)?;
    fault_point("after-folder-arrived");
    Ok((request.pop() == Some(END)).then(|| folder(request)))
}

fn folder(request: Vec<u8>) -> PathBuf {
    OsString::from_vec(request).into()
}

/// How often a child tries to leave the fork server's pipes.
const MOST_TRIES: u32 = 100;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// As [`leave_pipes`], with retries while the machine has no free descriptor.
fn leave_pipes_patiently() -> io::Result<()> {
    for _ in 1..MOST_TRIES {
        match leave_pipes() {
            Err(error) if found::may_pass(&error) => std::thread::sleep(PAUSE),
            left => return left,
        }
    }
    leave_pipes()
}

/// Replaces the fork server's pipes, which only the server may use.
fn leave_pipes() -> io::Result<()> {
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(())
}

/// Reaps exited children.
fn reap() {
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
}

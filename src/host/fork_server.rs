//! Many processes of howdah from one that was started for it, so that the price of a start is paid once.
//!
//! A new program costs the kernel several times what a fork of a small process costs: the file is mapped, its libraries
//! are found and bound, its pages come in one by one. The nursery is a process with one thread, no database, no lock
//! and no file but its standard ones; it forks a child for each folder that is written to its standard input, answers
//! with the child's number and ends with the input. Its children are processes in their own right and outlive it. Must
//! never know what they do.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use fork::Fork;
use rustix::process::WaitOptions;

use super::fault::{failing_point, fault_point};
use super::{children, environment, found, processes};
use crate::error::{Error, ErrorCode};

/// How many folders are sent before the answers are read: less than a pipe holds of either.
const AT_A_TIME: usize = 8;
/// How often it may die while one list of folders is worked on.
const MOST_DEATHS: u32 = 3;
/// Stands behind each folder: no path holds it.
const END: u8 = 0;
/// Begins an answer that is no number.
const REFUSAL: char = '!';

/// The one who asks: a nursery that is started when it is needed first, and again when it has died.
#[derive(Debug)]
pub(crate) struct Nursery {
    /// What howdah is started with, so that it calls [`serve`].
    arguments: Vec<OsString>,
    /// Where its children complain.
    log: PathBuf,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Nursery {
    /// No process yet.
    pub(crate) fn new(arguments: Vec<OsString>, log: PathBuf) -> Self {
        Self { arguments, log, process: None }
    }

    /// Starts a process for each folder and answers their numbers in order, `None` for each that could not be started,
    /// and why there are such (H0140, H0111).
    ///
    /// When the nursery dies in between, another one starts processes for those folders again of which nothing was
    /// heard: two may then have one folder.
    pub(crate) fn start(&mut self, folders: &[&Path]) -> (Vec<Option<i32>>, Option<Error>) {
        let mut begun = Vec::with_capacity(folders.len());
        let mut refusal = None;
        let mut deaths = 0;
        while begun.len() < folders.len() {
            let due = &folders[begun.len()..folders.len().min(begun.len() + AT_A_TIME)];
            match self.process().and_then(|process| process.start(due, &mut begun)) {
                Ok(words) => refusal = refusal.or(words.map(|words| Error::new(ErrorCode::H0140, words))),
                Err(broken) => {
                    self.end();
                    deaths += 1;
                    if deaths == MOST_DEATHS || broken.code() == ErrorCode::H0111 {
                        refusal = Some(broken);
                        break;
                    }
                }
            }
        }
        begun.resize(folders.len(), None);
        (begun, refusal)
    }

    fn process(&mut self) -> Result<&mut Process, Error> {
        match &mut self.process {
            Some(process) => Ok(process),
            none => Ok(none.insert(Process::spawn(&self.arguments, &self.log)?)),
        }
    }

    /// Has the nursery take leave of the children that have ended.
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

impl Drop for Nursery {
    fn drop(&mut self) {
        self.end();
    }
}

impl Process {
    fn spawn(arguments: &[OsString], log: &Path) -> Result<Self, Error> {
        let mut command = children::howdah(arguments, log)?;
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| Error::new(ErrorCode::H0140, error))?;
        let requests = child.stdin.take().expect("its standard input is a pipe");
        let answers = BufReader::new(child.stdout.take().expect("its standard output is a pipe"));
        Ok(Self { child, requests, answers })
    }

    /// Adds the numbers of the new processes to `begun`; the nursery's own words when it cannot fork. H0140 when it is
    /// gone.
    fn start(&mut self, folders: &[&Path], begun: &mut Vec<Option<i32>>) -> Result<Option<String>, Error> {
        self.ask(folders, begun).map_err(|error| Error::new(ErrorCode::H0140, error))
    }

    fn ask(&mut self, folders: &[&Path], begun: &mut Vec<Option<i32>>) -> io::Result<Option<String>> {
        let mut requests = Vec::new();
        for folder in folders {
            requests.extend_from_slice(folder.as_os_str().as_bytes());
            requests.push(END);
        }
        self.requests.write_all(&requests)?;
        let mut refusal = None;
        for _ in folders {
            let mut answer = String::new();
            self.answers.read_line(&mut answer)?;
            match answer.strip_suffix('\n') {
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(line) => match line.strip_prefix(REFUSAL) {
                    Some(words) => {
                        begun.push(None);
                        refusal = Some(words.to_owned());
                    }
                    None => begun.push(Some(line.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?)),
                },
            }
        }
        Ok(refusal)
    }
}

/// The nursery itself: forks a child for each folder that is requested. Answers `None` when the requests end and, in
/// each child, the child's folder; standard input is then empty, and standard output goes where errors go.
///
/// To be called before any thread is started: a fork leaves them behind.
///
/// # Errors
/// Fails when it cannot be heard or answer any more.
pub(crate) fn serve(mut requests: impl BufRead, mut answers: impl Write) -> io::Result<Option<PathBuf>> {
    processes::leave_session();
    // What every child would have to find out again; where it cannot be read, each asks for itself.
    let _ = environment::boot_id();
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
        let answer = match failing_point("fork").and_then(|()| fork::fork()) {
            Ok(Fork::Child) => {
                leave_pipes_patiently()?;
                return Ok(Some(OsString::from_vec(request).into()));
            }
            Ok(Fork::Parent(pid)) => pid.to_string(),
            Err(error) => format!("{REFUSAL}{error}"),
        };
        fault_point("after-fork");
        match writeln!(answers, "{answer}").and_then(|()| answers.flush()) {
            // The one who asked is gone; what was started finds its way without.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(None),
            told => told?,
        }
    }
}

/// How often a child tries to leave the nursery's pipes.
const MOST_TRIES: u32 = 100;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// As [`leave_pipes`], again while the machine has no descriptor for it.
fn leave_pipes_patiently() -> io::Result<()> {
    for _ in 1..MOST_TRIES {
        match leave_pipes() {
            Err(error) if found::may_pass(&error) => std::thread::sleep(PAUSE),
            left => return left,
        }
    }
    leave_pipes()
}

/// Exchanges the nursery's pipes, which belong to it alone.
fn leave_pipes() -> io::Result<()> {
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(())
}

/// Takes leave of the children that have ended.
fn reap() {
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
}

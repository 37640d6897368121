//! The client of a fork server.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use super::REFUSAL;
use super::connection::{arrived, request};
use crate::{children, files};
use howdah_words::error::{Error, ErrorCode};

/// How many folders are sent before the answers are read; neither pipe can fill up then.
const AT_A_TIME: usize = 8;
/// How often it may die while it works on one list of folders.
const MOST_DEATHS: u32 = 3;
/// How long an answer is waited for. A child that was stopped, or that waits for the machine, must not stop the client;
/// when it begins later than another one for the same folder, it finds the claim.
const LONGEST_ANSWER: Duration = Duration::from_secs(20);

/// The client of a fork server, which it starts on first use and after each death.
#[derive(Debug)]
pub struct ForkServer {
    /// The arguments with which howdah calls [`serve`](super::serve).
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
    requests: UnixStream,
    answers: BufReader<ChildStdout>,
}

impl ForkServer {
    /// A client without a server process yet.
    pub fn new(arguments: Vec<OsString>, log: PathBuf) -> Self {
        Self { arguments, log, process: None }
    }

    /// Starts a process for each folder and returns their numbers in order, `None` for each that could not be started,
    /// and the reason if there are such (H0140, or that of the log).
    ///
    /// When the fork server dies meanwhile, another one starts processes for the folders without an answer: then a
    /// folder may get two.
    pub fn start(&mut self, folders: &[&Path]) -> (Vec<Option<i32>>, Option<Error>) {
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
    pub fn reap(&mut self) {
        if self.process.as_mut().is_some_and(|process| process.reap().is_err()) {
            self.end();
        }
    }

    /// Can be read when [`Self::ended`] returns something.
    pub fn connection(&self) -> Option<BorrowedFd<'_>> {
        self.process.as_ref().map(|process| process.requests.as_fd())
    }

    /// Returns the numbers of the processes that have told since the last call that their result is there. They may
    /// not have ended yet.
    pub fn ended(&mut self) -> Vec<u32> {
        let Some(process) = &self.process else { return Vec::new() };
        arrived(process.requests.as_fd()).unwrap_or_else(|| {
            self.end();
            Vec::new()
        })
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

impl Failure {
    fn no_server(error: io::Error) -> Self {
        Self::NoServer(Error::new(ErrorCode::H0140, error))
    }
}

impl Process {
    fn spawn(arguments: &[OsString], log: &Path) -> Result<Self, Failure> {
        let log = files::open_to_append(log).map_err(Failure::NoLog)?;
        let mut command = children::howdah(arguments, log).map_err(Failure::NoServer)?;
        let (requests, input) = UnixStream::pair().map_err(Failure::no_server)?;
        // A connection that nothing reads any more is full some time.
        requests.set_write_timeout(Some(LONGEST_ANSWER)).map_err(Failure::no_server)?;
        let spawned = command.stdin(OwnedFd::from(input)).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(Failure::no_server)?;
        let answers = BufReader::new(child.stdout.take().expect("its standard output is a pipe"));
        Ok(Self { child, requests, answers })
    }

    /// Sends the request to reap. Fails when the fork server has died: its children keep the connection open, so that a
    /// write alone does not tell.
    fn reap(&mut self) -> io::Result<()> {
        match self.child.try_wait()? {
            Some(_) => Err(io::ErrorKind::BrokenPipe.into()),
            None => self.requests.write_all(&request(Path::new(""))),
        }
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test starts the process that it looks at")]
mod tests {
    use std::io::Read as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn nothing_is_sent_to_a_fork_server_that_has_died() {
        // A child that outlives it keeps the other end.
        let (requests, mut held) = UnixStream::pair().unwrap();
        held.set_nonblocking(true).unwrap();
        let mut child = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        child.wait().unwrap();
        let mut client = ForkServer::new(Vec::new(), PathBuf::new());
        client.process = Some(Process { child, requests, answers });
        client.reap();
        assert!(client.process.is_none());
        assert_eq!(held.read(&mut [0; 8]).unwrap(), 0, "only the end of the client arrives");
    }
}

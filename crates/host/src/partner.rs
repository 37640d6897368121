//! A process of howdah that works for this one over a socket: it reads messages from its standard input, writes one
//! answer to each to its standard output, and ends when the socket is closed.
//!
//! An access to a file may wait for ever inside the kernel. Such a process can be left behind, and its locks and its
//! snapshot of the database end with it. Must not depend on what it works on.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::children;
use howdah_words::error::{Error, ErrorCode};

/// The largest part of a message, in bytes.
const LARGEST_PART: u32 = 256 * 1024 * 1024;
/// How long a process may take to end after its socket is closed; then it is killed.
const LAST_TIME: Duration = Duration::from_millis(500);
/// How long a process without a message keeps what it has open for the next one. Where many come, they come faster.
const REST: Duration = Duration::from_millis(200);
/// Between two checks whether a process has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// A message or an answer: a head, and the bytes that it describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
    /// The process that sends it ends then.
    pub is_last: bool,
}

impl Message {
    /// Returns the lengths of both parts, whether it is the last message, then both parts.
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let length = |part: &[u8]| {
            let length = u32::try_from(part.len()).ok().filter(|length| *length <= LARGEST_PART);
            length.map(u32::to_le_bytes).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
        };
        let is_last = [u8::from(self.is_last)];
        Ok([&length(&self.head)?[..], &length(&self.body)?, &is_last, &self.head, &self.body].concat())
    }

    /// Reads a message; `None` at the end of the messages.
    fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut lengths = [[0; 4]; 2];
        match from.read_exact(lengths.as_flattened_mut()) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let mut is_last = [0];
        from.read_exact(&mut is_last)?;
        let [head, body] = lengths.map(u32::from_le_bytes);
        Ok(Some(Self { head: part(from, head)?, body: part(from, body)?, is_last: is_last != [0] }))
    }
}

fn part(from: &mut impl Read, length: u32) -> io::Result<Vec<u8>> {
    if length > LARGEST_PART {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The process, seen from the one that started it.
#[derive(Debug)]
pub struct Partner {
    child: Child,
    socket: UnixStream,
}

/// How a process has ended.
pub type End = ExitStatus;

/// Why there is no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// It did not come in time.
    Late,
    /// The process ended, or does not understand.
    Ended(io::Error),
}

impl Partner {
    /// Starts howdah with these arguments (a hidden verb); its errors go to those of this process.
    ///
    /// # Errors
    /// H0140.
    #[cfg(feature = "serve")]
    pub fn start(arguments: &[OsString]) -> Result<Self, Error> {
        Self::start_with(arguments, None)
    }

    /// The same with these variables as its whole environment, where it must not have this process's.
    ///
    /// # Errors
    /// H0140.
    pub(crate) fn start_with(
        arguments: &[OsString],
        environment: Option<BTreeMap<String, String>>,
    ) -> Result<Self, Error> {
        let refuse = |error: io::Error| Error::new(ErrorCode::H0140, error);
        let errors = rustix::stdio::stderr().try_clone_to_owned().map_err(refuse)?;
        let (socket, its) = UnixStream::pair().map_err(refuse)?;
        let output = its.try_clone().map_err(refuse)?;
        let mut command = children::howdah(arguments, File::from(errors))?;
        if let Some(environment) = environment {
            command.env_clear().envs(environment);
        }
        command.stdin(Stdio::from(OwnedFd::from(its))).stdout(Stdio::from(OwnedFd::from(output)));
        let child = command.spawn().map_err(refuse)?;
        // The command has the other end of the socket, which must be closed here: dropping it does that.
        Ok(Self { child, socket })
    }

    /// Sends a message and waits for the answer. After an error the process is of no use any more.
    pub fn ask(&mut self, message: &Message, limit: Duration) -> Result<Message, NoAnswer> {
        let ended = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => NoAnswer::Late,
            _ => NoAnswer::Ended(error),
        };
        let mut socket = Bounded { socket: &self.socket, until: Instant::now() + limit };
        let asked = message.bytes().and_then(|bytes| socket.write_all(&bytes));
        // A process that ended may have answered before: that it got no answer from a file system.
        match (asked, Message::read(&mut socket)) {
            (_, Ok(Some(answer))) => Ok(answer),
            (Err(error), _) | (Ok(()), Err(error)) => Err(ended(error)),
            (Ok(()), Ok(None)) => Err(NoAnswer::Ended(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// Returns how the process has ended; `None` while it runs.
    pub fn end(&mut self) -> Option<End> {
        self.child.try_wait().ok().flatten()
    }

    /// Kills the process. A process that waits inside the kernel may not end: then `end` says so.
    pub fn kill(&mut self) {
        let _ = self.socket.shutdown(Shutdown::Both);
        let _ = self.child.kill();
        self.await_end(LAST_TIME);
    }

    /// Waits until the process has ended, at most for this time.
    pub fn await_end(&mut self, limit: Duration) {
        let until = Instant::now() + limit;
        while self.end().is_none() && Instant::now() < until {
            std::thread::sleep(PAUSE);
        }
    }

    /// Closes the socket, which asks the process to end.
    pub fn close(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        if self.end().is_none() {
            self.close();
            self.await_end(LAST_TIME);
        }
        if self.end().is_none() {
            let _ = self.child.kill();
            let _ = self.child.try_wait();
        }
    }
}

/// A socket whose calls together may take until a moment.
struct Bounded<'a> {
    socket: &'a UnixStream,
    until: Instant,
}

impl Bounded<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(self.left()?)?;
        self.socket.read(buffer)
    }
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(self.left()?)?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Answers the messages on standard input until there are no more. Calls `rest` when no message comes for
/// [`REST`], before it waits on.
///
/// # Errors
/// Fails when it can no longer read messages or write answers.
pub fn work(mut answer: impl FnMut(Message) -> Message, rest: impl Fn()) -> io::Result<()> {
    let mut input = Input;
    loop {
        if !Input::is_ready_within(REST) {
            rest();
        }
        let Some(message) = Message::read(&mut input)? else { return Ok(()) };
        reply(&answer(message))?;
    }
}

/// Writes an answer to standard output.
///
/// # Errors
/// Fails when the other process is gone.
pub fn reply(answer: &Message) -> io::Result<()> {
    Output.write_all(&answer.bytes()?)
}

/// Standard input, which only another process of howdah writes; read without a buffer, so that what the kernel has is
/// all that there is.
struct Input;

impl Input {
    /// Waits until there is something to read, at most for this time.
    fn is_ready_within(limit: Duration) -> bool {
        let stdin = rustix::stdio::stdin();
        let limit = Timespec::try_from(limit).ok();
        let found = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], limit.as_ref());
        // After an interruption the next read waits.
        found.is_ok_and(|ready| ready > 0)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}

/// Standard output, which only another process of howdah reads.
struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Asks this process to end in order when its standard input ends: the process that started it is gone.
pub fn end_with_input() {
    let watch = || {
        let mut rest = [0; 64];
        while io::stdin().read(&mut rest).is_ok_and(|read| read > 0) {}
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
    };
    // Where no thread is to be had the process ends by a signal alone.
    let _ = std::thread::Builder::new().name("partner".to_owned()).spawn(watch);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let message = Message { head: b"{}".to_vec(), body: vec![0; 70_000], is_last: true };
        let bytes = [message.bytes().unwrap(), Message::default().bytes().unwrap()].concat();
        let mut from = &bytes[..];
        assert_eq!(Message::read(&mut from).unwrap(), Some(message));
        assert_eq!(Message::read(&mut from).unwrap(), Some(Message::default()));
        assert_eq!(Message::read(&mut from).unwrap(), None);
        assert!(Message::read(&mut &[255; 8][..]).is_err());
        assert!(Message::read(&mut &bytes[..20]).is_err());
    }

    #[test]
    fn an_answer_that_does_not_come_in_time_is_late() {
        let (socket, _other) = UnixStream::pair().unwrap();
        let mut bounded = Bounded { socket: &socket, until: Instant::now() + Duration::from_millis(20) };
        let error = Message::read(&mut bounded).unwrap_err();
        assert!(matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut), "{error}");
        assert!(bounded.write_all(&[0]).is_err());
    }
}

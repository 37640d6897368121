//! Runs a program in the background to get an answer: starts it, checks it from time to time, ends it when it takes too
//! long.
//!
//! Uses no shell: the program gets its arguments unchanged, exactly the given environment, and bytes as its standard
//! input. Its output is collected up to a limit. Must not depend on what the answer is for.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use super::account::Account;
use super::brief_command::{OUTPUT_WAIT, Printed, collect, end, feed};
use super::processes::{self, Identity, Signal};

/// Bytes of standard output that are kept: enough for the list of a large queue.
const MOST_OUTPUT: u64 = 16 << 20;
/// Bytes of standard error that are kept.
const MOST_ERRORS: u64 = 4 << 10;

/// The program to call, and the user to run it as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLine {
    /// A path, or a name to find in the `PATH` of this process.
    pub program: String,
    pub arguments: Vec<String>,
    /// The whole environment.
    pub environment: BTreeMap<String, String>,
    /// What it reads from its standard input.
    pub input: Vec<u8>,
    /// The user that it runs as, when that is not this process's own; only root can do this.
    pub user: Option<Account>,
}

/// A running program.
#[derive(Debug)]
pub struct Call {
    child: Child,
    output: Receiver<Printed>,
    errors: Receiver<Printed>,
    started: Instant,
    timeout: Duration,
    output_wait: Duration,
    ended: Option<Ended>,
}

/// A program that has ended and whose output may still arrive.
#[derive(Debug)]
struct Ended {
    seen: Instant,
    /// Why this is a failure, if it is one.
    failure: Option<String>,
}

/// The result of a program: its whole standard output when it ended with 0; otherwise the text of its standard error,
/// or how it ended when that is empty. Output that is truncated or does not end is a failure: nothing may be concluded
/// from it.
pub type Answer = Result<Vec<u8>, String>;

impl Call {
    /// Starts a program that may run for `timeout`. Returns the system's own error when it cannot be started.
    pub fn start(line: &CallLine, timeout: Duration) -> io::Result<Self> {
        let (output, output_writer) = io::pipe()?;
        let (errors, errors_writer) = io::pipe()?;
        let mut command = Command::new(&line.program);
        command
            .args(&line.arguments)
            .env_clear()
            .envs(&line.environment)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(output_writer)
            .stderr(errors_writer)
            .process_group(0);
        if let Some(user) = &line.user {
            // With another user id, the groups of this process are dropped too.
            command.uid(user.uid).gid(user.gid);
        }
        let mut child = command.spawn()?;
        // It has the writing ends of the pipes, which must be closed so that the readers see the end.
        drop(command);
        let listen = |child: &mut Child| {
            feed(child, line.input.clone())?;
            Ok((collect(output, MOST_OUTPUT)?, collect(errors, MOST_ERRORS)?))
        };
        let (output, errors) = listen(&mut child).inspect_err(|_: &io::Error| end(&mut child))?;
        Ok(Self { child, output, errors, started: Instant::now(), timeout, output_wait: OUTPUT_WAIT, ended: None })
    }

    /// The result of the program, once it is over or has taken too long. Does not wait.
    pub fn poll(&mut self) -> Option<Answer> {
        if self.ended.is_none() {
            self.ended = Some(self.end()?);
        }
        // A killed program is reaped as soon as it has ended.
        let _ = self.child.try_wait();
        let ended = self.ended.as_ref()?;
        let printed = if ended.failure.is_some() { self.errors.try_recv() } else { self.output.try_recv() };
        let is_late = ended.seen.elapsed() >= self.output_wait;
        match (&ended.failure, printed) {
            (_, Err(TryRecvError::Empty)) if !is_late => None,
            (None, Ok(Printed { bytes, is_whole: true })) => Some(Ok(bytes)),
            (None, Ok(_)) => Some(Err(format!("its answer has more than {MOST_OUTPUT} bytes or cannot be read"))),
            (None, Err(_)) => Some(Err("it ended, but its output did not: a child process keeps it open".to_owned())),
            (Some(why), printed) => {
                let text = printed.map(|printed| printed.text()).unwrap_or_default();
                let text: Vec<&str> = text.split_whitespace().collect();
                Some(Err(if text.is_empty() { why.clone() } else { text.join(" ") }))
            }
        }
    }

    /// How the program ended; `None` while it runs. A program that takes too long is killed.
    fn end(&mut self) -> Option<Ended> {
        let failure = match self.child.try_wait() {
            Ok(None) if self.started.elapsed() < self.timeout => return None,
            Ok(None) => {
                processes::signal_group(i32::try_from(self.child.id()).unwrap_or_default(), Signal::Kill);
                Some(format!("no answer within {} s", self.timeout.as_secs()))
            }
            Ok(Some(status)) if status.success() => None,
            Ok(Some(status)) => Some(ending(status)),
            Err(error) => Some(error.to_string()),
        };
        Some(Ended { seen: Instant::now(), failure })
    }

    /// The process, to wait for; `None` when it has ended, and while the process table cannot be read: its result is
    /// polled anyway.
    pub fn process(&self) -> Option<Identity> {
        i32::try_from(self.child.id()).ok().and_then(|pid| Identity::of(pid).known().ok().flatten())
    }
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, signal) => format!("killed by signal {}", signal.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{clock, variables};
    use super::*;
    use howdah_tier::PATIENCE;

    const OPEN: &str = "it ended, but its output did not: a child process keeps it open";

    fn line(script: &str) -> CallLine {
        CallLine {
            program: "sh".to_owned(),
            arguments: ["-c", script].map(str::to_owned).into(),
            environment: [("PATH".to_owned(), variables::get("PATH").unwrap_or_default())].into(),
            input: b"asked".to_vec(),
            user: None,
        }
    }

    fn check(script: &str, timeout: Duration, expect: Result<&str, &str>) {
        let mut call = Call::start(&line(script), timeout).unwrap();
        call.output_wait = if expect == Err(OPEN) { Duration::ZERO } else { PATIENCE };
        let answer = loop {
            match call.poll() {
                Some(answer) => break answer,
                None => clock::pause(Duration::from_millis(5)),
            }
        };
        assert_eq!(answer.as_deref().map_err(String::as_str), expect.map(str::as_bytes), "{script}");
    }

    #[test]
    fn the_answer_is_the_output_or_why_there_is_none() {
        let long = PATIENCE;
        check("cat; echo ignored >&2", long, Ok("asked"));
        check("test -z \"$HOME\" && pwd", long, Ok("/\n"));
        check("echo no; echo 'not  now' >&2; exit 3", long, Err("not now"));
        check("exit 3", long, Err("exit status 3"));
        check("kill -9 $$", long, Err("killed by signal 9"));
        check("sleep 60 & sleep 60", Duration::from_millis(100), Err("no answer within 0 s"));
        check("echo 12; sleep 60 & exit 0", long, Err(OPEN));
        check("head -c 17000000 /dev/zero", long, Err("its answer has more than 16777216 bytes or cannot be read"));
        // More than the buffer of a pipe.
        check("yes | head -c 200000 | wc -c; yes x | head -n 100000 >&2; exit 0", long, Ok("200000\n"));
    }

    #[test]
    fn no_wait_for_an_answer_that_has_no_end() {
        let mut call = Call::start(&line("sleep 60 & exit 0"), PATIENCE).unwrap();
        call.output_wait = PATIENCE;
        while call.ended.is_none() {
            assert_eq!(call.poll(), None);
            clock::pause(Duration::from_millis(5));
        }
        assert_eq!(call.poll(), None);
        call.output_wait = Duration::ZERO;
        assert_eq!(call.poll(), Some(Err(OPEN.to_owned())));
    }

    #[test]
    fn a_missing_program_is_reported_at_once() {
        let line = CallLine {
            program: "/nonexistent".to_owned(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            input: Vec::new(),
            user: None,
        };
        assert_eq!(Call::start(&line, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

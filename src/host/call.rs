//! A program that is asked something while its caller goes on: started, looked at from time to time, ended when it
//! takes too long.
//!
//! Reads no shell line: the program gets its arguments as they are, exactly the environment it is given, a text as its
//! standard input, and what it prints is collected up to a bound. Must never know what is asked.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use super::account::Account;
use super::brief_command::{OUTPUT_PATIENCE, Printed, collect, end, feed};
use super::processes::{self, Identity, Signal};

/// Bytes of standard output that are kept: the list of a large queue.
const MOST_OUTPUT: u64 = 16 << 20;
/// Bytes of standard error that are kept.
const MOST_ERRORS: u64 = 4 << 10;

/// What is called, and as whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallLine {
    /// A path, or a name that is looked for in the `PATH` of this process.
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
    /// The whole environment.
    pub(crate) environment: BTreeMap<String, String>,
    /// The text on its standard input.
    pub(crate) input: String,
    /// The user it runs as when that is another one than this process's; only root can.
    pub(crate) user: Option<Account>,
}

/// A program at work.
#[derive(Debug)]
pub(crate) struct Call {
    child: Child,
    output: Receiver<Printed>,
    errors: Receiver<Printed>,
    begun: Instant,
    timeout: Duration,
    ended: Option<Ended>,
}

/// The end of a program whose output is still to be had.
#[derive(Debug)]
struct Ended {
    seen: Instant,
    /// Why it is a failure, if it is one.
    failure: Option<String>,
}

/// What a program answered: its whole standard output when it ended with 0; otherwise what it said on standard error,
/// or why it ended when it said nothing. Output that is cut, or has no end, is a failure: nothing may be concluded from
/// it.
pub(crate) type Answer = Result<String, String>;

impl Call {
    /// Starts a program that may run for `timeout`. The system's own words when it cannot be started.
    pub(crate) fn start(line: &CallLine, timeout: Duration) -> io::Result<Self> {
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
            // With another user's number the groups of this process are left behind as well.
            command.uid(user.uid).gid(user.gid);
        }
        let mut child = command.spawn()?;
        // It holds the writing ends of the pipes, which must be closed for the readers to see the end.
        drop(command);
        let listen = |child: &mut Child| {
            feed(child, line.input.clone())?;
            Ok((collect(output, MOST_OUTPUT)?, collect(errors, MOST_ERRORS)?))
        };
        let (output, errors) = listen(&mut child).inspect_err(|_: &io::Error| end(&mut child))?;
        Ok(Self { child, output, errors, begun: Instant::now(), timeout, ended: None })
    }

    /// What the program answered, once it is over or has taken too long. Waits for nothing.
    pub(crate) fn poll(&mut self) -> Option<Answer> {
        if self.ended.is_none() {
            self.ended = Some(self.end()?);
        }
        // A killed program is taken leave of as soon as it is gone.
        let _ = self.child.try_wait();
        let ended = self.ended.as_ref()?;
        let printed = if ended.failure.is_some() { self.errors.try_recv() } else { self.output.try_recv() };
        let is_late = ended.seen.elapsed() >= OUTPUT_PATIENCE;
        match (&ended.failure, printed) {
            (_, Err(TryRecvError::Empty)) if !is_late => None,
            (None, Ok(Printed { text, is_whole: true })) => Some(Ok(text)),
            (None, Ok(_)) => Some(Err(format!("its answer has more than {MOST_OUTPUT} bytes or cannot be read"))),
            (None, Err(_)) => {
                Some(Err("it ended, but its answer did not: a process that it left holds it open".to_owned()))
            }
            (Some(why), printed) => {
                let said = printed.map(|printed| printed.text).unwrap_or_default();
                let said: Vec<&str> = said.split_whitespace().collect();
                Some(Err(if said.is_empty() { why.clone() } else { said.join(" ") }))
            }
        }
    }

    /// How the program ended; `None` while it is at work. One that takes too long is killed.
    fn end(&mut self) -> Option<Ended> {
        let failure = match self.child.try_wait() {
            Ok(None) if self.begun.elapsed() < self.timeout => return None,
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

    /// The process, to be waited for; `None` when it has ended, and while the process table cannot be read: its answer
    /// is polled all the same.
    pub(crate) fn process(&self) -> Option<Identity> {
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
    use super::super::{clock, environment};
    use super::*;

    fn line(script: &str) -> CallLine {
        CallLine {
            program: "sh".to_owned(),
            arguments: ["-c", script].map(str::to_owned).into(),
            environment: [("PATH".to_owned(), environment::variable("PATH").unwrap_or_default())].into(),
            input: "asked".to_owned(),
            user: None,
        }
    }

    fn check(script: &str, timeout: Duration, expect: Result<&str, &str>) {
        let mut call = Call::start(&line(script), timeout).unwrap();
        let answer = loop {
            match call.poll() {
                Some(answer) => break answer,
                None => clock::pause(Duration::from_millis(5)),
            }
        };
        assert_eq!(answer.as_deref().map_err(String::as_str), expect, "{script}");
    }

    #[test]
    fn the_answer_is_the_output_or_why_there_is_none() {
        let long = Duration::from_secs(20);
        check("cat; echo ignored >&2", long, Ok("asked"));
        check("test -z \"$HOME\" && pwd", long, Ok("/\n"));
        check("echo no; echo 'not  now' >&2; exit 3", long, Err("not now"));
        check("exit 3", long, Err("exit status 3"));
        check("kill -9 $$", long, Err("killed by signal 9"));
        check("sleep 60 & sleep 60", Duration::from_millis(100), Err("no answer within 0 s"));
        let open = "it ended, but its answer did not: a process that it left holds it open";
        check("echo 12; sleep 5 & exit 0", long, Err(open));
        check("head -c 17000000 /dev/zero", long, Err("its answer has more than 16777216 bytes or cannot be read"));
        // More than a pipe holds.
        check("yes | head -c 200000 | wc -c; yes x | head -n 100000 >&2; exit 0", long, Ok("200000\n"));
    }

    #[test]
    fn nobody_waits_for_an_answer_that_has_no_end() {
        let mut call = Call::start(&line("sleep 5 & exit 0"), Duration::from_secs(20)).unwrap();
        let mut longest = Duration::ZERO;
        loop {
            let before = Instant::now();
            let answer = call.poll();
            longest = longest.max(before.elapsed());
            if answer.is_some() {
                break;
            }
            clock::pause(Duration::from_millis(5));
        }
        assert!(longest < OUTPUT_PATIENCE / 2, "{longest:?}");
    }

    #[test]
    fn a_program_that_is_not_there_is_told_at_once() {
        let line = CallLine {
            program: "/nonexistent".to_owned(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            input: String::new(),
            user: None,
        };
        assert_eq!(Call::start(&line, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

//! A command whose input this process writes and whose output it reads, through pipes.
//!
//! Step 3 of the start protocol, as in `command`: exactly the given environment, and its own process group in the
//! session of the shim, so that a kill of the attempt reaches it. Must not depend on the data.

use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::command::CommandLine;
use super::script;

/// A running command; its pipes are passed to their users.
#[derive(Debug)]
pub struct Piped {
    child: Child,
}

/// This process's ends of a command's pipes.
#[derive(Debug)]
pub struct Ends {
    /// Its standard input; dropping this closes it.
    pub input: ChildStdin,
    /// Its standard output.
    pub output: ChildStdout,
    /// Its standard error.
    pub errors: ChildStderr,
}

/// Starts a command; returns the system's own error when it cannot be started.
pub fn start(line: &CommandLine) -> io::Result<(Piped, Ends)> {
    let spawn = |mut command: Command| {
        line.set_up(&mut command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    };
    let file = Path::new(&line.program);
    let mut child = match spawn(Command::new(file)) {
        Err(error) if script::is_refused(&line.directory.join(file), &error) => spawn(script::by_shell(file)),
        spawned => spawned,
    }?;
    let ends = Ends {
        input: child.stdin.take().expect("it was asked for"),
        output: child.stdout.take().expect("it was asked for"),
        errors: child.stderr.take().expect("it was asked for"),
    };
    Ok((Piped { child }, ends))
}

impl Piped {
    /// The number of its process group.
    pub fn group(&self) -> i32 {
        i32::try_from(self.child.id()).expect("process numbers are positive and fit an i32")
    }

    /// Waits until it has ended; its number cannot be reused before [`Self::status`] reaps it.
    pub fn await_end(&self) {
        let Some(pid) = Pid::from_raw(self.group()) else { return };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
    }

    /// Its exit status; 128 plus the signal's number when a signal ended it, as in shells.
    pub fn status(mut self) -> io::Result<i32> {
        let status = self.child.wait()?;
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        Ok(status.code().unwrap_or_else(|| 128 + signal.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn input_output_and_status_pass_through() {
        for (script, expect) in [("cat; exit 3", 3), ("cat; kill -9 $$", 137), ("cat", 0)] {
            let line = CommandLine {
                program: "sh".to_owned(),
                arguments: vec!["-c".to_owned(), script.to_owned()],
                environment: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
                directory: "/".into(),
            };
            let (process, mut ends) = start(&line).unwrap();
            ends.input.write_all(b"word").unwrap();
            drop(ends.input);
            let mut text = String::new();
            ends.output.read_to_string(&mut text).unwrap();
            process.await_end();
            assert_eq!((text.as_str(), process.status().unwrap()), ("word", expect), "{script}");
        }
    }
}

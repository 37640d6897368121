//! Runs a short command and reads its output, with a time limit.
//!
//! Its output and its errors are one text, of which the start is kept. Must not depend on why it runs.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::clock;
use super::command::CommandLine;
use super::processes::{self, Signal};

/// The pause between two checks of the command.
const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for the output of a command that has ended: one of its children may keep the pipe open.
pub(super) const OUTPUT_WAIT: Duration = Duration::from_millis(500);

/// The result of a command.
#[derive(Debug)]
pub struct Answer {
    /// How it ended; `None` when it took too long and was killed.
    pub status: Option<ExitStatus>,
    /// The start of its output.
    pub output: String,
}

impl Answer {
    /// Why the command did not end with 0 within `timeout`, with its output; `None` when it did.
    pub fn failure(&self, timeout: Duration) -> Option<String> {
        let failure = match self.status {
            Some(status) if status.success() => return None,
            Some(status) => format!("failed: {status}"),
            None => format!("did not end within {} s", timeout.as_secs()),
        };
        let output = self.output.trim();
        Some(if output.is_empty() { failure } else { format!("{failure}; it says: {output}") })
    }
}

/// The output of a command.
#[derive(Debug)]
pub(super) struct Printed {
    /// The start of the output.
    pub(super) bytes: Vec<u8>,
    /// Whether that is the whole output.
    pub(super) is_whole: bool,
}

impl Printed {
    /// Returns the start of the output as a text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Runs a command line in the caller's own process group, where the signals of a kill do not reach it.
/// Returns the system's own error when it cannot be started.
pub fn ask(line: &CommandLine, timeout: Duration, most_output: u64) -> io::Result<Answer> {
    let mut command = Command::new(&line.program);
    command.args(&line.arguments).env_clear().envs(&line.environment).current_dir(&line.directory);
    run(command, Vec::new(), timeout, most_output)
}

/// Runs a command for at most `timeout`; keeps at most `most_output` bytes of its output.
/// Returns the system's own error when it cannot be started.
pub(super) fn run(mut command: Command, input: Vec<u8>, timeout: Duration, most_output: u64) -> io::Result<Answer> {
    let (reader, writer) = io::pipe()?;
    let mut child = command.stdin(Stdio::piped()).stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // It has the writing ends of the pipe, which must be closed so that the reader sees the end.
    drop(command);
    let listening = feed(&mut child, input).and_then(|()| collect(reader, most_output));
    let output = listening.inspect_err(|_| end(&mut child))?;
    let status = wait(&mut child, timeout)?;
    let output = output.recv_timeout(OUTPUT_WAIT).map_or_else(|_| String::new(), |printed| printed.text());
    Ok(Answer { status, output })
}

/// Writes the command's standard input from a separate thread: the command may not read it. Returns the system's own
/// error when no thread can be started.
pub(super) fn feed(child: &mut Child, input: Vec<u8>) -> io::Result<()> {
    let Some(mut stdin) = child.stdin.take() else { return Ok(()) };
    if input.is_empty() {
        return Ok(());
    }
    let write = move || {
        // A command that does not want its input closes it; that is no failure.
        let _ = stdin.write_all(&input);
    };
    thread::Builder::new().spawn(write).map(drop)
}

/// Ends a command whose output cannot be read, with its group if it leads one.
pub(super) fn end(child: &mut Child) {
    processes::signal_group(i32::try_from(child.id()).unwrap_or_default(), Signal::Kill);
    // It may be over already.
    let _ = child.kill().and_then(|()| child.wait());
}

/// Reads the command's output to its end, and sends the start of it. Returns the system's own error when no thread can
/// be started.
pub(super) fn collect(reader: PipeReader, most: u64) -> io::Result<mpsc::Receiver<Printed>> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let mut kept = Vec::new();
        let mut reader = reader;
        let read = reader.by_ref().take(most).read_to_end(&mut kept);
        let rest = io::copy(&mut reader, &mut io::sink());
        let is_whole = read.is_ok() && matches!(rest, Ok(0));
        // The receiver is gone when the caller no longer waits.
        let _ = sender.send(Printed { bytes: kept, is_whole });
    };
    thread::Builder::new().spawn(read)?;
    Ok(receiver)
}

/// Waits for the end of the command; `None` when it took too long and was killed, with its group if it leads one.
fn wait(child: &mut Child, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + timeout;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            processes::signal_group(i32::try_from(child.id()).unwrap_or_default(), Signal::Kill);
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        clock::pause(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, timeout: Duration, status: Option<i32>, output: &str) {
        let line = CommandLine {
            program: "sh".to_owned(),
            arguments: vec!["-c".to_owned(), script.to_owned()],
            environment: [("PATH".to_owned(), "/usr/bin:/bin".to_owned()), ("WORD".to_owned(), "heard".to_owned())]
                .into(),
            directory: "/".into(),
        };
        let answer = ask(&line, timeout, 20).unwrap();
        assert_eq!(
            (answer.status.and_then(|status| status.code()), answer.output.as_str()),
            (status, output),
            "{script}"
        );
    }

    #[test]
    fn output_is_read_within_the_time_limit() {
        let long = howdah_tier::PATIENCE;
        check("echo $WORD; echo error >&2; exit 3", long, Some(3), "heard\nerror\n");
        check("yes | head -c 100000", long, Some(0), "y\ny\ny\ny\ny\ny\ny\ny\ny\ny\n");
        check("pwd; cat", long, Some(0), "/\n");
        // Long enough for a shell to begin.
        check("echo begun; exec sleep 600", Duration::from_secs(3), None, "begun\n");
    }
}

//! Runs a program that is told something, and waits for its end, but not longer than it may take.
//!
//! Its exit status decides; what it prints is kept, so far as it fits, to say why it failed.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::processes::{self, Signal};
use super::{clock, environment};
use crate::model::delivery::AlertCommand;

/// Bytes of the output that are kept.
const MOST_OUTPUT: u64 = 2000;
/// Between two looks at the program.
const PAUSE: Duration = Duration::from_millis(20);
/// How long the output of a program that has ended is waited for: a child of its own may hold it open.
pub(super) const OUTPUT_PATIENCE: Duration = Duration::from_millis(500);

/// Runs a program; in words why it did not end with 0 within `timeout` otherwise. One that takes longer is killed with
/// its process group.
pub(crate) fn run(alert: &AlertCommand, timeout: Duration) -> Result<(), String> {
    let Some((program, arguments)) = alert.command.split_first() else {
        return Err("the command is empty".to_owned());
    };
    let refused = |error: io::Error| format!("the command [{program}] cannot be run: {error}");
    let (reader, writer) = io::pipe().map_err(refused)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(environment::for_commands())
        .envs(&alert.environment)
        .stdin(Stdio::piped())
        .stdout(writer.try_clone().map_err(refused)?)
        .stderr(writer)
        .process_group(0);
    let mut child = command.spawn().map_err(refused)?;
    // It holds the writing ends of the pipe, which must be closed for the reader to see the end.
    drop(command);
    feed(&mut child, alert.input.clone());
    let output = collect(reader, MOST_OUTPUT);
    let ended = wait(&mut child, timeout).map_err(refused)?;
    let said = output.recv_timeout(OUTPUT_PATIENCE).unwrap_or_default();
    let failure = match ended {
        Some(status) if status.success() => return Ok(()),
        Some(status) => format!("the command [{program}] failed: {status}"),
        None => format!("the command [{program}] did not end within {} s", timeout.as_secs()),
    };
    Err(if said.trim().is_empty() { failure } else { format!("{failure}; it says: {}", said.trim()) })
}

/// Writes the program's standard input from a thread of its own: it may never read it.
pub(super) fn feed(child: &mut Child, input: String) {
    let Some(mut stdin) = child.stdin.take() else { return };
    thread::spawn(move || {
        // A program that does not want its input closes it; that is no failure.
        let _ = stdin.write_all(input.as_bytes());
    });
}

/// Reads a program's output to its end, and answers the first `most` bytes of it.
pub(super) fn collect(reader: PipeReader, most: u64) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut reader = reader;
        let _ = reader.by_ref().take(most).read_to_end(&mut kept);
        let _ = io::copy(&mut reader, &mut io::sink());
        let _ = sender.send(String::from_utf8_lossy(&kept).into_owned());
    });
    receiver
}

/// Waits for the end of the program; `None` when it took too long and was killed.
fn wait(child: &mut Child, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + timeout;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            processes::signal_group(i32::try_from(child.id()).unwrap_or_default(), Signal::Kill);
            child.wait()?;
            return Ok(None);
        }
        clock::pause(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &str) -> AlertCommand {
        AlertCommand {
            command: ["sh", "-c", script].map(str::to_owned).into(),
            environment: [("ALERT".to_owned(), "END_MISS".to_owned())].into(),
            input: input.to_owned(),
        }
    }

    #[test]
    fn the_exit_status_decides_and_the_output_says_why() {
        let long = "x".repeat(1_000_000);
        let check = |script: &str, expect: &str| {
            let said = run(&shell(script, &long), Duration::from_secs(20)).err().unwrap_or_default();
            assert_eq!(said, expect, "{script}");
        };
        check("exit 0", "");
        check("cat >/dev/null; test \"$ALERT\" = END_MISS", "");
        check("test $(wc -c) = 1000000", "");
        check("echo no pager >&2; exit 3", "the command [sh] failed: exit status: 3; it says: no pager");
        check("sleep 60 & exit 1", "the command [sh] failed: exit status: 1");
        let long = run(&shell("yes | head -c 100000; exit 1", ""), Duration::from_secs(20)).unwrap_err();
        assert!(long.len() < 2100, "{} bytes", long.len());
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_its_children() {
        let begun = Instant::now();
        let said = run(&shell("sleep 60 & sleep 60", ""), Duration::from_millis(100)).unwrap_err();
        assert_eq!(said, "the command [sh] did not end within 0 s");
        assert!(begun.elapsed() < Duration::from_secs(10));
        let none = AlertCommand { command: Vec::new(), ..shell("", "") };
        assert_eq!(run(&none, Duration::ZERO).unwrap_err(), "the command is empty");
        let unknown = AlertCommand { command: vec!["/nonexistent".to_owned()], ..shell("", "") };
        assert!(run(&unknown, Duration::ZERO).unwrap_err().contains("cannot be run"));
    }
}

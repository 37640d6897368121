//! One mapper or reducer: a process, its input records and its output, and how a job stops all of them.
//!
//! Follows Hadoop's `PipeMapRed`: the process gets lines and writes lines; on standard error, lines that begin with
//! `reporter:counter:` count and all others go to the log of the attempt. Must not depend on the meaning of the lines.

use std::collections::BTreeSet;
use std::io::{self, BufReader, BufWriter, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::counters::Tally;
use super::record::Lines;
use crate::streaming::work::StreamingWork;
use howdah_host::attempt::{self, Retry};
use howdah_host::command::{self, CommandLine};
use howdah_host::fault::failing_point;
use howdah_host::files;
use howdah_host::pipes::{self, Ends, Piped};
use howdah_host::processes::{self, Signal};

/// Records between two checks whether the job continues.
const CHECK_EVERY: u64 = 1024;
/// The most that is written to a process at once, in bytes.
const PIECE: usize = 128 << 10;

/// Why a job stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The attempt was killed.
    Killed,
    /// Another task has failed, or the reason is recorded elsewhere.
    Cancelled,
    /// This task has failed; the text says why.
    Failed(String),
}

/// What all tasks of a job have in common.
#[derive(Debug)]
pub(super) struct Tasks {
    /// The attempt's folder.
    folder: PathBuf,
    /// The prefix of lines on standard error for Hadoop.
    reporter: String,
    /// Whether an exit status other than 0 is a failure.
    status_counts: bool,
    is_cancelled: AtomicBool,
    /// The process groups that run.
    groups: Mutex<BTreeSet<i32>>,
}

/// The error for readers and writers of records when the job does not continue.
#[derive(Debug, thiserror::Error)]
#[error("the job is stopped")]
struct Stopped;

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        let is_stopped = error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Stopped>);
        if is_stopped { Self::Cancelled } else { Self::Failed(error.to_string()) }
    }
}

impl Tasks {
    /// No task yet of a job in the attempt `folder`.
    pub(super) fn of(work: &StreamingWork, folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            reporter: work.reporter.clone(),
            status_counts: work.status_counts,
            is_cancelled: AtomicBool::new(false),
            groups: Mutex::default(),
        }
    }

    /// No task of a job that has no folder.
    #[cfg(test)]
    pub(super) fn of_test() -> Self {
        Self {
            folder: "/nonexistent".into(),
            reporter: String::new(),
            status_counts: true,
            is_cancelled: AtomicBool::new(false),
            groups: Mutex::default(),
        }
    }

    /// Returns the attempt's folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Checks whether the job continues.
    pub(super) fn check(&self) -> Result<(), Stop> {
        if attempt::is_kill_requested(&self.folder) {
            return Err(Stop::Killed);
        }
        if self.is_cancelled.load(Ordering::Acquire) { Err(Stop::Cancelled) } else { Ok(()) }
    }

    /// As [`Self::check`], at some of the records of a long piece of work.
    pub(super) fn check_now_and_then(&self, records: u64) -> io::Result<()> {
        let continues = !records.is_multiple_of(CHECK_EVERY) || self.check().is_ok();
        if continues { Ok(()) } else { Err(io::Error::other(Stopped)) }
    }

    /// Ends all tasks because one has failed.
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
        for group in self.groups().iter() {
            processes::signal_group(*group, Signal::Kill);
        }
    }

    /// Runs one process: `feed` writes its input, `collect` gets the lines of its output. Returns its own counters.
    pub(super) fn run(
        &self,
        line: &CommandLine,
        feed: impl FnOnce(&mut Feed<'_>) -> io::Result<()>,
        collect: impl FnMut(&[u8]) -> io::Result<()> + Send,
    ) -> Result<Tally, Stop> {
        let (process, ends) = self.start(line)?;
        self.register(&process);
        let (fed, collected, counted) = self.exchange(ends, feed, collect);
        process.await_end();
        self.groups().remove(&process.group());
        let status = process.status()?;
        self.check()?;
        // An error on this side comes before the exit status, which it causes.
        collected?;
        let tally = counted?;
        let failed = match fed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
            _ if status != 0 && self.status_counts => {
                format!("PipeMapRed.waitOutputThreads(): subprocess failed with code {status}")
            }
            Err(_) => {
                let why = "it ended before it had read all its records (Broken pipe)";
                format!("{}: {why}; let it read its standard input to the end", line.program)
            }
            Ok(()) => return Ok(tally),
        };
        Err(Stop::Failed(failed))
    }

    /// Starts a process, and repeats this after failures of the machine.
    fn start(&self, line: &CommandLine) -> Result<(Piped, Ends), Stop> {
        let mut retry = Retry::new(&self.folder);
        loop {
            self.check()?;
            match failing_point("pipe").and_then(|()| pipes::start(line)) {
                Ok(started) => return Ok(started),
                Err(error) if retry.allows(&error) => retry.wait(&error),
                Err(error) => return Err(cannot_run(line, &error)),
            }
        }
    }

    /// Writes the input of a process and reads its output until it closes it.
    fn exchange(
        &self,
        ends: Ends,
        feed: impl FnOnce(&mut Feed<'_>) -> io::Result<()>,
        collect: impl FnMut(&[u8]) -> io::Result<()> + Send,
    ) -> (io::Result<()>, io::Result<()>, io::Result<Tally>) {
        let Ends { input, output, errors } = ends;
        thread::scope(|scope| {
            let collected = thread::Builder::new().spawn_scoped(scope, || read_lines(output, collect));
            let counted = thread::Builder::new().spawn_scoped(scope, || self.read_errors(errors));
            let (collected, counted) = match (collected, counted) {
                (Ok(collected), Ok(counted)) => (collected, counted),
                // The process is not read any more; it ends when its pipes are closed.
                (Err(error), _) | (_, Err(error)) => return (Err(error), Ok(()), Ok(Tally::default())),
            };
            let mut feeder = Feed { output: BufWriter::with_capacity(PIECE, Box::new(input)), tasks: self, records: 0 };
            let fed = feed(&mut feeder);
            // A process that does not read the last bytes is no failure, as in Hadoop.
            let _ = feeder.output.flush();
            drop(feeder);
            let collected = collected.join().unwrap_or_else(|panic| resume_unwind(panic));
            (fed, collected, counted.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    }

    /// Reads standard error: counters, and lines for the log.
    fn read_errors(&self, errors: impl io::Read) -> io::Result<Tally> {
        let counter = format!("{}counter:", self.reporter);
        let mut tally = Tally::default();
        let [_, log] = attempt::output_files(&self.folder);
        let mut log = files::open_to_append(&log).map_err(|error| io::Error::other(error.to_string()))?;
        read_lines(errors, |line| {
            let text = String::from_utf8_lossy(line);
            if let Some((group, name, amount)) = text.strip_prefix(&counter).and_then(parse_counter) {
                tally.add(group, name, amount);
                return if tally.is_full() { Err(io::Error::other("Too many counters")) } else { Ok(()) };
            }
            // One write for each line, so that the lines of several tasks do not mix.
            log.write_all(&[line, b"\n"].concat())
        })?;
        Ok(tally)
    }

    /// Registers a process. A later kill of the attempt finds it; an earlier kill takes effect here.
    fn register(&self, process: &Piped) {
        self.groups().insert(process.group());
        if let Err(stop) = self.check() {
            let signal = if stop == Stop::Killed { Signal::Terminate } else { Signal::Kill };
            processes::signal_group(process.group(), signal);
        }
    }

    fn groups(&self) -> std::sync::MutexGuard<'_, BTreeSet<i32>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The standard input of a process.
pub(super) struct Feed<'a> {
    output: BufWriter<Box<dyn Write>>,
    tasks: &'a Tasks,
    /// Records written so far.
    pub(super) records: u64,
}

impl Feed<'_> {
    /// Writes one record from its parts and ends its line. An error when the job stops.
    pub(super) fn write(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        self.tasks.check_now_and_then(self.records)?;
        self.records += 1;
        for part in parts {
            self.output.write_all(part)?;
        }
        self.output.write_all(b"\n")
    }
}

fn read_lines(input: impl io::Read, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut lines = Lines::of(BufReader::with_capacity(PIECE, input));
    let mut line = Vec::new();
    while lines.next(&mut line)? > 0 {
        each(&line)?;
    }
    Ok(())
}

/// `group,counter,amount`.
fn parse_counter(text: &str) -> Option<(&str, &str, i64)> {
    let mut columns = text.trim().split(',');
    let counter = (columns.next()?, columns.next()?, columns.next()?.parse().ok()?);
    columns.next().is_none().then_some(counter)
}

fn cannot_run(line: &CommandLine, error: &io::Error) -> Stop {
    let hint = command::missing_interpreter(line, error).map(|hint| format!("; {hint}")).unwrap_or_default();
    let advice = match error.kind() {
        io::ErrorKind::NotFound if hint.is_empty() => {
            "; ship it with a file element, or install it where PATH finds it"
        }
        io::ErrorKind::ArgumentListTooLong => {
            "; the configuration is passed as environment: shorten its values with stream.jobconf.truncate.limit"
        }
        _ => "",
    };
    Stop::Failed(format!("Cannot run program \"{}\": {error}{hint}{advice}", line.program))
}

//! Performs a streaming job inside the shim: mappers, sorting, reducers, and the output put into place.
//!
//! The output is written beside its place and renamed when it is complete, so a job that is killed leaves none. Mappers
//! and reducers run on all processors, each in a folder of its own with what the action ships.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::counters::{Counter, Tally};
use super::environment;
use super::record::partition;
use super::settings::refused;
use super::sorting::{Batch, Sorted, Sorter};
use super::split::{self, Records, Split};
use super::task::{Feed, Stop, Tasks};
use crate::blocked::{Completion, because, because_of, retry_while_blocked};
use crate::failure::Failure;
use crate::note::note;
use crate::report::Report;
use crate::streaming::work::StreamingWork;
use howdah_host::attempt;
use howdah_host::command::{self, CommandLine, WorkOutcome};
use howdah_host::deletion::Clearing;
use howdah_host::files::{self, File};
use howdah_host::located::{Kind, Located};
use howdah_host::mounts::Mounts;
use howdah_host::processes::Signal;
use howdah_host::thread_pool;

/// How much a mapper collects before it passes it to the sorter, in bytes.
const BATCH: usize = 256 << 10;
/// The folder of the attempt for the runs of the sorter and the folders of tasks.
const SCRATCH: &str = "streaming";

/// A job that is being performed.
struct Job<'a> {
    work: &'a StreamingWork,
    tasks: Tasks,
    /// Runs of the sorter and the folders of tasks; removed at the end.
    scratch: PathBuf,
    /// Where the output is written until it is complete: beside its place, or here for a place on a server.
    unfinished: Located,
    /// Beside the place of the output.
    beside: Located,
}

/// Performs the work, whose working folder is filled, and writes its report.
pub(crate) fn perform(work: &StreamingWork, folder: &Path) -> WorkOutcome {
    let Some(beside) = work.output.beside(&work.unfinished_name) else {
        return command::failed(&format!("Output directory {} already exists", work.output.shown()));
    };
    let scratch = folder.join(SCRATCH);
    let is_here = beside.here().is_some();
    let unfinished = if is_here { beside.clone() } else { Located::named_here(&scratch.join("output")) };
    let job = Job { work, tasks: Tasks::of(work, folder), scratch, unfinished, beside };
    let done = job.run();
    // What cannot be removed now is removed by the next attempt of the node, or with the attempt's folder.
    let _ = Clearing::open(folder).map(|folder| folder.map(|folder| folder.delete(SCRATCH)));
    let _ = job.beside.delete(&Mounts::default());
    let reported = done.and_then(|tally| {
        let report = Report { jobs: Vec::new(), counters: Some(tally.finish()) };
        report.write(folder).map_err(|error| Stop::Failed(error.to_string()))
    });
    match reported {
        Ok(()) => WorkOutcome::Exited(0),
        Err(Stop::Failed(why)) => command::failed(&why),
        Err(Stop::Killed | Stop::Cancelled) => WorkOutcome::Signaled(Signal::Terminate.number()),
    }
}

impl Job<'_> {
    fn run(&self) -> Result<Tally, Stop> {
        self.check_free()?;
        let limits = &self.work.command.prepare.limits;
        let mut splits = Vec::new();
        self.until_done(|| {
            splits = split::find(&self.work.inputs, self.work.descent, limits)?;
            Ok(Completion::ToTheEnd)
        })?;
        self.make_folders()?;
        let mut tally = Tally::default();
        tally.count(Counter::Mappers, splits.len() as u64);
        if self.work.reducers == 0 {
            tally.merge(&self.all(&splits, |number, split| self.map_only(number, split))?);
        } else {
            let sorter = Sorter::new(&self.scratch, self.work.reducers, self.work.buffer);
            tally.merge(&self.all(&splits, |number, split| self.map(number, split, &sorter))?);
            let sorted = sorter.finish(|records| self.tasks.check_now_and_then(records))?;
            tally.count(Counter::SpilledRecords, sorted.records_spilled);
            tally.count(Counter::Reducers, u64::from(self.work.reducers));
            let reducers: Vec<u32> = (0..self.work.reducers).collect();
            tally.merge(&self.all(&reducers, |number, _| self.reduce(number, &sorted))?);
        }
        self.tasks.check()?;
        self.commit()?;
        Ok(tally)
    }

    fn make_folders(&self) -> Result<(), Stop> {
        files::create_private_folder(&self.scratch).map_err(|error| Stop::Failed(error.to_string()))?;
        // An earlier attempt of this node may have left files.
        self.until_done(|| match self.beside.delete(&Mounts::default()) {
            Ok(_) => Ok(Completion::ToTheEnd),
            Err(error) => Err(because_of(refused(&error.to_string()), &error)),
        })?;
        self.unfinished.create_folders()?;
        Ok(())
    }

    /// Does the work for every item, on all processors; a failure of one ends the others.
    fn all<T: Sync>(&self, items: &[T], work: impl Fn(u32, &T) -> Result<Tally, Stop> + Sync) -> Result<Tally, Stop> {
        let numbered: Vec<(u32, &T)> = (0..).zip(items).collect();
        let results = thread_pool::map(&numbered, |(number, item)| {
            let result = work(*number, item);
            if matches!(result, Err(Stop::Failed(_))) {
                self.tasks.cancel();
            }
            result
        });
        let mut tally = Tally::default();
        let mut stopped = None;
        for result in results {
            match result {
                Ok(counted) => tally.merge(&counted),
                Err(failed @ Stop::Failed(_)) => return Err(failed),
                Err(other) => stopped = Some(other),
            }
        }
        stopped.map_or(Ok(tally), Err)
    }

    /// Runs a mapper whose output is sorted for reducers.
    fn map(&self, number: u32, split: &Split, sorter: &Sorter) -> Result<Tally, Stop> {
        let mut batch = Batch::default();
        let (mut records, mut bytes) = (0, 0);
        let mut tally = self.feed_split(number, split, |line| {
            let (key, value) = self.work.map_output.split(line);
            batch.push(partition(key, self.work.reducers), number, (key, value));
            records += 1;
            bytes += (key.len() + value.len()) as u64;
            if batch.size() >= BATCH {
                sorter.add(&std::mem::take(&mut batch))?;
            }
            Ok(())
        })?;
        sorter.add(&batch)?;
        tally.count(Counter::MapOutputRecords, records);
        tally.count(Counter::MapOutputBytes, bytes);
        Ok(tally)
    }

    /// Runs a mapper whose output is the job's.
    fn map_only(&self, number: u32, split: &Split) -> Result<Tally, Stop> {
        let mut part = self.part(number)?;
        let mut tally = self.feed_split(number, split, |line| part.write(self.work.map_output.split(line)))?;
        tally.count(Counter::MapOutputRecords, part.records);
        tally.count_written(self.work.store_of(self.work.output.uri()), part.finish()?);
        Ok(tally)
    }

    fn feed_split(
        &self,
        number: u32,
        split: &Split,
        collect: impl FnMut(&[u8]) -> io::Result<()> + Send,
    ) -> Result<Tally, Stop> {
        let (mut records, mut bytes) = (0, 0);
        let line = self.line(&self.work.command.line, environment::Task::Map(split), number)?;
        let feed = |feed: &mut Feed<'_>| {
            let in_input = |error: io::Error| io::Error::other(format!("{}: {error}", split.path.shown()));
            let mut input = Records::open(split, &self.tasks).map_err(in_input)?;
            let mut line = Vec::new();
            while input.next(&mut line).map_err(in_input)? {
                feed.write(&[&line])?;
            }
            (records, bytes) = (feed.records, input.read);
            Ok(())
        };
        let done = self.tasks.run(&line, feed, collect);
        let mut tally = self.logged(done, &format!("mapper {number} on {}", split.path.shown()))?;
        tally.count(Counter::MapInputRecords, records);
        tally.count_read(self.work.store_of(split.path.uri()), bytes);
        Ok(tally)
    }

    /// Runs a reducer; without a command its records are written unchanged.
    fn reduce(&self, number: u32, sorted: &Sorted) -> Result<Tally, Stop> {
        let mut part = self.part(number)?;
        let mut grouped = sorted.of_reducer(number)?;
        let mut tally = Tally::default();
        if let Some(reducer) = &self.work.reducer {
            // As in Hadoop, the output of a reducer without records is ignored.
            let is_used = !grouped.is_empty();
            let line = self.line(reducer, environment::Task::Reduce, number)?;
            let separator = self.work.reduce_input_separator.as_bytes();
            let feed = |feed: &mut Feed<'_>| {
                while let Some(record) = grouped.next()? {
                    feed.write(&[&record.key, separator, &record.value])?;
                }
                Ok(())
            };
            let mut write = |line: &[u8]| part.write(self.work.reduce_output.split(line));
            let done = self.tasks.run(&line, feed, |line| if is_used { write(line) } else { Ok(()) });
            tally = self.logged(done, &format!("reducer {number}"))?;
        } else {
            while let Some(record) = grouped.next()? {
                self.tasks.check_now_and_then(grouped.records)?;
                part.write((&record.key, &record.value))?;
            }
        }
        tally.count(Counter::ReduceInputRecords, grouped.records);
        tally.count(Counter::ReduceInputGroups, grouped.groups);
        tally.count(Counter::ReduceOutputRecords, part.records);
        tally.count_written(self.work.store_of(self.work.output.uri()), part.finish()?);
        Ok(tally)
    }

    /// Writes to the action's log which task failed: the node's error does not name it.
    fn logged(&self, done: Result<Tally, Stop>, task: &str) -> Result<Tally, Stop> {
        if let Err(Stop::Failed(why)) = &done {
            note(self.tasks.folder(), &format!("{task}: {why}"));
        }
        done
    }

    fn part(&self, number: u32) -> io::Result<Part> {
        let file = self.unfinished.join(&format!("part-{number:05}")).create()?;
        let separator = self.work.output_separator.clone().into_bytes();
        Ok(Part { output: BufWriter::with_capacity(1 << 18, file), separator, records: 0, bytes: 0 })
    }

    /// Returns the command line of a task, in a folder of its own with links to all that is in the action's working
    /// folder.
    fn line(&self, line: &CommandLine, task: environment::Task<'_>, number: u32) -> Result<CommandLine, Stop> {
        let directory = self.scratch.join(format!("{}-{number:05}", task.name()));
        files::create_folder(&directory).map_err(|error| Stop::Failed(error.to_string()))?;
        for entry in files::list(&line.directory).map_err(|error| Stop::Failed(error.to_string()))? {
            if let Some(name) = entry.file_name() {
                files::link(&entry, &directory.join(name))?;
            }
        }
        let mut own = CommandLine { directory, ..line.clone() };
        own.environment.extend(environment::of_task(&self.work.job_id, task, number));
        Ok(own)
    }

    /// Renames the output to its place.
    fn commit(&self) -> Result<(), Stop> {
        if self.work.marks_success {
            self.unfinished.join("_SUCCESS").create()?;
        }
        self.check_free()?;
        if self.unfinished != self.beside {
            return self.send();
        }
        self.beside.rename(&self.work.output)?;
        self.work.output.sync_parent()?;
        Ok(())
    }

    /// Sends the output to its server.
    fn send(&self) -> Result<(), Stop> {
        let mut is_renamed = false;
        self.until_done(|| match self.try_to_send(&mut is_renamed) {
            Ok(true) => Ok(Completion::ToTheEnd),
            Ok(false) => Ok(Completion::Stopped),
            Err(error) => Err(because(refused(&error.to_string()), &error)),
        })
    }

    /// Tries again while the machine or the server fails.
    fn until_done(&self, act: impl FnMut() -> Result<Completion, Failure>) -> Result<(), Stop> {
        match retry_while_blocked(self.tasks.folder(), act) {
            Ok(Completion::ToTheEnd) => Ok(()),
            Ok(Completion::Stopped) => Err(Stop::Killed),
            Err(failure) => Err(Stop::Failed(failure.message)),
        }
    }

    /// Copies the output beside its place on the server and renames it; `false` when the attempt is to end. After a
    /// rename without an answer, `is_renamed` says that it may have been done.
    fn try_to_send(&self, is_renamed: &mut bool) -> io::Result<bool> {
        let output = &self.work.output;
        if *is_renamed && self.beside.kind()? == Kind::Missing && output.kind()? == Kind::Directory {
            return Ok(true);
        }
        let stop = || attempt::is_kill_requested(self.tasks.folder());
        if !self.beside.take_copy_of(self.unfinished.path(), &stop)? {
            return Ok(false);
        }
        *is_renamed = true;
        self.beside.rename(output).map(|()| true)
    }

    /// Refuses an output place that exists.
    fn check_free(&self) -> Result<(), Stop> {
        let output = &self.work.output;
        self.until_done(|| match output.kind() {
            Ok(Kind::Missing) => Ok(Completion::ToTheEnd),
            Ok(_) => Err(refused(&format!("Output directory {} already exists", output.shown()))),
            Err(error) => Err(because(refused(&format!("{}: {error}", output.place())), &error)),
        })
    }
}

/// A file of the output: a key, a separator and a value on each line, the separator even when there is no value.
struct Part {
    output: BufWriter<File>,
    separator: Vec<u8>,
    records: u64,
    bytes: u64,
}

impl Part {
    fn write(&mut self, (key, value): (&[u8], &[u8])) -> io::Result<()> {
        for piece in [key, &self.separator, value, b"\n"] {
            self.output.write_all(piece)?;
            self.bytes += piece.len() as u64;
        }
        self.records += 1;
        Ok(())
    }

    /// Syncs it to disk; returns its size in bytes.
    fn finish(mut self) -> io::Result<u64> {
        self.output.flush()?;
        self.output.get_ref().sync_all()?;
        Ok(self.bytes)
    }
}

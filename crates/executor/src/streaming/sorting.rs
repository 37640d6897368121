//! Sorts more records than fit into memory: by reducer, by the bytes of the key, then by their origin.
//!
//! Records are collected in a buffer of bounded size. When it is full, it is sorted and written as a run; runs are
//! merged, a bounded number at a time. Values of equal keys keep the order of their mappers and, of one mapper, of its
//! output, so the same input always has the same order. Must not depend on processes or the format of output.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::run::{Merge, Run, RunWriter};
use howdah_host::files;

/// Most runs that are read at the same time.
const MOST_MERGED: usize = 64;

/// Records in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// Where a record is in the bytes of its batch: the key, and right behind it the value.
#[derive(Clone, Copy, Debug)]
struct Entry {
    partition: u32,
    mapper: u32,
    start: usize,
    key: usize,
    value: usize,
}

impl Batch {
    /// Adds a record of a mapper for a reducer.
    pub(super) fn push(&mut self, partition: u32, mapper: u32, (key, value): (&[u8], &[u8])) {
        let entry = Entry { partition, mapper, start: self.bytes.len(), key: key.len(), value: value.len() };
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        self.entries.push(entry);
    }

    /// Returns how much memory its records take, in bytes.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    fn append(&mut self, other: &Self) {
        let moved = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.entries.extend(other.entries.iter().map(|entry| Entry { start: entry.start + moved, ..*entry }));
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.start..entry.start + entry.key]
    }

    fn value(&self, entry: &Entry) -> &[u8] {
        let start = entry.start + entry.key;
        &self.bytes[start..start + entry.value]
    }

    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        // Stable: of one mapper the order of its output stays.
        entries.sort_by(|one, other| {
            let order = |entry: &Entry| (entry.partition, entry.mapper);
            let ((partition, mapper), (other_partition, other_mapper)) = (order(one), order(other));
            let keys = || self.key(one).cmp(self.key(other));
            partition.cmp(&other_partition).then_with(keys).then(mapper.cmp(&other_mapper))
        });
        self.entries = entries;
    }
}

/// Takes records from several mappers at once.
#[derive(Debug)]
pub(super) struct Sorter {
    folder: PathBuf,
    partitions: u32,
    /// Most bytes in the buffer.
    limit: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    buffer: Batch,
    /// In the order of their buffers; `None` while one is being written.
    runs: Vec<Option<Run>>,
    records_spilled: u64,
}

/// The runs of all records.
#[derive(Debug)]
pub(super) struct Sorted {
    runs: Vec<Run>,
    /// How many records were written into runs.
    pub(super) records_spilled: u64,
}

impl Sorter {
    /// Returns a sorter for so many reducers that writes its runs into `folder`, which exists.
    pub(super) fn new(folder: &Path, partitions: u32, limit: usize) -> Self {
        Self { folder: folder.to_owned(), partitions, limit, state: Mutex::default() }
    }

    /// Adds a batch, and writes a run when the buffer is full.
    pub(super) fn add(&self, batch: &Batch) -> io::Result<()> {
        let (full, number) = {
            let mut state = self.lock();
            state.buffer.append(batch);
            if state.buffer.size() < self.limit {
                return Ok(());
            }
            state.begin_run()
        };
        self.spill(full, number)
    }

    /// Writes the rest and merges runs until all can be read at the same time. `check` gets the number of merged
    /// records of a reducer and fails when the job is to stop.
    pub(super) fn finish(self, check: impl Fn(u64) -> io::Result<()>) -> io::Result<Sorted> {
        let (rest, number) = self.lock().begin_run();
        self.spill(rest, number)?;
        let state = std::mem::take(&mut *self.lock());
        let mut sorted =
            Sorted { runs: state.runs.into_iter().flatten().collect(), records_spilled: state.records_spilled };
        let mut number = sorted.runs.len();
        while sorted.runs.len() > MOST_MERGED {
            let rest = sorted.runs.split_off(MOST_MERGED);
            let merged = sorted.merged_into(&self.run_path(number), self.partitions, &check)?;
            for run in &sorted.runs {
                files::remove(run.path())?;
            }
            number += 1;
            // The oldest runs were merged: the result comes first.
            sorted.runs = std::iter::once(merged).chain(rest).collect();
        }
        Ok(sorted)
    }

    fn spill(&self, mut batch: Batch, number: usize) -> io::Result<()> {
        batch.sort();
        let mut writer = RunWriter::create(&self.run_path(number), self.partitions)?;
        for entry in &batch.entries {
            writer.write(entry.partition, entry.mapper, batch.key(entry), batch.value(entry))?;
        }
        let run = writer.finish()?;
        let mut state = self.lock();
        state.records_spilled += batch.entries.len() as u64;
        state.runs[number] = Some(run);
        Ok(())
    }

    fn run_path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("run-{number}"))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Removes the buffer, to be written as the run with this number.
    fn begin_run(&mut self) -> (Batch, usize) {
        self.runs.push(None);
        (std::mem::take(&mut self.buffer), self.runs.len() - 1)
    }
}

impl Sorted {
    /// Returns the records of one reducer, sorted.
    pub(super) fn of_reducer(&self, partition: u32) -> io::Result<Merge> {
        Merge::of(&self.runs, partition as usize)
    }

    fn merged_into(&self, path: &Path, partitions: u32, check: impl Fn(u64) -> io::Result<()>) -> io::Result<Run> {
        let mut writer = RunWriter::create(path, partitions)?;
        for partition in 0..partitions {
            let mut merge = self.of_reducer(partition)?;
            while let Some(record) = merge.next()? {
                check(merge.records)?;
                writer.write(partition, record.mapper, &record.key, &record.value)?;
            }
        }
        writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorts records of (mapper, key, value) and returns what each of two reducers gets.
    fn sorted(records: &[(u32, String, String)], limit: usize) -> (Vec<Vec<(String, String)>>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let sorter = Sorter::new(folder.path(), 2, limit);
        for (mapper, key, value) in records {
            let mut batch = Batch::default();
            batch.push(u32::from(key.len() > 1), *mapper, (key.as_bytes(), value.as_bytes()));
            sorter.add(&batch).unwrap();
        }
        let sorted = sorter.finish(|_| Ok(())).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let reducer = |partition| {
            let mut merge = sorted.of_reducer(partition).unwrap();
            let mut records = Vec::new();
            while let Some(record) = merge.next().unwrap() {
                records.push((text(record.key), text(record.value)));
            }
            records
        };
        assert_eq!(sorted.records_spilled, records.len() as u64);
        (vec![reducer(0), reducer(1)], sorted.runs.len())
    }

    #[test]
    fn keys_are_sorted_by_their_bytes_and_values_keep_their_order() {
        let record = |mapper: u32, key: &str, value: &str| (mapper, key.to_owned(), value.to_owned());
        let records = [
            record(1, "b", "1"),
            record(0, "b", "2"),
            record(1, "", "3"),
            record(0, "é", "4"),
            record(0, "zz", "5"),
            record(0, "b", "1"),
        ];
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let expect = vec![
            vec![pair("", "3"), pair("b", "2"), pair("b", "1"), pair("b", "1")],
            vec![pair("zz", "5"), pair("é", "4")],
        ];
        assert_eq!(sorted(&records, 1 << 20), (expect.clone(), 1));
        // Every record a run of its own, and an empty one at the end.
        assert_eq!(sorted(&records, 1), (expect, 7));
    }

    #[test]
    fn more_runs_than_can_be_read_at_once_are_merged_first() {
        let mut state = 7_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            state >> 16
        };
        let records: Vec<_> =
            (0..1000).map(|number| (next() % 3, format!("{}", next() % 50), number.to_string())).collect();
        let (in_memory, one) = sorted(&records, 1 << 20);
        let (in_runs, many) = sorted(&records, 200);
        assert_eq!(in_runs, in_memory);
        assert!(one == 1 && many > 1 && many <= MOST_MERGED, "{many}");
        let mut expect: Vec<_> = records.iter().filter(|(_, key, _)| key.len() == 1).cloned().collect();
        expect.sort_by(|one, other| (&one.1, one.0).cmp(&(&other.1, other.0)));
        let expect: Vec<_> = expect.into_iter().map(|(_, key, value)| (key, value)).collect();
        assert_eq!(in_memory[0], expect);
    }
}

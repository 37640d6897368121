//! Sorted records in files, and merging them.
//!
//! A run has the records of every reducer one after the other, each as three lengths (mapper, key, value) and its
//! bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use howdah_host::files::{self, File};

/// The numbers before the bytes of a record.
const HEAD: usize = 12;

/// Sorted records in a file.
#[derive(Clone, Debug)]
pub(super) struct Run {
    path: PathBuf,
    /// Where the records of each reducer begin, and at the end where those of the last one end, in bytes.
    bounds: Vec<u64>,
}

impl Run {
    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes a run, reducer by reducer.
#[derive(Debug)]
pub(super) struct RunWriter {
    path: PathBuf,
    output: BufWriter<File>,
    partitions: u32,
    /// As in [`Run`], for the reducers so far.
    bounds: Vec<u64>,
    written: u64,
}

impl RunWriter {
    /// Returns a run at `path` for so many reducers.
    pub(super) fn create(path: &Path, partitions: u32) -> io::Result<Self> {
        let output = BufWriter::with_capacity(1 << 18, files::create(path)?);
        Ok(Self { path: path.to_owned(), output, partitions, bounds: Vec::new(), written: 0 })
    }

    /// Adds a record; those of a reducer come sorted and before those of the next one.
    pub(super) fn write(&mut self, partition: u32, mapper: u32, key: &[u8], value: &[u8]) -> io::Result<()> {
        self.start_partition(partition);
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(io::Error::other);
        for number in [mapper, length(key)?, length(value)?] {
            self.output.write_all(&number.to_le_bytes())?;
        }
        self.output.write_all(key)?;
        self.output.write_all(value)?;
        self.written += (HEAD + key.len() + value.len()) as u64;
        Ok(())
    }

    /// Returns the finished run.
    pub(super) fn finish(mut self) -> io::Result<Run> {
        self.start_partition(self.partitions);
        self.output.flush()?;
        Ok(Run { path: self.path, bounds: self.bounds })
    }

    /// Records the start of every reducer up to this one.
    fn start_partition(&mut self, partition: u32) {
        while self.bounds.len() <= partition as usize {
            self.bounds.push(self.written);
        }
    }
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record {
    pub(super) key: Vec<u8>,
    pub(super) mapper: u32,
    /// Which of the merged runs it came from: decides between equal keys of one mapper.
    source: usize,
    pub(super) value: Vec<u8>,
}

/// The records of one reducer in several runs, in their order.
#[derive(Debug)]
pub(super) struct Merge {
    sources: Vec<Source>,
    heads: BinaryHeap<Reverse<Record>>,
    /// Records returned so far.
    pub(super) records: u64,
    /// Different keys among them.
    pub(super) groups: u64,
    last_key: Option<Vec<u8>>,
}

/// What is left of one run.
#[derive(Debug)]
struct Source {
    input: BufReader<File>,
    left: u64,
}

impl Merge {
    /// Opens the part of a reducer in every run.
    pub(super) fn of(runs: &[Run], partition: usize) -> io::Result<Self> {
        let heads = BinaryHeap::new();
        let mut merge = Self { sources: Vec::new(), heads, records: 0, groups: 0, last_key: None };
        for run in runs {
            let (start, end) = (run.bounds[partition], run.bounds[partition + 1]);
            if start == end {
                continue;
            }
            let mut file = files::open(&run.path)?;
            file.seek(SeekFrom::Start(start))?;
            merge.sources.push(Source { input: BufReader::with_capacity(1 << 16, file), left: end - start });
            merge.refill(merge.sources.len() - 1)?;
        }
        Ok(merge)
    }

    /// Checks whether there are no more records.
    pub(super) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Returns the next record.
    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        let Some(Reverse(record)) = self.heads.pop() else { return Ok(None) };
        self.refill(record.source)?;
        self.records += 1;
        if self.last_key.as_ref() != Some(&record.key) {
            self.groups += 1;
            self.last_key = Some(record.key.clone());
        }
        Ok(Some(record))
    }

    /// Reads the next record of a run, if it has one.
    fn refill(&mut self, source: usize) -> io::Result<()> {
        let Source { input, left } = &mut self.sources[source];
        if *left == 0 {
            return Ok(());
        }
        let mut number = || {
            let mut bytes = [0; 4];
            input.read_exact(&mut bytes).map(|()| u32::from_le_bytes(bytes))
        };
        let (mapper, key, value) = (number()?, number()? as usize, number()? as usize);
        let mut bytes = |length: usize| {
            let mut bytes = vec![0; length];
            input.read_exact(&mut bytes).map(|()| bytes)
        };
        let record = Record { key: bytes(key)?, mapper, source, value: bytes(value)? };
        *left = left.saturating_sub((HEAD + key + value) as u64);
        self.heads.push(Reverse(record));
        Ok(())
    }
}

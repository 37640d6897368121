//! The journal of starts: an append-only file beside the database with a line for each attempt that starts.
//!
//! A database that is put back to an older state reads there what began since. A line is written before the transaction
//! that stores the attempt, so before its command can start; without room for the line nothing starts. The line does
//! not wait for the disk: a power cut may take or damage those of the last seconds, and the next runner adds them again
//! from the database. One process writes at a time: the one that has the runner's lock. Must not depend on what a
//! restore does with the lines.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::environment::random_name;
use crate::files::{self, cannot_write};
use crate::found::Found;
use crate::ownership;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::start::{JournalMark, Start};

/// How much of the end of the journal a runner checks when it starts.
const CHECKED_END: u64 = 64 << 10;
/// The longest line that is read: a start names at most some dozens of jobs.
const LONGEST_LINE: u64 = 1 << 20;
/// Lines that are older are cut off, in days.
pub const KEPT_DAYS: i64 = 100;
/// A journal is cut when its first line is older: seldom, because what stays is copied.
const CUT_AT_DAYS: i64 = 2 * KEPT_DAYS;
/// Seconds.
const DAY: i64 = 86_400;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    journal: String,
    /// How many bytes of lines were cut off.
    dropped: u64,
}

/// What a journal is, apart from its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalExtent {
    /// Its random id.
    pub journal: String,
    /// The position of the first line that it has.
    pub first: u64,
    /// The position behind the last one.
    pub end: u64,
    /// The position of the last line that is damaged: something may have started with it.
    pub damaged: Option<u64>,
}

impl JournalExtent {
    /// Whether it has every line since `mark`.
    pub fn has_all_since(&self, mark: &JournalMark) -> bool {
        self.journal == mark.journal && (self.first..=self.end).contains(&mark.position)
    }
}

/// Adds lines; creates the file with a head when it is not there or empty. Nothing of them stays after a failure.
///
/// # Errors
/// H0103, H0111: then nothing may start.
pub fn append(path: &Path, starts: &[Start]) -> Result<(), Error> {
    let mut text = Vec::new();
    for start in starts {
        serde_json::to_writer(&mut text, start).expect("a start has only texts and numbers");
        text.push(b'\n');
    }
    add(path, text).map_err(|error| cannot_write(path, &error))
}

fn add(path: &Path, text: Vec<u8>) -> io::Result<()> {
    let mut file = files::append(path)?;
    let length = file.metadata()?.len();
    let mut content = Vec::new();
    if length == 0 {
        content = head_line(&Head { journal: random_name()?, dropped: 0 });
    } else if !ends_with_line(path, length)? {
        // A power cut left a part of a line.
        content.push(b'\n');
    }
    content.extend(text);
    file.write_all(&content).inspect_err(|_| {
        // What is left of it is no start.
        let _ = file.set_len(length);
    })
}

fn head_line(head: &Head) -> Vec<u8> {
    let mut line = serde_json::to_vec(head).expect("a head has only texts and numbers");
    line.push(b'\n');
    line
}

fn ends_with_line(path: &Path, length: u64) -> io::Result<bool> {
    let mut last = [0];
    files::open_plain(path)?.read_exact_at(&mut last, length - 1)?;
    Ok(last == *b"\n")
}

/// The end of the journal; `None` when there is none. H0110, H0113.
pub fn mark(path: &Path) -> Result<Option<JournalMark>, Error> {
    Ok(read(path, |_, _| Ok(()))?.map(|extent| JournalMark { journal: extent.journal, position: extent.end }))
}

/// The random id of the journal; `None` when there is none. H0110, H0113.
pub fn id(path: &Path) -> Result<Option<String>, Error> {
    let Some(mut reader) = open(path)? else { return Ok(None) };
    let head = read_head(&mut reader).map_err(|error| Error::with(ErrorCode::H0110, &[&path.display(), &error]))?;
    Ok(head.map(|(head, _)| head.journal))
}

/// Passes each line and its position to `take`, the oldest first; `None` when there is no journal. An empty line is
/// none.
///
/// # Errors
/// H0110 or H0113 when it cannot be read, and what `take` returns.
pub fn read(
    path: &Path,
    mut take: impl FnMut(u64, Start) -> Result<(), Error>,
) -> Result<Option<JournalExtent>, Error> {
    let Some(mut reader) = open(path)? else { return Ok(None) };
    let refuse = |error: &io::Error| Error::with(ErrorCode::H0110, &[&path.display(), error]);
    let Some((head, _)) = read_head(&mut reader).map_err(|error| refuse(&error))? else {
        return Err(refuse(&io::Error::other("it is no journal of starts")));
    };
    let (mut end, mut damaged, mut line) = (head.dropped, None, Vec::new());
    loop {
        line.clear();
        let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(|error| refuse(&error))?;
        if length == 0 {
            return Ok(Some(JournalExtent { journal: head.journal, first: head.dropped, end, damaged }));
        }
        let position = end;
        end += length as u64;
        match serde_json::from_slice(&line) {
            Ok(start) => take(position, start)?,
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(_) => damaged = Some(position),
        }
    }
}

/// Whether the end of the journal has the line of an attempt, and no damaged one; also when there is no journal. H0110,
/// H0113.
pub fn ends_well(path: &Path, token: &str) -> Result<bool, Error> {
    let Some(mut reader) = open(path)? else { return Ok(true) };
    let end = last_lines(&mut reader).map_err(|error| Error::with(ErrorCode::H0110, &[&path.display(), &error]))?;
    let lines = || end.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let is_whole = |line: &[u8]| serde_json::from_slice::<Start>(line).is_ok();
    let has_token = |line: &[u8]| serde_json::from_slice::<Start>(line).is_ok_and(|start| start.token == token);
    Ok(lines().any(has_token) && lines().all(is_whole))
}

/// The last lines, from the beginning of one on; without the head.
fn last_lines(reader: &mut BufReader<File>) -> io::Result<Vec<u8>> {
    let length = reader.get_ref().metadata()?.len();
    // The first line may be only the end of one, or the head.
    reader.seek(SeekFrom::Start(length.saturating_sub(CHECKED_END)))?;
    let mut end = Vec::new();
    reader.read_until(b'\n', &mut end)?;
    end.clear();
    reader.read_to_end(&mut end)?;
    Ok(end)
}

/// Adds the lines that a power cut has taken, and empties those that it has damaged: the caller, who has the runner's
/// lock, knows from the database what began with them.
///
/// # Errors
/// H0103, H0110, H0111: then it is to be done again.
pub fn mend(path: &Path, lost: &[Start]) -> Result<(), Error> {
    append(path, lost)?;
    let Some(mut reader) = open(path)? else { return Ok(()) };
    let file = files::open_to_change(path).map_err(|error| cannot_write(path, &error))?;
    empty_damaged(&mut reader, &file).map_err(|error| cannot_write(path, &error))
}

fn empty_damaged(reader: &mut BufReader<File>, file: &File) -> io::Result<()> {
    let Some((_, mut offset)) = read_head(reader)? else { return Ok(()) };
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        if serde_json::from_slice::<Start>(&line).is_err() {
            let end = usize::from(line.ends_with(b"\n"));
            file.write_all_at(&vec![b' '; length - end], offset)?;
        }
        offset += length as u64;
    }
}

fn open(path: &Path) -> Result<Option<BufReader<File>>, Error> {
    let opened = files::open_plain(path).and_then(|file| ownership::check_open(&file).map(|()| file));
    Ok(Found::of(path, opened).known()?.map(BufReader::new))
}

/// The head and its length; `None` when the first line is none.
fn read_head(reader: &mut BufReader<File>) -> io::Result<Option<(Head, u64)>> {
    let mut line = Vec::new();
    let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line).ok().map(|head| (head, length as u64)))
}

/// Cuts off the lines that are older than [`KEPT_DAYS`], once the first one is twice as old. The caller has the
/// runner's lock.
///
/// # Errors
/// H0110, H0111: then the journal stays as it is.
pub fn cut(path: &Path, now: i64) -> Result<(), Error> {
    let Some(mut reader) = open(path)? else { return Ok(()) };
    cut_open(path, &mut reader, now).map_err(|error| cannot_write(path, &error))
}

fn cut_open(path: &Path, reader: &mut BufReader<File>, now: i64) -> io::Result<()> {
    let Some((mut head, mut offset)) = read_head(reader)? else { return Ok(()) };
    let (start, mut line, mut is_first) = (offset, Vec::new(), true);
    loop {
        line.clear();
        let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        let read: Option<Start> = serde_json::from_slice(&line).ok();
        let age = read.map(|start| now - start.at);
        let limit = if is_first { CUT_AT_DAYS } else { KEPT_DAYS } * DAY;
        if length == 0 || age.is_some_and(|age| age < limit) {
            break;
        }
        is_first = false;
        offset += length as u64;
    }
    if offset == start {
        return Ok(());
    }
    head.dropped += offset - start;
    let part = beside(path);
    let _ = files::remove(&part);
    let mut copy = files::append(&part)?;
    copy.write_all(&head_line(&head))?;
    reader.seek(SeekFrom::Start(offset))?;
    io::copy(reader, &mut copy)?;
    copy.sync_all()?;
    fs::rename(&part, path)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::model::start::StartedJob;

    fn start(at: i64, token: &str) -> Start {
        let job = StartedJob { parent: None, parent_run: 0, job: "W".to_owned(), run: 0, life: "l".to_owned() };
        let (node, folder) = ("n".to_owned(), "0-1".to_owned());
        Start { at, jobs: vec![job], bundle: None, node, number: 1, token: token.to_owned(), folder }
    }

    fn tokens(path: &Path) -> (Vec<String>, JournalExtent) {
        let mut tokens = Vec::new();
        let extent = read(path, |_, start| {
            tokens.push(start.token);
            Ok(())
        });
        (tokens, extent.unwrap().unwrap())
    }

    #[test]
    fn lines_are_added_and_a_part_of_one_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.starts");
        assert_eq!(mark(&path).unwrap(), None);
        append(&path, &[start(1, "a"), start(1, "b")]).unwrap();
        let before = mark(&path).unwrap().unwrap();
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"at\":1,\"jo").unwrap();
        append(&path, &[start(2, "c")]).unwrap();
        let (read, extent) = tokens(&path);
        assert_eq!(read, ["a", "b", "c"]);
        assert_eq!(extent.damaged, Some(before.position));
        assert!(extent.has_all_since(&before) && extent.first == 0);
        assert!(!extent.has_all_since(&JournalMark { journal: "x".to_owned(), ..before.clone() }));
        assert!(!extent.has_all_since(&JournalMark { position: extent.end + 1, ..before }));
    }

    #[test]
    fn what_a_power_cut_has_taken_is_added_and_what_it_has_damaged_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.starts");
        assert!(ends_well(&path, "a").unwrap(), "there is no journal");
        append(&path, &[start(1, "a"), start(1, "b"), start(1, "c")]).unwrap();
        let whole = mark(&path).unwrap().unwrap();
        assert!(ends_well(&path, "c").unwrap() && !ends_well(&path, "d").unwrap());
        let mut bytes = fs::read(&path).unwrap();
        let lines: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
        // The line of b and the end of that of a are zeros, that of c is gone.
        bytes[lines[1] - 5..lines[2] - 1].fill(0);
        bytes.truncate(lines[2] - 1);
        fs::write(&path, bytes).unwrap();
        assert!(!ends_well(&path, "a").unwrap());
        assert_eq!((tokens(&path).0, tokens(&path).1.damaged.is_some()), (Vec::new(), true));
        mend(&path, &[start(2, "a"), start(2, "b"), start(2, "c")]).unwrap();
        let (read, extent) = tokens(&path);
        assert_eq!((read, extent.damaged), (["a", "b", "c"].map(str::to_owned).to_vec(), None));
        assert!(extent.has_all_since(&whole) && ends_well(&path, "c").unwrap());
    }

    #[test]
    fn only_what_is_old_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.starts");
        let now = 1000 * DAY;
        append(&path, &[start(now - 150 * DAY, "a"), start(now - 10 * DAY, "b")]).unwrap();
        let before = mark(&path).unwrap().unwrap();
        cut(&path, now).unwrap();
        assert_eq!(tokens(&path).0, ["a", "b"], "the first line is not old enough for a cut");
        let later = now + 60 * DAY;
        cut(&path, later).unwrap();
        let (read, extent) = tokens(&path);
        assert_eq!(read, ["b"]);
        assert_eq!((extent.first > 0, extent.end), (true, before.position));
        assert!(extent.has_all_since(&before) && !extent.has_all_since(&JournalMark { position: 0, ..before }));
        append(&path, &[start(later, "c")]).unwrap();
        assert_eq!(tokens(&path).0, ["b", "c"]);
    }
}

//! The inputs of a streaming job: which files they are, how they are divided among mappers, and the records of a
//! division.
//!
//! Follows Hadoop's `FileInputFormat`: an input is a file, a folder of files or a pattern of either; names that start
//! with `_` or `.` are ignored; the largest division comes first; every file has a mapper, an empty one too.

use std::cmp::Reverse;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::record::Lines;
use super::server_file::ServerFile;
use super::settings::refused;
use super::task::Tasks;
use super::work::Recursion;
use crate::blocked::{because, because_of};
use crate::failure::Failure;
use crate::file_operation::{Done, Limits};
use howdah_host::located::{Kind, Located};

/// Largest division of a file, in bytes.
const LARGEST: u64 = 128 << 20;
/// How far below a named folder files are looked for.
const DEEPEST: usize = 32;
/// Compressed files that only Hadoop can read.
const FOREIGN: [&str; 6] = ["bz2", "deflate", "lz4", "lzo", "snappy", "zst"];

/// What one mapper reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) path: Located,
    pub(super) start: u64,
    pub(super) length: u64,
    /// When a file of a server was last changed.
    pub(super) modified: Option<i64>,
}

/// Returns the divisions of all inputs, in the order of their mappers. A failure when a place does not exist.
pub(super) fn find(inputs: &[Located], descent: Recursion, limits: &Limits) -> Done<Vec<Split>> {
    let mut splits = Vec::new();
    for place in inputs {
        let mut found = limits.expand(place)?;
        found.retain(|path| is_visible(path.path()));
        if found.is_empty() {
            let shown = place.shown();
            return Err(refused(&if place.is_pattern() {
                format!("Input Pattern {shown} matches 0 files")
            } else {
                format!("Input path does not exist: {shown}")
            }));
        }
        for path in found {
            let unreadable = |error| unreadable(&path, &error);
            match path.kind().map_err(unreadable)? {
                Kind::Directory => add_folder(&path, descent, DEEPEST, &mut splits)?,
                Kind::File => divide(&path, LARGEST, &mut splits).map_err(unreadable)?,
                Kind::Missing => return Err(refused(&format!("Input path does not exist: {}", path.shown()))),
            }
        }
    }
    splits.sort_by_key(|split| Reverse(split.length));
    Ok(splits)
}

fn unreadable(path: &Located, error: &io::Error) -> Failure {
    because(refused(&format!("{}: {error}", path.shown())), error)
}

fn add_folder(folder: &Located, descent: Recursion, depth: usize, splits: &mut Vec<Split>) -> Done {
    for path in folder.entries().map_err(|error| because_of(refused(error.message()), &error))? {
        let unreadable = |error| unreadable(&path, &error);
        match path.kind().map_err(unreadable)? {
            _ if !is_visible(path.path()) => {}
            Kind::Directory if descent == Recursion::All && depth > 0 => add_folder(&path, descent, depth - 1, splits)?,
            Kind::Directory => return Err(refused(&format!("Not a file: {}", path.shown()))),
            Kind::File => divide(&path, LARGEST, splits).map_err(unreadable)?,
            // A link without a target.
            Kind::Missing => return Err(refused(&format!("Input path does not exist: {}", path.shown()))),
        }
    }
    Ok(())
}

fn is_visible(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    !name.starts_with(['_', '.'])
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Adds the divisions of a file; a compressed one can only be read from its start.
fn divide(path: &Located, largest: u64, splits: &mut Vec<Split>) -> io::Result<()> {
    let extension = extension(path.path());
    if FOREIGN.contains(&extension.as_str()) {
        return Err(io::Error::other(format!("of compressed files only .gz is read here, not .{extension}")));
    }
    let (size, modified) = path.file_state()?.unwrap_or_default();
    // A server sends a file from its start.
    let is_whole = extension == "gz" || path.here().is_none();
    let largest = if is_whole { u64::MAX } else { largest };
    let mut start = 0;
    loop {
        let length = (size - start).min(largest);
        splits.push(Split { path: path.clone(), start, length, modified });
        start += length;
        if start >= size {
            return Ok(());
        }
    }
}

/// The lines of a split: those that begin in it, or right at its end.
pub(super) struct Records<'a> {
    lines: Lines<Box<dyn BufRead + 'a>>,
    position: u64,
    end: u64,
    /// Bytes read so far.
    pub(super) read: u64,
}

impl<'a> Records<'a> {
    /// Opens a split of a plain file: a pipe could block its mapper forever. The first line of one that does not begin
    /// its file belongs to the split before.
    pub(super) fn open(split: &'a Split, tasks: &'a Tasks) -> io::Result<Self> {
        let file: Box<dyn Read + 'a> = match split.path.here() {
            Some(_) => split.path.open(split.start)?,
            None => Box::new(ServerFile::of(&split.path, (split.length, split.modified), tasks)),
        };
        if extension(split.path.path()) == "gz" {
            let input = BufReader::with_capacity(1 << 17, MultiGzDecoder::new(file));
            return Ok(Self { lines: Lines::of(Box::new(input)), position: 0, end: u64::MAX, read: 0 });
        }
        let lines = Lines::of(Box::new(BufReader::with_capacity(1 << 17, file)) as Box<dyn BufRead + 'a>);
        let mut records = Self { lines, position: split.start, end: split.start + split.length, read: 0 };
        if split.start > 0 {
            records.position += records.lines.next(&mut Vec::new())?;
        }
        Ok(records)
    }

    /// Puts the next line into `line`; `false` when there is none.
    pub(super) fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        // The reader of the next split skips a line that starts right at the end.
        if self.position > self.end {
            return Ok(false);
        }
        let taken = self.lines.next(line)?;
        self.position += taken;
        self.read += taken;
        Ok(taken > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::testing::{Sandbox, here};
    use howdah_host::files;

    fn found(sandbox: &Sandbox, input: &str, descent: Recursion) -> String {
        let place = here(&sandbox.store.to_string_lossy()).join(input);
        let limits = Limits::from(&sandbox.context());
        let text = match find(&[place], descent, &limits) {
            Ok(splits) => splits.iter().map(|split| split.path.shown().to_owned()).collect::<Vec<_>>().join(" "),
            Err(failure) => failure.message,
        };
        text.replace(&format!("{}/", sandbox.store.display()), "")
    }

    #[test]
    fn inputs_are_files_folders_and_patterns() {
        let sandbox = Sandbox::new();
        for (path, content) in [
            ("in/a", "12"),
            ("in/b", "123"),
            ("in/empty", ""),
            ("in/_logs", "no"),
            ("in/.hidden", "no"),
            ("deep/x/y/c", "1"),
            ("deep/d", "12"),
            ("bad/a.bz2", ""),
        ] {
            sandbox.write(&format!("store/{path}"), content);
        }
        for (input, descent, expect) in [
            ("in", Recursion::Refused, "in/b in/a in/empty"),
            ("in/a", Recursion::Refused, "in/a"),
            ("in/[ab]", Recursion::Refused, "in/b in/a"),
            ("in/*", Recursion::Refused, "in/b in/a in/empty"),
            ("deep", Recursion::Refused, "Not a file: deep/x"),
            ("deep", Recursion::All, "deep/d deep/x/y/c"),
            ("none", Recursion::All, "Input path does not exist: none"),
            ("in/_logs", Recursion::All, "Input path does not exist: in/_logs"),
            ("in/z*", Recursion::All, "Input Pattern in/z* matches 0 files"),
            ("bad", Recursion::All, "bad/a.bz2: of compressed files only .gz is read here, not .bz2"),
        ] {
            assert_eq!(found(&sandbox, input, descent), expect, "{input}");
        }
    }

    fn lines(splits: &[Split]) -> Vec<String> {
        let (mut lines, tasks) = (Vec::new(), Tasks::of_test());
        for split in splits {
            let mut records = Records::open(split, &tasks).unwrap();
            let mut line = Vec::new();
            while records.next(&mut line).unwrap() {
                lines.push(String::from_utf8(line.clone()).unwrap());
            }
        }
        lines
    }

    #[test]
    fn every_line_of_a_divided_file_is_read_once() {
        let sandbox = Sandbox::new();
        let text = "one\ntwo\r\n\nfour\rfive\n\r\nseven";
        let path = here(&sandbox.write("store/in", text).to_string_lossy());
        let expect = ["one", "two", "", "four", "five", "", "seven"];
        for largest in 1..=text.len() as u64 {
            let mut splits = Vec::new();
            divide(&path, largest, &mut splits).unwrap();
            assert_eq!(splits.iter().map(|split| split.length).sum::<u64>(), text.len() as u64);
            assert_eq!(lines(&splits), expect, "{largest}");
        }
    }

    #[test]
    fn other_files_than_plain_ones_are_refused_at_once() {
        for path in ["/dev/null", "/dev/zero"] {
            let split = Split { path: here(path), start: 0, length: 0, modified: None };
            let refused = Records::open(&split, &Tasks::of_test()).err().expect("a device is no input");
            assert_eq!(refused.to_string(), "it is no regular file", "{path}");
        }
    }

    #[test]
    fn compressed_files_are_read_whole() {
        let sandbox = Sandbox::new();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"a\nb\n").unwrap();
        let path = sandbox.write("store/in.gz", "");
        files::write(&path, &encoder.finish().unwrap()).unwrap();
        let mut splits = Vec::new();
        divide(&here(&path.to_string_lossy()), 3, &mut splits).unwrap();
        assert_eq!(lines(&splits), ["a", "b"]);
    }
}

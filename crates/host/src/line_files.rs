//! A folder or a zip archive of text files, read line by line with limits. Must not depend on what the lines mean.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use super::files;
use howdah_words::error::{Error, ErrorCode, Result};

/// The most bytes of one line.
pub const LONGEST_LINE: usize = 64 << 20;
/// The most bytes of one file, unpacked.
const MOST_BYTES: u64 = 256 << 30;

/// The files.
pub struct LineFiles {
    path: PathBuf,
    source: Source,
}

enum Source {
    Folder,
    Archive(Box<zip::ZipArchive<BufReader<File>>>),
}

impl LineFiles {
    /// Opens a folder, or a zip archive.
    ///
    /// # Errors
    /// H0190 when there is nothing, or it is neither of the two; H0113 when the machine cannot tell.
    pub fn open(path: &Path) -> Result<Self> {
        let refuse = |why: &dyn std::fmt::Display| Error::with(ErrorCode::H0190, &[&path.display(), why]);
        let source = match files::look(path)? {
            None => return Err(refuse(&"there is nothing")),
            Some(files::Entry::Folder) => Source::Folder,
            Some(files::Entry::File | files::Entry::Other) => {
                let file = files::open_regular(path).map_err(|error| refuse(&error))?;
                let archive = zip::ZipArchive::new(BufReader::new(file));
                Source::Archive(Box::new(archive.map_err(|error| refuse(&format!("it is no zip archive: {error}")))?))
            }
        };
        Ok(Self { path: path.to_owned(), source })
    }

    /// Opens the same files for another thread.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn again(&self) -> Result<Self> {
        Self::open(&self.path)
    }

    /// Returns the refusal of a source that lacks something.
    pub fn refuse(&self, why: &str) -> Error {
        Error::with(ErrorCode::H0190, &[&self.path.display(), &why])
    }

    /// Opens one file for reading; `None` when there is none of that name. In an archive it may be in a folder.
    ///
    /// # Errors
    /// H0190 when it cannot be read.
    pub fn lines(&mut self, name: &str) -> Result<Option<Lines<'_>>> {
        let refuse = |why: &dyn std::fmt::Display| Error::with(ErrorCode::H0190, &[&self.path.display(), why]);
        let input: Box<dyn Read + Send + '_> = match &mut self.source {
            Source::Folder => {
                let path = self.path.join(name);
                if files::look(&path)?.is_none() {
                    return Ok(None);
                }
                Box::new(files::open_regular(&path).map_err(|error| refuse(&format!("{name}: {error}")))?)
            }
            Source::Archive(archive) => {
                let is_it = |entry: &&str| entry.rsplit('/').next() == Some(name);
                let Some(entry) = archive.file_names().find(is_it).map(str::to_owned) else { return Ok(None) };
                Box::new(archive.by_name(&entry).map_err(|error| refuse(&format!("{name}: {error}")))?)
            }
        };
        Ok(Some(Lines { input: BufReader::with_capacity(1 << 18, input.take(MOST_BYTES)), number: 0, read: 0 }))
    }
}

/// The lines of a file, without blank ones.
pub struct Lines<'a> {
    input: BufReader<io::Take<Box<dyn Read + Send + 'a>>>,
    /// The number of the last line that was read, from 1.
    pub number: u64,
    read: u64,
}

impl Lines<'_> {
    /// Reads the next line into `line`, without its end; returns whether there was one.
    ///
    /// # Errors
    /// A failure of the machine, damaged data, or a limit that is exceeded; nothing can be read after it.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            line.clear();
            let read = self.input.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', line)?;
            if read == 0 {
                let at_limit = self.read >= MOST_BYTES;
                let limit = || io::Error::other(format!("the file has more than {MOST_BYTES} bytes"));
                return if at_limit { Err(limit()) } else { Ok(false) };
            }
            self.read += read as u64;
            self.number += 1;
            if line.len() > LONGEST_LINE {
                return Err(io::Error::other(format!("the line has more than {LONGEST_LINE} bytes")));
            }
            while line.last().is_some_and(u8::is_ascii_whitespace) {
                line.pop();
            }
            if !line.is_empty() {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read(files: &mut LineFiles, name: &str) -> Option<Result<Vec<(u64, String)>, String>> {
        let mut lines = files.lines(name).unwrap()?;
        let (mut found, mut line) = (Vec::new(), Vec::new());
        Some(loop {
            match lines.next(&mut line) {
                Ok(true) => found.push((lines.number, String::from_utf8(line.clone()).unwrap())),
                Ok(false) => break Ok(found),
                Err(error) => break Err(error.to_string()),
            }
        })
    }

    #[test]
    fn folders_and_archives_have_the_same_lines() {
        let folder = tempfile::tempdir().unwrap();
        let content = b"one\n\n two \r\nthree";
        let archive = folder.path().join("x.zip");
        fs::write(&archive, zip(&[("sub/rows.json", content), ("empty.json", b"")])).unwrap();
        fs::write(folder.path().join("rows.json"), content).unwrap();
        fs::write(folder.path().join("empty.json"), "").unwrap();
        for path in [folder.path(), &archive] {
            let mut files = LineFiles::open(path).unwrap();
            let lines = read(&mut files, "rows.json").unwrap().unwrap();
            let expect = [(1, "one"), (3, " two"), (4, "three")].map(|(number, text)| (number, text.to_owned()));
            assert_eq!(lines, expect, "{}", path.display());
            assert_eq!(read(&mut files, "empty.json"), Some(Ok(Vec::new())));
            assert_eq!(read(&mut files, "none.json"), None);
        }
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.zip");
        let refused = |path: &Path| LineFiles::open(path).err().map(|error| error.code());
        assert_eq!(refused(&file), Some(ErrorCode::H0190));
        fs::write(&file, "no archive").unwrap();
        assert_eq!(refused(&file), Some(ErrorCode::H0190));
    }

    #[test]
    fn a_bomb_and_damage_end_the_reading() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.zip");
        let mut archive = zip(&[("long.json", &vec![b'x'; LONGEST_LINE + 1])]);
        fs::write(&file, &archive).unwrap();
        let reported = read(&mut LineFiles::open(&file).unwrap(), "long.json").unwrap().unwrap_err();
        assert!(reported.contains("more than"), "{reported}");
        let middle = archive.len() / 2;
        archive[middle] ^= 0xff;
        fs::write(&file, &archive).unwrap();
        assert!(read(&mut LineFiles::open(&file).unwrap(), "long.json").unwrap().is_err());
    }
}

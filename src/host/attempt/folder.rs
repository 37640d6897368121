//! The files of an attempt's folder, read as the word of a stranger.
//!
//! The folder may belong to another user than the process that reads it. Then a name must not lead out of it, a file must
//! be a plain one, and its owner says who wrote it: the order is believed only when this process wrote it itself, the
//! outputs only when the folder's owner did. Must never know what a file says.

use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;
use serde::de::DeserializeOwned;

use super::LARGEST;
use crate::error::{Error, ErrorCode};
use crate::host::account::{self, Writer};
use crate::host::files::{self, File};

/// The order of the attempt; it stays the property of who gave it, so that nobody can give another.
pub(super) const ORDER: &str = "attempt.json";
/// What the command prints.
pub(crate) const STANDARD_OUTPUT: &str = "stdout";
/// What it complains of.
pub(crate) const STANDARD_ERROR: &str = "stderr";

/// The files of an attempt's output, for `log` and `explain`: standard output, standard error.
pub(crate) fn output_files(folder: &Path) -> [PathBuf; 2] {
    [folder.join(STANDARD_OUTPUT), folder.join(STANDARD_ERROR)]
}

/// Reads at most the first `limit` bytes of the file `name` that the work has left in its folder.
/// Fails for a name with more than one step, for a link, a pipe and the like, and for another user's file.
pub(crate) fn read_start_of(folder: &Path, name: &str, limit: u64) -> io::Result<Vec<u8>> {
    files::start_of(open(folder, name, Writer::Owner)?, limit)
}

/// As [`read_start_of`], at most the last `limit` bytes.
pub(crate) fn read_end_of(folder: &Path, name: &str, limit: usize) -> io::Result<Vec<u8>> {
    files::end_of(&open(folder, name, Writer::Owner)?, limit)
}

/// As [`read_start_of`], of a file that this process may have written too.
pub(super) fn read_start_of_any(folder: &Path, name: &str, limit: u64) -> io::Result<Vec<u8>> {
    files::start_of(open(folder, name, Writer::Either)?, limit)
}

/// The content of a protocol file, or why it has none; `None` when there is no such file. What somebody else has put in its
/// place is a damaged file. H0110 when it cannot be read.
pub(super) fn read_json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<Result<T, String>>, Error> {
    let writer = if name == ORDER { Writer::Reader } else { Writer::Either };
    match open(folder, name, writer).and_then(|file| files::start_of(file, LARGEST)) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).map_err(|error| place_of(&error)))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Some(Err(error.to_string()))),
        Err(error) => Err(Error::with(ErrorCode::H0110, &[&folder.join(name).display(), &error])),
    }
}

/// Where a text is not what it should be. The words of the parser would quote it, and it may be another file's.
fn place_of(error: &serde_json::Error) -> String {
    let what = if error.is_eof() { "it ends too early" } else { "it has no such content" };
    format!("{what} (line {}, column {})", error.line(), error.column())
}

/// Opens the file `name`; `InvalidData` when it is not what `writer` has written there.
fn open(folder: &Path, name: &str, writer: Writer) -> io::Result<File> {
    let planted = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut steps = Path::new(name).components();
    if !matches!((steps.next(), steps.next()), (Some(Component::Normal(step)), None) if step == name) {
        return Err(planted(format!("[{name}] is no name of a file")));
    }
    let file = files::open_plain(&folder.join(name)).map_err(|error| match error.raw_os_error() {
        None => planted(error.to_string()),
        Some(code) if code == Errno::LOOP.raw_os_error() || code == Errno::NXIO.raw_os_error() => {
            planted("a link or a socket is in its place".to_owned())
        }
        Some(_) => error,
    })?;
    if account::has_written(writer, &file, folder)? {
        Ok(file)
    } else {
        Err(planted("it is another user's".to_owned()))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs;
    use std::os::unix::fs::{chown, symlink};

    use super::*;

    fn check(folder: &Path, name: &str, expect: Option<&str>) {
        let read = [read_start_of(folder, name, 9), read_end_of(folder, name, 9)];
        for read in read {
            let got = read.ok().map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(got.as_deref(), expect, "{name}");
        }
    }

    #[test]
    fn only_plain_names_of_plain_files_are_read() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("attempt");
        fs::create_dir_all(folder.join("work")).unwrap();
        for path in ["attempt/stdout", "attempt/work/log", "secret"] {
            fs::write(top.path().join(path), "text").unwrap();
        }
        symlink(top.path().join("secret"), folder.join("link")).unwrap();
        check(&folder, "stdout", Some("text"));
        let secret = top.path().join("secret");
        for name in
            ["link", "../secret", secret.to_str().unwrap(), "work/log", "./stdout", "stdout/", "work", ".", "", "none"]
        {
            check(&folder, name, None);
        }
        let linked: Result<(), String> = read_json(&folder, "link").unwrap().unwrap();
        assert_eq!(linked, Err("a link or a socket is in its place".to_owned()));
        assert!(read_json::<()>(&folder, "none").unwrap().is_none());
    }

    #[test]
    fn a_damaged_file_is_not_quoted() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("claim"), "\"secret\"").unwrap();
        let read: Result<u8, String> = read_json(folder.path(), "claim").unwrap().unwrap();
        assert!(!read.unwrap_err().contains("secret"));
    }

    #[test]
    fn the_owner_of_a_file_says_who_wrote_it() {
        if !account::is_root() {
            return;
        }
        let top = tempfile::tempdir().unwrap();
        let folder = top.path();
        for (name, owner) in
            [("stdout", 4_000_000), ("roots", 0), (ORDER, 4_000_000), ("claim", 0), ("exit", 4_000_001)]
        {
            fs::write(folder.join(name), "1").unwrap();
            chown(folder.join(name), Some(owner), None).unwrap();
        }
        chown(folder, Some(4_000_000), None).unwrap();
        check(folder, "stdout", Some("1"));
        check(folder, "roots", None);
        let read = |name| read_json::<u8>(folder, name).unwrap().unwrap();
        let foreign = Err("it is another user's".to_owned());
        assert_eq!([read(ORDER), read("claim"), read("exit")], [foreign.clone(), Ok(1), foreign]);
        chown(folder.join(ORDER), Some(0), None).unwrap();
        assert_eq!(read(ORDER), Ok(1));
    }
}

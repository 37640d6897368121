//! Writes the files of an attempt's folder, and reads them as untrusted input.
//!
//! The folder may belong to another user than the process that reads it. Then a name must not lead out of it, a file
//! must be a regular one, and its owner shows who wrote it: the order is trusted only when this process wrote it, the
//! outputs only when the folder's owner did. Must not depend on the content of a file.

use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;

use howdah_words::error::Error;

use crate::fault::failing_point;
use crate::files::{self, File};
use crate::found::Found;
use crate::handover::{self, Writer};
use crate::metadata;

/// The order of the attempt. It stays the property of the user who wrote it, so that no other user can replace it.
pub(super) const ORDER: &str = "attempt.json";
/// The identity of the command; at its end the file becomes the outcome.
pub(super) const PROCESS: &str = "process";
/// The standard output of the command.
pub const STANDARD_OUTPUT: &str = "stdout";
/// The standard error of the command.
pub const STANDARD_ERROR: &str = "stderr";

/// The files of an attempt's output, for `log` and `explain`: standard output, standard error.
pub fn output_files(folder: &Path) -> [PathBuf; 2] {
    [folder.join(STANDARD_OUTPUT), folder.join(STANDARD_ERROR)]
}

/// The end of the name of the folder that has the folders of all attempts.
const TREE: &str = ".runs";

/// Returns the folder of all attempts when it is not there itself; `None` when it is there, or the attempt's folder is.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub(super) fn missing_tree(folder: &Path) -> Result<Option<&Path>, Error> {
    let name = |path: &&Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(TREE.as_bytes()));
    let Some(tree) = folder.ancestors().skip(1).find(name) else { return Ok(None) };
    let is_away = |path: &Path| metadata::of(path).known().map(|found| found.is_none());
    Ok((is_away(folder)? && is_away(tree)?).then_some(tree))
}

/// The most bytes of an order that are read; the work may contain a whole configuration.
const LARGEST_ORDER: u64 = 64 << 20;
/// The most bytes of any other protocol file; a shim writes far less.
const LARGEST: u64 = 64 << 10;

/// Reads at most the first `limit` bytes of the file `name` that the work has left in its folder. A name with more than
/// one step, a link, a pipe or another special file, a file of another user and a file that its owner made unreadable
/// count as absent.
pub fn read_start_of(folder: &Path, name: &str, limit: u64) -> Found<Vec<u8>> {
    left_behind(folder, name, open(folder, name, Writer::Owner).and_then(|file| files::start_of(file, limit)))
}

/// As [`read_start_of`], at most the last `limit` bytes.
pub fn read_end_of(folder: &Path, name: &str, limit: usize) -> Found<Vec<u8>> {
    left_behind(folder, name, open(folder, name, Writer::Owner).and_then(|file| files::end_of(&file, limit)))
}

/// As [`read_start_of`], for a file that this process may have written too.
pub fn read_start_of_any(folder: &Path, name: &str, limit: u64) -> Found<Vec<u8>> {
    left_behind(folder, name, open(folder, name, Writer::Either).and_then(|file| files::start_of(file, limit)))
}

/// Converts the result for a file that the work may have left, planted or made unreadable.
fn left_behind(folder: &Path, name: &str, read: io::Result<Vec<u8>>) -> Found<Vec<u8>> {
    let read = failing_point("read-output").and(read);
    match read {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::PermissionDenied) => {
            Found::Absent
        }
        read => Found::of(&folder.join(name), read),
    }
}

/// The content of a protocol file, or why it is not valid; absent when there is no such file. A file that another user
/// has put there, and one longer than any shim writes, counts as damaged.
pub(super) fn read_json<T: DeserializeOwned>(folder: &Path, name: &str) -> Found<Result<T, String>> {
    let (writer, limit, point) = match name {
        ORDER => (Writer::Reader, LARGEST_ORDER, "read-order"),
        _ => (Writer::Either, LARGEST, "read-protocol"),
    };
    let read = failing_point(point).and_then(|()| open(folder, name, writer));
    match read.and_then(|file| files::start_of(file, limit + 1)) {
        Ok(bytes) if bytes.len() as u64 > limit => Found::Present(Err(format!("it is larger than {limit} bytes"))),
        Ok(bytes) => Found::Present(serde_json::from_slice(&bytes).map_err(|error| place_of(&error))),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Found::Present(Err(error.to_string())),
        read => Found::of(&folder.join(name), read.map(|_| Err(String::new()))),
    }
}

/// The position of an error. The message of the parser would quote the text, which may be another file's.
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
    if handover::has_written(writer, &file, folder)? {
        Ok(file)
    } else {
        Err(planted("it is another user's".to_owned()))
    }
}

/// Replaces a protocol file. H0103, H0111.
pub(super) fn write_json(path: &Path, content: &impl Serialize) -> Result<(), Error> {
    files::write_atomically(path, &to_json(content))
}

/// The content of a protocol file.
pub(super) fn to_json(content: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(content).expect("protocol files hold only maps with text keys")
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs;
    use std::os::unix::fs::{chown, symlink};

    use super::*;
    use howdah_tier as tier;

    fn check(folder: &Path, name: &str, expect: Option<&str>) {
        let read = [read_start_of(folder, name, 9), read_end_of(folder, name, 9)];
        for read in read {
            let got = read.known().unwrap().map(|bytes| String::from_utf8(bytes).unwrap());
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
        let linked: Result<(), String> = read_json(&folder, "link").known().unwrap().unwrap();
        assert_eq!(linked, Err("a link or a socket is in its place".to_owned()));
        assert_eq!(read_json::<()>(&folder, "none"), Found::Absent);
    }

    #[test]
    fn a_damaged_file_is_not_quoted() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("claim"), "\"secret\"").unwrap();
        let read: Result<u8, String> = read_json(folder.path(), "claim").known().unwrap().unwrap();
        assert!(!read.unwrap_err().contains("secret"));
    }

    #[test]
    fn no_more_is_read_than_a_shim_writes() {
        let folder = tempfile::tempdir().unwrap();
        for (name, expect) in [("exit", Err(format!("it is larger than {LARGEST} bytes"))), (ORDER, Ok(7))] {
            let blanks = " ".repeat(usize::try_from(LARGEST).unwrap());
            fs::write(folder.path().join(name), format!("{blanks}7")).unwrap();
            assert_eq!(read_json::<u8>(folder.path(), name), Found::Present(expect), "{name}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_queried_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        // A name that every file system refuses simulates one that does not answer.
        let folder = folder.path().join("x".repeat(300));
        assert!(matches!(read_json::<u8>(&folder, "exit"), Found::Unknown(_)));
        assert!(matches!(read_start_of(&folder, "stdout", 1), Found::Unknown(_)));
    }

    #[test]
    fn the_owner_of_a_file_says_who_wrote_it() {
        if !tier::root("it works for a user who does not exist") {
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
        let read = |name| read_json::<u8>(folder, name).known().unwrap().unwrap();
        let foreign = Err("it is another user's".to_owned());
        assert_eq!([read(ORDER), read("claim"), read("exit")], [foreign.clone(), Ok(1), foreign]);
        chown(folder.join(ORDER), Some(0), None).unwrap();
        assert_eq!(read(ORDER), Ok(1));
    }
}

//! Unpacks archives. As in Hadoop, the name decides the kind of an archive. Must not depend on actions.
//!
//! Writes nothing outside the target folder, whatever names the entries have, and no more than [`Budget`] allows,
//! whatever size the archive claims.

use std::cell::Cell;
use std::fs::{self, File, Permissions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::{files, folders, tree};

/// The most entries of an archive.
const MOST_ENTRIES: u64 = 1_000_000;
/// The most bytes that one archive may unpack to.
const MOST_BYTES: u64 = 64 << 30;
/// Bytes between two checks of `stop`.
const BETWEEN_CHECKS: u64 = 1 << 20;
/// The longest target of a link, in bytes; the system accepts no longer one.
const LONGEST_TARGET: u64 = 4096;

/// What unpacking may still use, and the check whether it must stop.
struct Budget<'a> {
    entries: Cell<u64>,
    bytes: Cell<u64>,
    stop: &'a dyn Fn() -> bool,
}

impl Budget<'_> {
    fn take_entry(&self) -> io::Result<()> {
        let left = self.entries.get().checked_sub(1);
        self.entries.set(left.ok_or_else(|| io::Error::other(format!("it has more than {MOST_ENTRIES} entries")))?);
        self.check()
    }

    fn take_bytes(&self, bytes: u64) -> io::Result<()> {
        let before = self.bytes.get();
        let left = before.checked_sub(bytes);
        let left = left.ok_or_else(|| io::Error::other(format!("it unpacks to more than {MOST_BYTES} bytes")))?;
        self.bytes.set(left);
        if before / BETWEEN_CHECKS == left / BETWEEN_CHECKS { Ok(()) } else { self.check() }
    }

    fn check(&self) -> io::Result<()> {
        if (self.stop)() { Err(io::Error::other("it was asked to stop")) } else { Ok(()) }
    }
}

/// A reader whose bytes count against a budget.
struct Metered<'a, R> {
    input: R,
    budget: &'a Budget<'a>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.budget.take_bytes(read as u64).map(|()| read)
    }
}

/// Creates the folder `to`, where nothing may exist yet, with the content of the archive at `from`. When the name is
/// not an archive's, or `from` is a folder, creates a link to `from` instead. Returns `false` when `stop` ended it
/// early. Fails above [`MOST_ENTRIES`] and [`MOST_BYTES`], and when the archive is no regular file.
pub(crate) fn unpack(from: &Path, to: &Path, stop: &dyn Fn() -> bool) -> io::Result<bool> {
    let budget = Budget { entries: Cell::new(MOST_ENTRIES), bytes: Cell::new(MOST_BYTES), stop };
    match unpack_within(&budget, from, to) {
        // The reader of an archive may have wrapped the error, so ask `stop` itself.
        Err(_) if stop() => Ok(false),
        unpacked => unpacked.map(|()| true),
    }
}

fn unpack_within(budget: &Budget<'_>, from: &Path, to: &Path) -> io::Result<()> {
    let name = from.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if tree::kind(from)? == tree::Kind::Directory {
        return folders::link(from, to);
    }
    let input = BufReader::new(files::open_regular(from)?);
    if is(&[".zip", ".jar"]) {
        return unpack_zip(zip::ZipArchive::new(input).map_err(io::Error::other)?, to, budget);
    }
    if is(&[".tar.gz", ".tgz"]) {
        return unpack_tar(MultiGzDecoder::new(input), to, budget).map_err(|error| with_reason(&error));
    }
    if is(&[".tar"]) {
        return unpack_tar(input, to, budget).map_err(|error| with_reason(&error));
    }
    folders::link(from, to)
}

/// Unpacks the entries in order, and the links last, so that nothing is written through a link.
fn unpack_zip(mut archive: zip::ZipArchive<BufReader<File>>, to: &Path, budget: &Budget<'_>) -> io::Result<()> {
    fs::create_dir(to)?;
    let mut links: Vec<(PathBuf, PathBuf)> = Vec::new();
    for number in 0..archive.len() {
        budget.take_entry()?;
        let mut entry = archive.by_index(number).map_err(io::Error::other)?;
        let within = entry.enclosed_name();
        let within = within.ok_or_else(|| io::Error::other(format!("[{}] leads out of its folder", entry.name())))?;
        let path = to.join(within);
        let (is_folder, is_link, mode) = (entry.is_dir(), entry.is_symlink(), entry.unix_mode());
        folders::create_folders(if is_folder { &path } else { path.parent().unwrap_or(to) })?;
        let mut content = Metered { input: &mut entry, budget };
        if is_link {
            let mut target = String::new();
            content.take(LONGEST_TARGET).read_to_string(&mut target)?;
            links.push((path, target.into()));
        } else if !is_folder {
            let mut file = File::create(&path)?;
            io::copy(&mut content, &mut file)?;
            mode.map_or(Ok(()), |mode| file.set_permissions(Permissions::from_mode(mode & 0o777)))?;
        }
    }
    links.into_iter().try_for_each(|(path, target)| symlink(target, path))
}

/// Unpacks the entries in order, and the folders last: a folder without write permission is filled by then.
fn unpack_tar(input: impl Read, to: &Path, budget: &Budget<'_>) -> io::Result<()> {
    fs::create_dir(to)?;
    let to = to.canonicalize()?;
    let mut folders = Vec::new();
    let mut archive = tar::Archive::new(Metered { input, budget });
    for entry in archive.entries()? {
        budget.take_entry()?;
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        if kind.is_gnu_sparse() {
            // The holes of a sparse file are not in the archive, but they are read and written.
            budget.take_bytes(entry.size())?;
        }
        if kind.is_dir() {
            folders.push(entry);
        } else {
            entry.unpack_in(&to)?;
        }
    }
    folders.sort_by(|one, other| other.path_bytes().cmp(&one.path_bytes()));
    folders.into_iter().try_for_each(|mut folder| folder.unpack_in(&to).map(drop))
}

/// The error with its cause: the archive readers report only what they were about to do.
fn with_reason(error: &io::Error) -> io::Error {
    let mut text = error.to_string();
    let mut reason = error.get_ref().and_then(|error| error.source());
    while let Some(behind) = reason {
        text = format!("{text}: {behind}");
        reason = behind.source();
    }
    io::Error::new(error.kind(), text)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::io::Write;

    use super::*;

    fn tar(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o755);
            // Written by hand: the crate refuses to write the names of a malicious archive.
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, content.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn check(name: &str, bytes: &[u8], expect: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join(name);
        fs::write(&from, bytes).unwrap();
        let to = folder.path().join("work/to");
        fs::create_dir(folder.path().join("work")).unwrap();
        let unpacked = unpack(&from, &to, &|| false);
        let got =
            unpacked.ok().and_then(|_| fs::read_to_string(to.join("a/b")).or_else(|_| fs::read_to_string(&to)).ok());
        assert_eq!(got.as_deref(), expect, "{name}");
        assert!(!folder.path().join("evil").exists() && !folder.path().join("work/evil").exists(), "{name}");
    }

    #[test]
    fn the_name_says_how_it_is_packed() {
        let entries = [("a/b", "content")];
        check("x.tar", &tar(&entries), Some("content"));
        check("x.TGZ", &gzip(&tar(&entries)), Some("content"));
        check("x.tar.gz", &gzip(&tar(&entries)), Some("content"));
        check("x.zip", &zip(&entries), Some("content"));
        check("x.jar", &zip(&entries), Some("content"));
        check("x.txt", b"content", Some("content"));
        check("x.zip", b"no archive", None);
    }

    #[test]
    fn nothing_leaves_the_folder() {
        check("x.tar", &tar(&[("../evil", "x"), ("../../evil", "x"), ("a/b", "content")]), Some("content"));
        check("x.zip", &zip(&[("../evil", "x")]), None);
    }

    #[test]
    fn an_archive_takes_no_more_than_its_budget() {
        let many: Vec<String> = (0..20).map(|number| format!("n{number}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "")).collect();
        let large = "x".repeat(100_000);
        let large = [("a", large.as_str())];
        let folder = tempfile::tempdir().unwrap();
        for (number, (name, bytes, expect)) in [
            ("x.zip", zip(&many), "more than"),
            ("x.tar", tar(&many), "more than"),
            ("x.zip", zip(&large), "bytes"),
            ("x.tgz", gzip(&tar(&large)), "bytes"),
            ("x.tar", tar(&[("a", "small")]), "unpacked"),
        ]
        .into_iter()
        .enumerate()
        {
            let from = folder.path().join(name);
            fs::write(&from, bytes).unwrap();
            let budget = Budget { entries: Cell::new(10), bytes: Cell::new(50_000), stop: &|| false };
            let unpacked = unpack_within(&budget, &from, &folder.path().join(number.to_string()));
            let got = unpacked.map_or_else(|error| error.to_string(), |()| "unpacked".to_owned());
            assert!(got.contains(expect), "{name}: {got}");
        }
    }

    #[test]
    fn unpacking_stops_when_it_is_asked_to() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("x.zip", zip(&[("a", ""), ("b", "")])), ("x.tar", tar(&[("a", ""), ("b", "")]))] {
            let from = folder.path().join(name);
            fs::write(&from, bytes).unwrap();
            let to = folder.path().join(format!("{name}.d"));
            let stop = || to.join("a").exists();
            assert!(!unpack(&from, &to, &stop).unwrap(), "{name}");
            assert!(!to.join("b").exists(), "{name}");
        }
    }

    #[test]
    fn what_a_zip_file_links_to_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        writer.add_symlink("a", "../../precious", options).unwrap();
        writer.start_file("b", options.unix_permissions(0o755)).unwrap();
        let from = folder.path().join("x.zip");
        fs::write(&from, writer.finish().unwrap().into_inner()).unwrap();
        let to = folder.path().join("to");
        assert!(unpack(&from, &to, &|| false).unwrap());
        assert_eq!(fs::read_link(to.join("a")).unwrap(), Path::new("../../precious"));
        assert!(tree::is_executable(&to.join("b")).unwrap());
        assert_eq!(unpack(&from, &to, &|| false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
}

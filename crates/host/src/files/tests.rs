use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::read::PIECE;
use super::write::create_new;
use super::*;
use howdah_words::error::{Error, ErrorCode};

#[test]
fn reads_bounded_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.properties");
    for (content, limit, expect) in [
        (&b"a=b"[..], 3, Ok("a=b")),
        (b"a=b", 2, Err(ErrorCode::H0110)),
        (b"a=\xff", 10, Err(ErrorCode::H0112)),
        (b"", 0, Ok("")),
    ] {
        fs::write(&path, content).unwrap();
        let got = read_text(&path, limit);
        assert_eq!(got.as_deref().map_err(Error::code), expect, "{content:?}");
    }
    assert_eq!(read_text(&folder.path().join("none"), 9).unwrap_err().code(), ErrorCode::H0110);
}

#[test]
fn the_last_lines_are_found_from_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stdout");
    let check = |content: &[u8], lines: u64, expect: &[u8]| {
        fs::write(&path, content).unwrap();
        let start = start_of_last_lines(&path, lines).unwrap();
        let from = usize::try_from(start).unwrap();
        assert!(&content[from..] == expect, "{lines} lines of {} bytes begin at {start}", content.len());
    };
    check(b"a\nb\nc\n", 1, b"c\n");
    check(b"a\nb\nc\n", 2, b"b\nc\n");
    check(b"a\nb\nc\n", 9, b"a\nb\nc\n");
    check(b"a\nb\nc", 1, b"c");
    check(b"a\n\n", 1, b"\n");
    check(b"a\n", 0, b"");
    check(b"", 5, b"");
    let long = [vec![b'x'; 3 * PIECE], b"\n".to_vec(), vec![b'y'; 2 * PIECE]].concat();
    check(&long, 1, &long[3 * PIECE + 1..]);
    check(&long, 2, &long);
    assert_eq!(start_of_last_lines(&folder.path().join("none"), 3).unwrap(), 0);
}

#[test]
fn replaces_whole_and_leaves_no_temporary() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("exit");
    write_atomically(&path, b"one").unwrap();
    write_atomically(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(list(folder.path()).unwrap(), [path]);
    assert_eq!(list(&folder.path().join("none")).unwrap(), Vec::<PathBuf>::new());
}

#[test]
fn what_the_owner_of_a_folder_plants_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, at("fifo"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    fs::write(at("precious"), "kept").unwrap();
    std::os::unix::fs::symlink(at("precious"), at("link")).unwrap();
    std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
    for planted in ["link", "dangling", "fifo"].map(at) {
        assert_eq!(create_new(&planted, 0o600).unwrap_err().kind(), io::ErrorKind::AlreadyExists, "{planted:?}");
        assert!(!create_exclusively(&planted, b"claim", Lasting::UntilReboot).unwrap(), "{planted:?}");
        assert!(read_start_of_plain(&planted, 9).is_err() && read_end(&planted, 9).is_err(), "{planted:?}");
        assert!(read_from(&planted, 0, 9).is_err(), "{planted:?}");
        write_atomically(&planted, b"new").unwrap();
        assert!(planted.symlink_metadata().unwrap().is_file(), "the link itself is replaced: {planted:?}");
    }
    assert_eq!(fs::read(at("precious")).unwrap(), b"kept");
    assert!(!at("nowhere").exists());
}

#[test]
fn the_second_creation_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claim");
    assert!(create_exclusively(&path, b"first", Lasting::Always).unwrap());
    assert!(!create_exclusively(&path, b"second", Lasting::UntilReboot).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(list(folder.path()).unwrap().len(), 1);
    assert_eq!(create_exclusively(&path.join("x"), b"", Lasting::Always).unwrap_err().code(), ErrorCode::H0111);
}

#[test]
fn a_used_file_becomes_the_new_one_unless_it_has_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let (used, path) = (folder.path().join("used"), folder.path().join("new"));
    let entries = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let number = |path: &Path| fs::symlink_metadata(path).unwrap().ino();
    write_own(&used, b"a longer text").unwrap();
    let before = number(&used);
    replace_with(&used, &path, b"text", Lasting::UntilReboot).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!((number(&path), fs::read(&path).unwrap().as_slice(), entries().len()), (before, &b"text"[..], 1));
    // Without it, and where it is not this process's alone, another file is made.
    let other = folder.path().join("other");
    for plant in [None, Some("link"), Some("second name")] {
        fs::write(&other, "other").unwrap();
        match plant {
            Some("link") => std::os::unix::fs::symlink(&other, &used).unwrap(),
            Some(_) => fs::hard_link(&other, &used).unwrap(),
            None => {}
        }
        replace_with(&used, &path, b"again", Lasting::Always).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"again", "{plant:?}");
        assert_eq!(
            (fs::read(&other).unwrap(), number(&path) == number(&other)),
            (b"other".to_vec(), false),
            "{plant:?}"
        );
        let _ = fs::remove_file(&used);
    }
}

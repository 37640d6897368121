//! Whose tickets are in a cache that is a file. The one of another user is `krb5cc_UID` in `/tmp`, which the Kerberos
//! library uses where nothing else is set; `own_cache` finds that of this process. Reads no ticket.

use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::files;

/// The longest start of a file in which the name must be.
const LONGEST_START: u64 = 16 * 1024;
/// The most parts of a name.
const MOST_PARTS: u32 = 16;

/// Where the library gets tickets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// From this file. The library does not look at others.
    Cache {
        /// Whose tickets are in it.
        principal: String,
        path: String,
    },
    /// Where it finds them itself.
    Library,
}

/// The path of a user's own cache.
pub(super) fn path_of(uid: u32) -> String {
    format!("/tmp/krb5cc_{uid}")
}

/// The principal whose tickets are in a user's cache, such as `ann@EXAMPLE.COM`.
///
/// # Errors
/// Every user may create a file in `/tmp`, so one that does not belong to this user is refused.
pub(super) fn principal(path: &Path, uid: u32) -> io::Result<String> {
    let file = files::open_plain(path)?;
    if file.metadata()?.uid() != uid {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "it is another user's"));
    }
    principal_at_start(&files::start_of(file, LONGEST_START)?)
}

/// The principal whose tickets are in a cache that the account which started howdah has named: links are followed, and
/// the file may be of another user.
///
/// # Errors
/// The system's own; also when the file is no cache.
pub(super) fn own_principal(path: &Path) -> io::Result<String> {
    principal_at_start(&files::read_start(path, LONGEST_START)?)
}

fn principal_at_start(start: &[u8]) -> io::Result<String> {
    principal_in(start).ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it is no cache of tickets"))
}

/// The principal at the start of a cache of version 3 or 4.
fn principal_in(content: &[u8]) -> Option<String> {
    let mut rest = content;
    match take(&mut rest, 2)? {
        [5, 3] => {}
        [5, 4] => {
            // What follows is about the clock of the server.
            let length = take(&mut rest, 2)?;
            take(&mut rest, usize::from(u16::from_be_bytes(length.try_into().ok()?)))?;
        }
        _ => return None,
    }
    let (_kind, parts) = (number(&mut rest)?, number(&mut rest)?);
    if parts == 0 || parts > MOST_PARTS {
        return None;
    }
    let realm = part(&mut rest)?;
    let parts = (0..parts).map(|_| part(&mut rest)).collect::<Option<Vec<_>>>()?;
    Some(format!("{}@{realm}", parts.join("/")))
}

/// A part of a name, with the marks escaped that have a meaning in a written name.
fn part(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(number(rest)?).ok()?;
    let text = str::from_utf8(take(rest, length)?).ok()?;
    // The library has other escapes for control characters, which no name of a user has.
    if text.chars().any(char::is_control) {
        return None;
    }
    let escape = |mark: char| if matches!(mark, '/' | '@' | '\\') { vec!['\\', mark] } else { vec![mark] };
    Some(text.chars().flat_map(escape).collect())
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(take(rest, 4)?.try_into().ok()?))
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

/// A cache of `ann@EXAMPLE.COM`, without tickets.
#[cfg(test)]
pub(super) const OF_ANN: &[u8] = b"\x05\x04\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x0bEXAMPLE.COM\0\0\0\x03ann";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::account;

    fn counted(text: &str) -> Vec<u8> {
        [&u32::try_from(text.len()).unwrap().to_be_bytes(), text.as_bytes()].concat()
    }

    fn cache(version: &[u8], realm: &str, parts: &[&str]) -> Vec<u8> {
        let head = [version, &1_u32.to_be_bytes(), &u32::try_from(parts.len()).unwrap().to_be_bytes()].concat();
        let parts: Vec<u8> = parts.iter().flat_map(|part| counted(part)).collect();
        [head, counted(realm), parts].concat()
    }

    /// Version 4, with the offset of the clock.
    const FOURTH: &[u8] = &[5, 4, 0, 12, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2];

    #[test]
    fn the_principal_is_at_the_start() {
        for (version, parts, expect) in [
            (FOURTH, &["ann"][..], "ann@EXAMPLE.COM"),
            (&[5, 4, 0, 0], &["etl", "host.example"], "etl/host.example@EXAMPLE.COM"),
            (&[5, 3], &["a@b", "c/d\\"], "a\\@b/c\\/d\\\\@EXAMPLE.COM"),
        ] {
            let content = cache(version, "EXAMPLE.COM", parts);
            assert_eq!(principal_in(&content).as_deref(), Some(expect));
            for length in 0..content.len() {
                assert_eq!(principal_in(&content[..length]), None, "{length} bytes");
            }
        }
        for (version, parts) in [(&[5, 2][..], &["ann"][..]), (&[5, 3], &[]), (&[5, 3], &["a\nb"]), (b"<p", &["ann"])] {
            assert_eq!(principal_in(&cache(version, "EXAMPLE.COM", parts)), None, "{version:?} {parts:?}");
        }
    }

    #[test]
    fn only_a_users_own_file_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("cache"), folder.path().join("link"));
        fs::write(&path, cache(FOURTH, "EXAMPLE.COM", &["ann"])).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let uid = account::own_uid();
        assert_eq!(principal(&path, uid).unwrap(), "ann@EXAMPLE.COM");
        assert_eq!(principal(&path, uid + 1).unwrap_err().kind(), ErrorKind::PermissionDenied);
        assert!(principal(&link, uid).is_err(), "no link is followed");
        assert_eq!(own_principal(&link).unwrap(), "ann@EXAMPLE.COM");
        assert_eq!(principal(&folder.path().join("none"), uid).unwrap_err().kind(), ErrorKind::NotFound);
        fs::write(&path, "no tickets").unwrap();
        assert_eq!(principal(&path, uid).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(own_principal(&link).unwrap_err().kind(), ErrorKind::InvalidData);
        fs::write(&path, OF_ANN).unwrap();
        assert_eq!(own_principal(&path).unwrap(), "ann@EXAMPLE.COM");
        assert_eq!(path_of(7), "/tmp/krb5cc_7");
    }
}

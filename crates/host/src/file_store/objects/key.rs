//! The names of objects: what a path means in a bucket, and what the library can address.

use std::io;

use object_store::path::{Path, PathPart};

use super::super::store_path::StorePath;

/// What ends the names that other programs give to an empty folder; S3A passes over them too.
pub(super) const FOREIGN_MARKER: &str = "_$folder$";

/// The object of a file at a path; empty for the root.
pub(super) fn of_file(path: &StorePath) -> &str {
    path.as_str().trim_start_matches('/')
}

/// The start of the names of all that is in a folder, which is also the name of its marker; empty for the root.
pub(super) fn of_folder(path: &StorePath) -> String {
    if path.is_root() { String::new() } else { format!("{}/", of_file(path)) }
}

/// A path for the library; `None` for a name that it cannot send: one with a step `.` or `..`, with a control
/// character, or with a slash at its start.
pub(super) fn address(key: &str) -> Option<Path> {
    let step = |path: Path, step| PathPart::parse(step).ok().map(|step| path.join(step));
    let path = key.split('/').try_fold(Path::ROOT, step)?;
    (path.as_ref() == key && !key.is_empty()).then_some(path)
}

/// The same; the error says that this path cannot be asked for.
pub(super) fn addressed(key: &str) -> io::Result<Path> {
    address(key).ok_or_else(|| {
        let text = format!("the name [{}] cannot be sent to an object store", key.escape_debug());
        super::super::StoreError::refused(io::ErrorKind::InvalidInput, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_an_object_or_what_starts_with_it() {
        let path = |text: &str| StorePath::of(text).unwrap();
        for (text, file, folder) in [("/", "", ""), ("/data//out/", "data/out", "data/out/"), ("/%2e", "%2e", "%2e/")] {
            assert_eq!((of_file(&path(text)), of_folder(&path(text)).as_str()), (file, folder), "{text}");
        }
        assert!(!"data/output/x".starts_with(&of_folder(&path("/data/out"))));
    }

    #[test]
    fn the_library_sends_a_name_as_it_is_or_not_at_all() {
        for key in ["a", "a/b", "a/", "a//b", "a b%2F", "é?#&+\"", "a/b//"] {
            assert_eq!(address(key).unwrap().as_ref(), key);
        }
        for key in ["", "/", "/a", "..", "a/../b", "a/.", "a\nb", "a\0"] {
            assert_eq!(address(key), None, "{key:?}");
            addressed(key).unwrap_err();
        }
    }
}

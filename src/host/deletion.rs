//! Deleting trees without regret.
//!
//! Refused (H0123) are `/`, home folders, the roots of mounts, whatever holds one of
//! these, whatever leaves its mount through `..` or a symbolic link, and folders in which the system has mounted another
//! file system. A link is deleted, never what it points to; a file is deleted as a folder is. Must never know why
//! something is to be deleted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::environment;
use super::mounts::{Mounts, has_parent_step};
use crate::error::{Error, ErrorCode};

/// What a deletion would meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The path with every link in its parents resolved.
    pub(crate) real: PathBuf,
    pub(crate) what: What,
}

/// What is at a path; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    File,
    Folder,
    Link,
}

/// What [`delete_tree`] would delete; `None` when there is nothing of that name.
/// H0123 when the path is one that must not be deleted, or holds one of `kept`.
pub(crate) fn find(path: &Path, mounts: &Mounts, kept: &[&Path]) -> Result<Option<Found>, Error> {
    let Some(real) = check(path, mounts)? else { return Ok(None) };
    if let Some(kept) = kept.iter().find(|kept| holds(&real, kept)) {
        return Err(refuse(path, &format_args!("it holds [{}]", kept.display())));
    }
    let what = match fs::symlink_metadata(&real) {
        Ok(metadata) if metadata.is_dir() => What::Folder,
        Ok(metadata) if metadata.is_symlink() => What::Link,
        Ok(_) => What::File,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refuse(path, &error)),
    };
    Ok(Some(Found { real, what }))
}

/// Deletes a file, a link or a folder with all it holds; `false` when there is nothing of that name.
/// H0123 when the path is one that must not be deleted or the system refuses.
pub(crate) fn delete_tree(path: &Path, mounts: &Mounts) -> Result<bool, Error> {
    let Some(real) = check(path, mounts)? else { return Ok(false) };
    let deleted = match fs::symlink_metadata(&real) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&real),
        Ok(_) => fs::remove_file(&real),
        Err(error) => Err(error),
    };
    match deleted {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(refuse(path, &error)),
    }
}

/// Refuses (H0123) what must not be deleted; otherwise the path with every link in its parents resolved,
/// or `None` when its folder does not exist.
pub(crate) fn check(path: &Path, mounts: &Mounts) -> Result<Option<PathBuf>, Error> {
    if !path.is_absolute() {
        return Err(refuse(path, &"it is not an absolute path"));
    }
    if has_parent_step(path) {
        return Err(refuse(path, &"it goes through \"..\""));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(refuse(path, &"it is the root of the file system"));
    };
    check_protected(path, path, mounts)?;
    let real = match fs::canonicalize(folder) {
        Ok(folder) => folder.join(name),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(refuse(path, &error)),
    };
    check_protected(path, &real, mounts)?;
    if let Some(root) = mounts.root_of(path) {
        let real_root = fs::canonicalize(root).map_err(|error| refuse(path, &error))?;
        if !real.starts_with(&real_root) {
            return Err(refuse(path, &format_args!("a symbolic link leads out of the mount [{}]", root.display())));
        }
    }
    if let Some(point) = mount_points().into_iter().find(|point| point.starts_with(&real)) {
        return Err(refuse(path, &format_args!("another file system is mounted at [{}]", point.display())));
    }
    Ok(Some(real))
}

/// Refuses `named` when `real` is, or holds, a home folder or the root of a mount.
fn check_protected(named: &Path, real: &Path, mounts: &Mounts) -> Result<(), Error> {
    if let Some(root) = mounts.roots().find(|root| holds(real, root)) {
        return Err(refuse(named, &format_args!("it holds the root of the mount [{}]", root.display())));
    }
    match environment::all_homes().iter().find(|home| holds(real, home)) {
        Some(home) => Err(refuse(named, &format_args!("it holds the home directory [{}]", home.display()))),
        None => Ok(()),
    }
}

/// Whether `real` is, or holds, `protected`.
fn holds(real: &Path, protected: &Path) -> bool {
    protected.starts_with(real) || fs::canonicalize(protected).is_ok_and(|canonical| canonical.starts_with(real))
}

/// Where the system has mounted file systems; nothing where it does not tell.
fn mount_points() -> Vec<PathBuf> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().filter_map(|line| line.split(' ').nth(4)).map(|point| PathBuf::from(unescape(point))).collect()
}

/// A path of the table of mounts, in which blanks and backslashes stand as `\040` and the like.
fn unescape(point: &str) -> String {
    let mut parts = point.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                text.push(char::from(code));
                text.push_str(&part[3..]);
            }
            None => text.extend(std::iter::once('\\').chain(part.chars())),
        }
    }
    text
}

fn refuse(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::with(ErrorCode::H0123, &[&path.display(), why])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A mount `root` with a folder, beside a folder `outside` that links lead to.
    fn sandbox() -> (tempfile::TempDir, Mounts) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        fs::create_dir_all(base.join("root/data/day")).unwrap();
        fs::create_dir_all(base.join("outside/precious")).unwrap();
        symlink(base.join("outside"), base.join("root/out")).unwrap();
        symlink(base.join("outside"), base.join("root/data/link")).unwrap();
        symlink(base.join("root/data"), base.join("root/inside")).unwrap();
        let mounts = Mounts::parse([format!("hdfs://nn={}/root", base.display()).as_str()]).unwrap();
        (folder, mounts)
    }

    fn check_refused(path: &Path, mounts: &Mounts) {
        let error = delete_tree(path, mounts).unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0123, "{}", path.display());
    }

    #[test]
    fn refuses_what_must_stay() {
        let (folder, mounts) = sandbox();
        let base = folder.path();
        check_refused(Path::new("/"), &mounts);
        check_refused(Path::new("relative"), &mounts);
        check_refused(&environment::home().unwrap(), &mounts);
        check_refused(Path::new("/home/../etc"), &mounts);
        check_refused(&base.join("root"), &mounts);
        check_refused(base, &mounts);
        check_refused(&base.join("root/data/../../outside"), &mounts);
        check_refused(&base.join("root/out/precious"), &mounts);
        symlink(base, base.join("outside/back")).unwrap();
        check_refused(&base.join("outside/back/root"), &mounts);
        check_refused(Path::new("/proc"), &mounts);
        assert!(base.join("outside/precious").exists());
    }

    #[test]
    fn mount_points_are_read_as_the_system_writes_them() {
        for (point, expect) in [("/a", "/a"), (r"/a\040b\134", r"/a b\"), (r"/a\x", r"/a\x"), (r"\", r"\")] {
            assert_eq!(unescape(point), expect);
        }
    }

    #[test]
    fn what_would_be_deleted_is_told_before() {
        let (folder, mounts) = sandbox();
        let base = folder.path().canonicalize().unwrap();
        fs::write(base.join("root/data/file"), "").unwrap();
        let found = |relative: &str| find(&base.join(relative), &mounts, &[]).unwrap();
        let some = |real: &str, what| Some(Found { real: base.join(real), what });
        assert_eq!(found("root/inside/day"), some("root/data/day", What::Folder));
        assert_eq!(found("root/data/file"), some("root/data/file", What::File));
        assert_eq!(found("root/data/link"), some("root/data/link", What::Link));
        assert_eq!(found("root/data/none"), None);
        let kept = base.join("root/data/file");
        assert!(find(&base.join("root/data"), &mounts, &[&kept]).is_err());
        assert!(find(&base.join("root/data/day"), &mounts, &[&kept]).is_ok());
    }

    #[test]
    fn deletes_trees_and_links_but_not_what_links_point_to() {
        let (folder, mounts) = sandbox();
        let base = folder.path();
        assert!(delete_tree(&base.join("root/inside/day"), &mounts).unwrap());
        assert!(delete_tree(&base.join("root/out"), &mounts).unwrap());
        assert!(delete_tree(&base.join("root/data"), &mounts).unwrap());
        assert!(!delete_tree(&base.join("root/data"), &mounts).unwrap());
        assert!(!delete_tree(&base.join("root/none/x"), &mounts).unwrap());
        assert!(base.join("outside/precious").exists());
        assert!(delete_tree(&base.join("outside"), &mounts).unwrap());
    }
}

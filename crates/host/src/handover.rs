//! Transfers the folder of an attempt to the user for whom its work runs, and the process to that user.
//!
//! Only root can work for others. A shim becomes the owner of its attempt's folder before it does anything else, so the
//! transfer of the folder decided which user that is. Must not depend on what the work is; `acting` borrows a user's
//! rights for a while.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Gid, Uid, chownat};

use super::account::{self, Account, is_root, own_uid};
use super::deletion::Clearing;
use super::found::{self, Found};
use super::{metadata, processes, user_table};
use howdah_words::error::{Error, ErrorCode};

/// The users who may have written a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The user of the process that reads it.
    Reader,
    /// The owner of the folder of the file.
    Owner,
    /// One of the two.
    Either,
}

/// Transfers the folder of an attempt to a user: everyone may enter the folders from `top` down to it, and only their
/// owner may list them. The files in it stay root's, and the user may read them. Only for root.
///
/// H0111 when the owner cannot be changed.
pub fn hand_over(folder: &Path, top: &Path, account: &Account) -> Result<(), Error> {
    let refuse = |path: &Path, error: &std::io::Error| {
        Error::with(ErrorCode::H0111, &[&path.display(), error]).passing(found::may_pass(error))
    };
    let between = folder.ancestors().skip(1).take_while(|above| above.starts_with(top));
    for above in between {
        fs::set_permissions(above, Permissions::from_mode(0o711)).map_err(|error| refuse(above, &error))?;
    }
    let entries = fs::read_dir(folder).map_err(|error| refuse(folder, &error))?;
    // The folder last: until then no other user can put anything into it.
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let shown = give(&path, own_uid(), account.gid)
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o640)));
        shown.map_err(|error| refuse(&path, &error))?;
    }
    give(folder, account.uid, account.gid).map_err(|error| refuse(folder, &error))
}

/// Removes a transferred folder before it is prepared again, with everything that its owner has put there: only what is
/// prepared then is transferred again, and nothing else under the same names.
/// Does nothing when there is no such folder or this process is not root's.
pub(crate) fn take_back(folder: &Path) -> Result<(), Error> {
    if !is_root() || metadata::of_link(folder).known()?.is_none_or(|metadata| metadata.uid() == own_uid()) {
        return Ok(());
    }
    let (Some(above), Some(name)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str())) else {
        return Ok(());
    };
    let taken = Clearing::open(above)?.map(|clearing| clearing.delete(name));
    let refuse =
        |error: Error| Error::with(ErrorCode::H0111, &[&folder.display(), &error.message()]).passing(error.may_pass());
    taken.transpose().map(drop).map_err(refuse)
}

/// When this process is root's and the owner of a folder is not: whether that owner is the user of a process; else
/// true. `None` when the machine cannot say.
pub fn owns(folder: &Path, pid: i32) -> Option<bool> {
    if !is_root() {
        return Some(true);
    }
    match metadata::of(folder) {
        Found::Present(metadata) if metadata.uid() == 0 => Some(true),
        Found::Present(metadata) => processes::user_of(pid).map(|user| user == metadata.uid()),
        Found::Absent | Found::Unknown(_) => None,
    }
}

/// Whether `writer` may have written a file in `folder`, by the owner of the file. Always true when this process is not
/// root's or the folder is root's: then every readable file could be read anyway.
pub fn has_written(writer: Writer, file: &File, folder: &Path) -> std::io::Result<bool> {
    let owner = fs::metadata(folder)?.uid();
    if !is_root() || owner == own_uid() {
        return Ok(true);
    }
    let user = file.metadata()?.uid();
    let (is_reader, is_owner) = (user == own_uid(), user == owner);
    Ok(match writer {
        Writer::Reader => is_reader,
        Writer::Owner => is_owner,
        Writer::Either => is_reader || is_owner,
    })
}

/// The user to whom a folder was transferred; `None` when that is this process's own user, or the machine does not know
/// the owner.
///
/// # Errors
/// H0110, H0113 when the machine cannot say.
pub(crate) fn other_owner_of(folder: &Path) -> Result<Option<Account>, Error> {
    let owner = metadata::of(folder).known()?.map_or(0, |metadata| metadata.uid());
    if is_root() && owner != 0 { user_table::numbered(owner) } else { Ok(None) }
}

/// Whether this process is root's and a folder belongs to another user. `false` when the machine cannot say.
pub fn is_handed_over(folder: &Path) -> bool {
    is_root() && matches!(metadata::of_link(folder), Found::Present(found) if found.uid() != own_uid())
}

/// Changes the owner of a file or a folder itself, never of the target of a link.
fn give(path: &Path, uid: u32, gid: u32) -> std::io::Result<()> {
    let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
    chownat(CWD, path, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW).map_err(Into::into)
}

/// Refuses (H0152) when a user cannot enter a folder because of it or a folder above it; missing folders are skipped.
/// H0110, H0113 when the machine cannot say which groups the user has.
pub fn check_access(folder: &Path, account: &Account) -> Result<(), Error> {
    let groups = user_table::groups(account)?;
    let closed = folder.ancestors().find(|above| {
        fs::metadata(above).is_ok_and(|metadata| {
            let bit = match (metadata.uid() == account.uid, groups.contains(&metadata.gid())) {
                (true, _) => 0o100,
                (false, true) => 0o010,
                (false, false) => 0o001,
            };
            metadata.mode() & bit == 0
        })
    });
    match closed {
        None => Ok(()),
        Some(above) => Err(Error::with(ErrorCode::H0152, &[&account.name, &above.display()]).help(format!(
            "their commands run below it: chmod o+x '{}', or keep the database elsewhere",
            above.display()
        ))),
    }
}

/// Becomes the owner of a file or folder, with the owner's groups, for good, and returns that user; `None` when this
/// process is not root's, the owner is root, or nothing exists there. Does not follow a link. To be called before any
/// thread is started. May be called again after H0110.
///
/// H0110, H0113 when the machine cannot say who that is, or allows no more processes of that user; H0140 when it
/// refuses.
pub(crate) fn become_owner_of(path: &Path) -> Result<Option<Account>, Error> {
    if !is_root() {
        return Ok(None);
    }
    let Some(metadata) = metadata::of_link(path).known()?.filter(|metadata| metadata.uid() != 0) else {
        return Ok(None);
    };
    let owner = user_table::owner(metadata.uid(), metadata.gid())?;
    turn_into(&owner).map(|()| Some(owner))
}

/// Becomes a user for good, with the user's groups; `gid` is the group of a user whom the machine does not know. To be
/// called by a process of root, before any thread is started.
///
/// H0110, H0113 when the machine cannot say which groups the user has; H0140 when it refuses.
#[cfg(feature = "hdfs")]
pub(crate) fn become_user(uid: u32, gid: u32) -> Result<(), Error> {
    turn_into(&user_table::owner(uid, gid)?)
}

#[cfg(target_os = "linux")]
fn turn_into(user: &Account) -> Result<(), Error> {
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

    let groups: Vec<Gid> = user_table::groups(user)?.into_iter().map(Gid::from_raw).collect();
    let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
    account::note_change();
    let became = set_thread_groups(&groups)
        .and_then(|()| set_thread_res_gid(gid, gid, gid))
        .and_then(|()| set_thread_res_uid(uid, uid, uid));
    account::forget_effective_uid();
    became.map_err(std::io::Error::from).map_err(|error| {
        if found::may_pass(&error) {
            Error::with(ErrorCode::H0110, &[&user.name, &error]).passing(true)
        } else {
            Error::new(ErrorCode::H0140, error).passing(false)
        }
    })
}

/// Refuses: on this system a process cannot become another user.
#[cfg(not(target_os = "linux"))]
fn turn_into(_: &Account) -> Result<(), Error> {
    Err(Error::new(ErrorCode::H0140, "on this system root cannot run the jobs of other users").passing(false))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use howdah_tier as tier;

    #[test]
    fn a_folder_that_is_taken_back_keeps_nothing_of_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let attempt = folder.path().join("attempt");
        fs::create_dir_all(attempt.join("work")).unwrap();
        fs::write(folder.path().join("precious"), "").unwrap();
        fs::hard_link(folder.path().join("precious"), attempt.join("mine")).unwrap();
        std::os::unix::fs::symlink(folder.path(), attempt.join("work/out")).unwrap();
        take_back(&attempt).unwrap();
        assert!(attempt.join("mine").exists(), "one's own folder stays");
        if tier::root("it gives folders to a user who does not exist") {
            fs::set_permissions(&attempt, Permissions::from_mode(0o777)).unwrap();
            for owned in [attempt.clone(), attempt.join("work")] {
                give(&owned, 4_000_000, 4_000_000).unwrap();
            }
            take_back(&attempt).unwrap();
            assert!(!attempt.exists() && folder.path().join("precious").exists());
        }
        take_back(&attempt).unwrap();
    }

    #[test]
    fn the_way_to_a_folder_may_be_closed() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        fs::create_dir(&top).unwrap();
        let nobody = Account {
            name: "nobody".to_owned(),
            uid: 4_000_000,
            gid: 4_000_000,
            home: PathBuf::new(),
            shell: String::new(),
        };
        for (mode, open) in [(0o700, false), (0o711, true), (0o766, false)] {
            fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            let way = check_access(&top, &nobody);
            assert_eq!(way.is_ok(), open, "{mode:o} {way:?}");
        }
    }
}

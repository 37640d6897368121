//! Checks that no other user can exchange what a path names, as ssh does for its own files (`StrictModes`).
//!
//! A file is looked up by its path again whenever it is opened, so what was checked of the file itself says nothing of
//! the next look-up. What cannot change is checked instead: each folder in which a name of the path is looked up, those
//! of links too. When only root and this user may change their entries, every later look-up finds the same. Must not
//! depend on what the path names.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use super::account::{self, Account};
use super::{found, user_table};
use howdah_words::error::Error;

/// How many links a path may lead through, as for the system.
const MOST_LINKS: usize = 40;
const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
/// The number of the group root.
const ROOT_GROUP: u32 = 0;
/// The access list of a file; while there is one, the bits of the group are its mask.
const ACCESS_LIST: &str = "system.posix_acl_access";

/// Which user may change the entries of folders beside root.
struct Trust {
    own: u32,
    /// The number of the group whose members are trusted.
    team: Option<u32>,
}

/// Returns why another user could exchange `path`, or create it when it does not exist; `None` when only root and the
/// effective user of this process can. `team` is the name of a group whose members are trusted too. What this process
/// may not look up is left to the one who opens it.
///
/// # Errors
/// H0110, H0113 when the machine cannot say.
pub fn why_exchangeable(path: &Path, team: Option<&str>) -> Result<Option<String>, Error> {
    Trust::of(team)?.walk(path)
}

/// Returns which other user owns a file; `None` when root, this user or one of `team` does, or there is no file.
///
/// # Errors
/// H0110, H0113 when the machine cannot say.
pub fn other_owner(path: &Path, found: &Metadata, team: Option<&str>) -> Result<Option<String>, Error> {
    Ok((!Trust::of(team)?.trusts(path, found)?).then(|| name_of(found.uid())))
}

/// Returns why another user may change the content of a file; `None` when only root, this user and `team` may.
///
/// # Errors
/// H0110, H0113 when the machine cannot say.
pub fn other_writer(path: &Path, found: &Metadata, team: Option<&str>) -> Result<Option<String>, Error> {
    let trust = Trust::of(team)?;
    if !trust.trusts(path, found)? {
        return Ok(Some(format!("it belongs to {}", name_of(found.uid()))));
    }
    let mode = found.mode();
    let is_open = mode & OTHERS_WRITE != 0 || (mode & GROUP_WRITES != 0 && !trust.trusts_group(path, found)?);
    Ok(is_open.then(|| format!("other users may write it (mode {:o})", mode & 0o7777)))
}

impl Trust {
    fn of(team: Option<&str>) -> Result<Self, Error> {
        let team = team.map(user_table::group_named).transpose()?.flatten();
        Ok(Self { own: account::effective_uid(), team })
    }

    fn walk(&self, path: &Path) -> Result<Option<String>, Error> {
        let path = std::path::absolute(path).map_err(|error| found::cannot_read(path, &error))?;
        let mut names: VecDeque<OsString> = names_of(&path);
        let mut folder = PathBuf::from("/");
        let mut links = 0;
        while let Some(name) = names.pop_front() {
            if name == ".." {
                folder.pop();
                continue;
            }
            let Some(holder) = look(&folder)? else { return Ok(None) };
            if let Some(why) = self.why_open(&folder, &holder)? {
                return Ok(Some(why));
            }
            let entry = folder.join(&name);
            let Some(found) = look(&entry)? else {
                let is_shared = holder.mode() & STICKY != 0 && holder.mode() & (GROUP_WRITES | OTHERS_WRITE) != 0;
                let why = || format!("there is no [{}], and other users can create it", entry.display());
                return Ok((is_shared && !names.is_empty()).then(why));
            };
            if holder.mode() & STICKY != 0 && !self.trusts(&entry, &found)? {
                return Ok(Some(format!("[{}] belongs to {}", entry.display(), name_of(found.uid()))));
            }
            if !found.is_symlink() {
                folder = entry;
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Ok(None);
            }
            let Some(target) = answered(&entry, fs::read_link(&entry))? else { return Ok(None) };
            if target.is_absolute() {
                folder = PathBuf::from("/");
            }
            for name in names_of(&target).into_iter().rev() {
                names.push_front(name);
            }
        }
        Ok(None)
    }

    /// Why other users can change the entries of a folder. In a sticky one they can only add some.
    fn why_open(&self, folder: &Path, holder: &Metadata) -> Result<Option<String>, Error> {
        let shown = folder.display();
        if !self.trusts(folder, holder)? {
            return Ok(Some(format!("the folder [{shown}] belongs to {}", name_of(holder.uid()))));
        }
        let mode = holder.mode();
        if mode & STICKY != 0 {
            return Ok(None);
        }
        if mode & OTHERS_WRITE != 0 {
            return Ok(Some(format!("every user may write in the folder [{shown}] (mode {:o})", mode & 0o7777)));
        }
        if mode & GROUP_WRITES != 0 && !self.trusts_group(folder, holder)? {
            return Ok(Some(format!("a group may write in the folder [{shown}] (mode {:o})", mode & 0o7777)));
        }
        Ok(None)
    }

    /// Whether the owner of a file or folder is root, this user, or a member of the team.
    fn trusts(&self, path: &Path, found: &Metadata) -> Result<bool, Error> {
        let owner = found.uid();
        if owner == 0 || owner == self.own || is_of_no_user_here(owner) {
            return Ok(true);
        }
        let Some(team) = self.team else { return Ok(false) };
        let groups = match user_table::numbered(owner)? {
            Some(account) => user_table::groups(&account)?,
            None => return Ok(false),
        };
        // The owner can make a list of further users: none counts beside the team's.
        Ok(groups.contains(&team) && !has_access_list(path)?)
    }

    /// Whether only this user, root and the team can be in the group of a folder.
    fn trusts_group(&self, folder: &Path, holder: &Metadata) -> Result<bool, Error> {
        if has_access_list(folder)? {
            return Ok(false);
        }
        let group = holder.gid();
        if self.team == Some(group) {
            return Ok(true);
        }
        let account = user_table::numbered(if group == ROOT_GROUP { 0 } else { self.own })?;
        account.map_or(Ok(false), |account| user_table::is_alone_in(&account, group))
    }
}

fn names_of(path: &Path) -> VecDeque<OsString> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(name).collect()
}

fn look(path: &Path) -> Result<Option<Metadata>, Error> {
    answered(path, fs::symlink_metadata(path))
}

/// An answer; `None` when there is nothing that this process may look up.
fn answered<T>(path: &Path, answer: io::Result<T>) -> Result<Option<T>, Error> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(error) if found::may_pass(&error) => Err(found::cannot_read(path, &error)),
        Err(_) => Ok(None),
    }
}

/// Whether a folder has an access list. A file system that has no such lists has none.
fn has_access_list(folder: &Path) -> Result<bool, Error> {
    let bytes = rustix::fs::getxattr(folder, ACCESS_LIST, &mut [0_u8; 0]).map_err(io::Error::from);
    Ok(answered(folder, bytes)?.is_some_and(|bytes| bytes > 0))
}

/// Whether files of the machine's other users are shown with this number, because this process is in a user namespace
/// that does not have them: there even root has no more rights than the user who made it, and cannot tell root's.
fn is_of_no_user_here(uid: u32) -> bool {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let shown_as = fs::read_to_string("/proc/sys/kernel/overflowuid").ok().and_then(|text| number(&text));
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let is_mapped = map.lines().any(|line| {
        let fields: Vec<u32> = line.split_whitespace().filter_map(number).collect();
        matches!(fields[..], [first, _, count] if uid >= first && uid - first < count)
    });
    shown_as == Some(uid) && !map.is_empty() && !is_mapped
}

fn name_of(uid: u32) -> String {
    let known = user_table::numbered(uid).ok().flatten();
    format!("user [{}]", known.map_or_else(|| uid.to_string(), |Account { name, .. }| name))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;
    use howdah_tier as tier;

    #[test]
    fn each_folder_on_the_path_decides() {
        let sandbox = tempfile::tempdir().unwrap();
        let at = |name: &str| sandbox.path().join(name);
        let folder = |name: &str, mode: u32| {
            fs::create_dir_all(at(name)).unwrap();
            fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        };
        folder("own", 0o755);
        folder("own/open", 0o777);
        folder("own/open/below", 0o700);
        folder("sticky", 0o1777);
        folder("sticky/below", 0o700);
        fs::write(at("sticky/file"), "").unwrap();
        symlink(at("own/open/below"), at("own/link")).unwrap();
        symlink("../sticky/below", at("own/good")).unwrap();
        symlink(at("own"), at("own/open/back")).unwrap();
        let why = |name: &str| why_exchangeable(&at(name), None).unwrap().unwrap_or_default();
        for (path, expect) in [
            ("own/db", ""),
            ("own/new/folder/db", ""),
            ("own/good/db", ""),
            ("own/good/../below/db", ""),
            ("sticky/below/db", ""),
            ("own/open/db", "every user may write in the folder"),
            ("own/open/below/db", "every user may write in the folder"),
            ("own/link/db", "every user may write in the folder"),
            ("own/open/back/db", "every user may write in the folder"),
            ("sticky/file", ""),
            ("sticky/no-file", ""),
            ("sticky/new/db", "other users can create it"),
        ] {
            let got = why(path);
            assert!(if expect.is_empty() { got.is_empty() } else { got.contains(expect) }, "{path}: {got}");
        }
    }

    #[test]
    fn a_folder_of_another_user_or_of_a_group_is_not_trusted() {
        if !tier::root("it gives folders to a user who does not exist") {
            return;
        }
        let sandbox = tempfile::tempdir().unwrap();
        let folder = sandbox.path().join("folder");
        fs::create_dir_all(folder.join("below")).unwrap();
        let (user, group) = (4_000_000, 4_000_001);
        for (owner, gid, mode, expect) in [
            (0, 0, 0o775, ""),
            (0, group, 0o755, ""),
            (0, group, 0o775, "a group may write in the folder"),
            (user, 0, 0o700, "belongs to user [4000000]"),
            (user, 0, 0o1700, "belongs to user [4000000]"),
        ] {
            chown(&folder, Some(owner), Some(gid)).unwrap();
            fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
            for path in ["db", "below/db"] {
                let got = why_exchangeable(&folder.join(path), None).unwrap().unwrap_or_default();
                let is_right = if expect.is_empty() { got.is_empty() } else { got.contains(expect) };
                assert!(is_right, "{owner} {gid} {mode:o} {path}: {got}");
            }
        }
        // The group root is named: it is trusted in any case, and a member owns the folder.
        chown(&folder, Some(0), Some(group)).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o775)).unwrap();
        let with = |group: u32| Trust { own: 0, team: Some(group) }.walk(&folder.join("db")).unwrap();
        assert_eq!(with(group), None);
        assert!(with(group + 1).is_some());
        // A file that its owner could exchange, although the folder is sticky.
        fs::set_permissions(&folder, Permissions::from_mode(0o1777)).unwrap();
        chown(folder.join("below"), Some(user), None).unwrap();
        let got = why_exchangeable(&folder.join("below/db"), None).unwrap().unwrap_or_default();
        assert!(got.contains("belongs to user [4000000]"), "{got}");
    }
}

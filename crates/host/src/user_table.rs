//! The users and groups of the machine: the local tables, and directory services (NSS).
//!
//! A lookup that cannot open a table can give the same answer as one that found nothing. So the local table is read
//! first: its entries exist, whatever the lookup answers, and when it cannot be read, no user counts as unknown.

use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::unistd::{Gid, Group, Uid, User, getgrouplist};

use super::account::Account;
use super::found::{self, Verdict, cannot_read, verdict};
use howdah_words::error::Error;

const USERS: &str = "/etc/passwd";
const GROUPS: &str = "/etc/group";
/// The position of the number in an entry of either table.
const NUMBER: usize = 2;
/// The position of the number of a user's own group in the user table.
const OWN_GROUP: usize = 3;
/// The position of the home folder in an entry of the user table.
const HOME: usize = 5;

/// The user with a name; `None` when the machine does not know it.
///
/// # Errors
/// H0110, H0113 when the machine cannot say: then no user counts as unknown.
pub fn named(name: &str) -> Result<Option<Account>, Error> {
    let table = Table::read(USERS)?;
    table.answer(&Entry { field: 0, value: name }, || User::from_name(name)).map(|user| user.map(account))
}

/// The user with a number; as [`named`].
pub fn numbered(uid: u32) -> Result<Option<Account>, Error> {
    let table = Table::read(USERS)?;
    let entry = Entry { field: NUMBER, value: &uid.to_string() };
    table.answer(&entry, || User::from_uid(Uid::from_raw(uid))).map(|user| user.map(account))
}

/// The owner of a file; a user that the machine does not know gets the group of the file. Errors as [`named`].
pub(super) fn owner(uid: u32, gid: u32) -> Result<Account, Error> {
    let unknown = || Account { name: uid.to_string(), uid, gid, home: PathBuf::from("/"), shell: "/bin/sh".to_owned() };
    Ok(numbered(uid)?.unwrap_or_else(unknown))
}

/// The number of the group with a name; as [`named`].
pub(crate) fn group_named(name: &str) -> Result<Option<u32>, Error> {
    let table = Table::read(GROUPS)?;
    let group = table.answer(&Entry { field: 0, value: name }, || Group::from_name(name))?;
    Ok(group.map(|group| group.gid.as_raw()))
}

/// The name of the group with a number; as [`named`].
pub(crate) fn group_numbered(gid: u32) -> Result<Option<String>, Error> {
    let table = Table::read(GROUPS)?;
    let entry = Entry { field: NUMBER, value: &gid.to_string() };
    Ok(table.answer(&entry, || Group::from_gid(Gid::from_raw(gid)))?.map(|group| group.name))
}

/// The groups of a user, with the user's own; as [`named`].
pub fn groups(account: &Account) -> Result<Vec<u32>, Error> {
    let table = Table::read(GROUPS)?;
    let name = CString::new(account.name.as_str()).map_err(|error| found::unknown(&account.name, &error))?;
    let groups = getgrouplist(&name, Gid::from_raw(account.gid));
    let groups = groups.map_err(|errno| found::unknown(&format!("groups of {}", account.name), &errno.desc()))?;
    let groups: Vec<u32> = groups.into_iter().map(Gid::as_raw).collect();
    let left_out = table.memberships(&account.name).find(|gid| !groups.contains(gid));
    match left_out {
        None => Ok(groups),
        Some(gid) => Err(found::unknown(GROUPS, &format!("the lookup left out group {gid}"))),
    }
}

/// Whether no user but `account` and root can be in a group: no other one is a member, or has it as the own group in
/// the local table. As [`named`].
pub(crate) fn is_alone_in(account: &Account, gid: u32) -> Result<bool, Error> {
    let table = Table::read(GROUPS)?;
    let entry = Entry { field: NUMBER, value: &gid.to_string() };
    let group = table.answer(&entry, || Group::from_gid(Gid::from_raw(gid)))?;
    let is_member = |name: &str| name != account.name && name != "root";
    if account.gid != gid || group.is_some_and(|group| group.mem.iter().any(|name| is_member(name))) {
        return Ok(false);
    }
    let users = Table::read(USERS)?;
    let others = |fields: Vec<&str>| fields.get(OWN_GROUP) == Some(&entry.value) && is_member(fields[0]);
    Ok(!users.fields().any(others))
}

/// The home folders in the local user table; those of directory services cannot be listed. As [`named`].
pub(crate) fn local_homes() -> Result<Vec<PathBuf>, Error> {
    let table = Table::read(USERS)?;
    Ok(table.fields().filter_map(|fields| fields.get(HOME).map(PathBuf::from)).collect())
}

fn account(user: User) -> Account {
    let shell = user.shell.to_string_lossy().into_owned();
    Account {
        name: user.name,
        uid: user.uid.as_raw(),
        gid: user.gid.as_raw(),
        home: user.dir,
        shell: if shell.is_empty() { "/bin/sh".to_owned() } else { shell },
    }
}

/// A local table of the system.
struct Table {
    path: &'static str,
    /// `None` where there is no such table.
    text: Option<String>,
}

/// A search for the entry that has a value in one of its fields.
struct Entry<'a> {
    field: usize,
    value: &'a str,
}

impl Table {
    fn read(path: &'static str) -> Result<Self, Error> {
        match fs::read(path) {
            Ok(bytes) => Ok(Self { path, text: Some(String::from_utf8_lossy(&bytes).into_owned()) }),
            Err(error) if verdict(&error) == Verdict::Absent => Ok(Self { path, text: None }),
            Err(error) => Err(cannot_read(Path::new(path), &error)),
        }
    }

    fn fields(&self) -> impl Iterator<Item = Vec<&str>> {
        self.text.as_deref().unwrap_or_default().lines().map(|line| line.split(':').collect())
    }

    fn lists(&self, entry: &Entry<'_>) -> bool {
        self.fields().any(|fields| fields.get(entry.field) == Some(&entry.value))
    }

    /// The numbers of the groups that list a user as a member.
    fn memberships(&self, user: &str) -> impl Iterator<Item = u32> {
        self.fields().filter_map(move |fields| {
            let [_, _, gid, members] = fields[..] else { return None };
            members.split(',').any(|member| member == user).then(|| gid.parse().ok())?
        })
    }

    /// The result of a lookup; `None` only when neither the lookup nor the local table has the entry.
    fn answer<T>(&self, entry: &Entry<'_>, look: impl FnOnce() -> nix::Result<Option<T>>) -> Result<Option<T>, Error> {
        match look() {
            Ok(Some(found)) => Ok(Some(found)),
            Ok(None) if self.lists(entry) => {
                Err(found::unknown(self.path, &"the lookup found fewer entries than the file has"))
            }
            Ok(None) => Ok(None),
            // Without any table there are no users.
            Err(Errno::ENOENT) if self.text.is_none() => Ok(None),
            Err(errno) => Err(found::unknown(&format!("{} in {}", entry.value, self.path), &errno.desc())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::ErrorCode;

    fn table(text: Option<&str>) -> Table {
        Table { path: USERS, text: text.map(str::to_owned) }
    }

    #[test]
    fn only_what_nothing_knows_is_absent() {
        let ada = "ada:x:1000:1001:Ada,,,:/home/ada:/bin/bash\nbad";
        for (local, name, lookup, expect) in [
            (Some(ada), "ada", Ok(Some(())), Ok(true)),
            (Some(ada), "bob", Ok(Some(())), Ok(true)),
            (Some(ada), "bob", Ok(None), Ok(false)),
            (None, "bob", Ok(None), Ok(false)),
            (None, "bob", Err(Errno::ENOENT), Ok(false)),
            // The lookup could not open the table, and another service answered after it.
            (Some(ada), "ada", Ok(None), Err(ErrorCode::H0113)),
            (Some(ada), "bob", Err(Errno::ENOENT), Err(ErrorCode::H0113)),
            (Some(ada), "bob", Err(Errno::ECONNREFUSED), Err(ErrorCode::H0113)),
            (None, "bob", Err(Errno::EMFILE), Err(ErrorCode::H0113)),
        ] {
            let answer = table(local).answer(&Entry { field: 0, value: name }, || lookup);
            let answer = answer.map(|found| found.is_some()).map_err(|error| error.code());
            assert_eq!(answer, expect, "{name} {lookup:?}");
        }
        assert!(table(Some(ada)).lists(&Entry { field: NUMBER, value: "1000" }));
        let groups = "root:x:0:\nops:x:50:bob,ada\nadam:x:51:adam\nada:x:1001:\nbad\nbig:x:many:ada";
        assert_eq!(table(Some(groups)).memberships("ada").collect::<Vec<_>>(), [50]);
    }

    #[test]
    fn the_machine_knows_its_users_and_groups() {
        let root = numbered(0).unwrap().unwrap();
        assert_eq!(named(&root.name).unwrap(), Some(root.clone()));
        assert!(groups(&root).unwrap().contains(&root.gid));
        assert!(local_homes().unwrap().contains(&root.home));
        assert_eq!(named("no such user").unwrap(), None);
        assert_eq!(named("\0").unwrap(), None);
        assert_eq!(numbered(4_000_000_000).unwrap(), None);
        assert_eq!(group_named("no such group").unwrap(), None);
    }
}

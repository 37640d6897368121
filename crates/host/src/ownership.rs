//! Checks that the files of a database belong to the user who works on it.
//!
//! Root trusts what is in a database: the owners of its jobs and their commands. So root works directly only on its own
//! databases, and on another user's as that user. A user who may write in a folder on the path can exchange the file
//! between the check and the opening, so no other user may ([`trusted_path`]). A file beside a database under a name
//! that howdah opens must be no link and must not belong to another user: a transaction log that another user puts
//! there would be read as part of the database. Must not depend on the content of the files.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::account::{self, Account};
use super::{found, handover, trusted_path, user_table, variables};
use howdah_words::error::{Error, ErrorCode};

/// Becomes the owner of a database for good, when that is another user and this process is root's; the environment is
/// then that user's too. For a link the owner of its target counts, for a file that does not exist yet that of the
/// folder in which it would be created. To be called before any thread is started.
///
/// H0140 when the system refuses.
pub fn work_as_owner(database: &Path) -> Result<(), Error> {
    for path in database.ancestors() {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if found::may_pass(&error) => return Err(found::cannot_read(path, &error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // What cannot be accessed is reported when it is opened.
            Err(_) => return Ok(()),
        };
        if let Some(owner) = handover::become_owner_of(&real)? {
            variables::become_user(owner);
        }
        return Ok(());
    }
    Ok(())
}

/// Refuses (`code`: H0100 for a database, H0111 for a file that is written) a path of which another user could exchange
/// the file or a folder. `team` is the group whose members may (`howdah.folders.group`).
///
/// # Errors
/// Also H0110, H0113 when the machine cannot say.
pub fn check_path(path: &Path, team: Option<&str>, code: ErrorCode) -> Result<(), Error> {
    let Some(why) = trusted_path::why_exchangeable(path, team)? else { return Ok(()) };
    let whose = if account::effective_uid() == 0 { "root's" } else { "your own" };
    Err(Error::with(code, &[&path.display(), &format!("another user could exchange it: {why}")]).help(format!(
        "use a folder that is {whose}, below folders in which no other user may write (chmod go-w); \
         howdah.folders.group in the site file names a group whose members are trusted"
    )))
}

/// Refuses (H0100) a database that another user could exchange ([`check_path`]) or that is no regular file, and a link
/// or another user's file beside it. A missing file is accepted.
pub fn check(database: &Path, beside: &[PathBuf], team: Option<&str>) -> Result<(), Error> {
    check_path(database, team, ErrorCode::H0100)?;
    let refuse = |why: String| Error::with(ErrorCode::H0100, &[&database.display(), &why]);
    if let Ok(metadata) = fs::metadata(database) {
        if !metadata.is_file() && !metadata.is_dir() {
            return Err(refuse("it is no regular file".to_owned()).help("name a file with --db or HOWDAH_DB"));
        }
        if let Some(why) = foreign(&metadata) {
            return Err(refuse(why).help("root works on such a database as its owner, and the owner has changed"));
        }
    }
    for path in beside {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if found::may_pass(&error) => return Err(found::cannot_read(path, &error)),
            Err(_) => continue,
        };
        let why = match foreign(&metadata) {
            _ if metadata.is_symlink() => Some("it is a link".to_owned()),
            None => trusted_path::other_owner(path, &metadata, team)?.map(|owner| format!("it belongs to {owner}")),
            why => why,
        };
        if let Some(why) = why {
            let help = "howdah follows no link to a file of its own, and uses no other user's: remove it, or keep \
                        the database in a folder where no other user may write";
            return Err(refuse(format!("[{}] is beside it, and {why}", path.display())).help(help));
        }
    }
    Ok(())
}

/// Refuses (H0100) a file to be read as a database that another user could exchange ([`check_path`]), owns or may
/// write. A missing file is accepted.
///
/// # Errors
/// Also H0110, H0113 when the machine cannot say.
pub fn check_source(file: &Path, team: Option<&str>) -> Result<(), Error> {
    check_path(file, team, ErrorCode::H0100)?;
    let found = match fs::metadata(file) {
        Ok(found) => found,
        Err(error) if found::may_pass(&error) => return Err(found::cannot_read(file, &error)),
        Err(_) => return Ok(()),
    };
    let why = match (foreign(&found), trusted_path::other_writer(file, &found, team)?) {
        (None, None) => return Ok(()),
        (Some(why), _) | (None, Some(why)) => why,
    };
    let help = "what it says is run with the rights of the database: copy it, and look at it first";
    Err(Error::with(ErrorCode::H0100, &[&file.display(), &why]).help(help))
}

/// Refuses an open file of howdah's own that is no regular file, or, where this process is root's, that another user
/// owns.
pub(super) fn check_open(file: &File) -> io::Result<()> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    foreign(&metadata).map_or(Ok(()), |why| Err(io::Error::other(why)))
}

/// Why root must not use a file.
fn foreign(metadata: &Metadata) -> Option<String> {
    if account::effective_uid() != 0 || metadata.uid() == 0 {
        return None;
    }
    let known = user_table::numbered(metadata.uid()).ok().flatten();
    let owner = known.map_or_else(|| metadata.uid().to_string(), |Account { name, .. }| name);
    Some(format!("it belongs to user [{owner}]"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;
    use howdah_tier as tier;

    #[test]
    fn links_and_other_users_files_beside_a_database_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("db"), "").unwrap();
        fs::write(at("own"), "").unwrap();
        fs::write(at("other"), "").unwrap();
        symlink(at("own"), at("link")).unwrap();
        let refused = |names: &[&str]| {
            let beside: Vec<PathBuf> = names.iter().map(|name| at(name)).collect();
            check(&at("db"), &beside, None).err().map(|error| error.message().to_owned()).unwrap_or_default()
        };
        assert_eq!(refused(&["own", "none"]), "");
        assert!(refused(&["own", "link"]).contains("it is a link"));
        assert!(check(Path::new("/dev/null"), &[], None).is_err());
        if tier::root("it gives a file to a user who does not exist") {
            chown(at("other"), Some(4_000_000), None).unwrap();
            assert!(refused(&["other"]).contains("it belongs to user [4000000]"));
            let file = File::open(at("other")).unwrap();
            assert!(check_open(&file).is_err() && check_open(&File::open(at("own")).unwrap()).is_ok());
        }
    }
}

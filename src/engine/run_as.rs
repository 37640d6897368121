//! Whose a job is, and whether this process may work for them.
//!
//! Decides what is recorded of users and groups, and refuses the jobs of others: only root works for them, and then
//! their commands run as they. What a job starts runs as the job's user, whatever a definition names. Must never know
//! how a process becomes another user.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::configuration::{self, ParsedProperties};
use crate::engine::settings::Settings;
use crate::error::{Error, ErrorCode, Result};
use crate::host::account::{self, Account};
use crate::host::user_table;
use crate::host::{acting, environment, handover, variables};
use crate::model::Properties;

/// The property that says whose a job is.
const USER: &str = "user.name";
/// Hadoop's name for the same.
const HADOOP_USER: &str = "mapreduce.job.user.name";

/// The user of a job: `user.name`.
pub(crate) fn user(configuration: &Properties) -> String {
    property(configuration, USER).unwrap_or_default()
}

/// Has the configuration of what a job starts (an action's workflow job, a sub-workflow, a coordinator of a bundle)
/// name the job's user.
///
/// # Errors
/// E1003 when it names another one, unless the site says that such a name is replaced.
pub(crate) fn keep_user(configuration: &mut Properties, user: &str, settings: &Settings) -> Result<()> {
    let named = configuration.insert(USER.to_owned(), user.to_owned());
    if let Some(name) = configuration.get_mut(HADOOP_USER) {
        user.clone_into(name);
    }
    match named.filter(|named| named.trim() != user && !settings.check_and_set_user_name) {
        None => Ok(()),
        Some(other) => Err(another(&other, user).help(
            "remove user.name from its configuration, or set oozie.configuration.check-and-set.user.name=true in the \
             site file to have it replaced",
        )),
    }
}

/// Refuses (E1003, at its place) a `user.name` among an operator's properties that is not the user of the job which
/// they are for.
pub(crate) fn check_user(given: &ParsedProperties, user: &str) -> Result<()> {
    match given.values.get(USER) {
        Some(other) if other.trim() != user => Err(given
            .place(USER, another(other, user))
            .help("leave the property out: workflow jobs run as the job's user")),
        _ => Ok(()),
    }
}

fn another(named: &str, user: &str) -> Error {
    // Not of coordinators alone, as the code's own words say.
    Error::plain(ErrorCode::E1003, format!("Invalid configuration, user.name [{named}] is not the job's user [{user}]"))
}

/// The group of a job: `group.name`, which is old, else `oozie.job.acl`.
pub(crate) fn group(configuration: &Properties) -> Option<String> {
    property(configuration, "group.name").or_else(|| acl(configuration))
}

/// The other users whom Oozie would let work on a job: `oozie.job.acl`; recorded, but not enforced.
pub(crate) fn acl(configuration: &Properties) -> Option<String> {
    property(configuration, "oozie.job.acl")
}

fn property(configuration: &Properties, name: &str) -> Option<String> {
    configuration.get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Who the commands of a job run as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Worker {
    /// The user of this process.
    Own,
    /// Another user, for whom root works.
    Other(Account),
    /// A user whom the machine cannot name at present; nothing is done with other rights instead.
    Unknown(Error),
}

/// Who the commands of a user's job run as; a job without a user is one's own.
///
/// # Errors
/// H0150 for a job of another user when this process is not root's, H0151 for a user that the machine does not know,
/// H0110 and H0113 when the user table cannot be read.
pub(crate) fn worker(user: &str) -> Result<Worker> {
    let own = environment::user_name()?;
    if user.is_empty() || user == own {
        return Ok(Worker::Own);
    }
    if !account::is_root() {
        return Err(Error::with(ErrorCode::H0150, &[&user, &own]).help(format!(
            "run howdah as {user} with a database of their own, or as root; or set user.name={own} to run the job as \
             yours"
        )));
    }
    let account = user_table::named(user)?.ok_or_else(|| {
        let help =
            "user.name must be a user of this machine (`getent passwd` knows them): its commands run as that user";
        Error::new(ErrorCode::H0151, user).help(help)
    })?;
    Ok(if account.uid == account::own_uid() { Worker::Own } else { Worker::Other(account) })
}

/// With whose rights the files of a user's job are looked at: the user's where this process may work for them, else its
/// own. Whether it may work for them at all is for [`worker`] to say.
pub(crate) fn reader(user: &str) -> Worker {
    match worker(user) {
        Ok(worker) => worker,
        Err(error) if error.may_pass() => Worker::Unknown(error),
        Err(_) => Worker::Own,
    }
}

/// As [`reader`], for the job that properties describe.
pub(crate) fn reader_of(properties: &ParsedProperties) -> Worker {
    let named = configuration::resolve_parsed(properties).ok().map(|resolved| user(&resolved));
    named.map_or(Worker::Own, |user| reader(&user))
}

impl Worker {
    /// Does `work` with the rights of the user. Everything that is read, created, changed or deleted for a job is done
    /// so, unless a process does it that has become the user. The database is never worked on in it.
    ///
    /// # Errors
    /// H0153 when the system refuses; then nothing was done.
    pub(crate) fn act<T>(&self, work: impl FnOnce() -> T) -> Result<T> {
        match self {
            Self::Own => Ok(work()),
            Self::Other(account) => acting::act_as(account, work),
            Self::Unknown(error) => Err(error.clone()),
        }
    }

    /// The home folder that a job's relative paths are looked for in.
    ///
    /// # Errors
    /// H0110, H0113 when the user table must tell and cannot be read.
    pub(crate) fn home(&self) -> Result<PathBuf> {
        match self {
            Self::Own => Ok(environment::home()?.unwrap_or_else(|| Path::new("/").to_owned())),
            Self::Other(account) => Ok(account.home.clone()),
            Self::Unknown(error) => Err(error.clone()),
        }
    }

    /// The environment of a job's commands; of root's own only what names places and languages goes to others.
    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        match self {
            Self::Own | Self::Unknown(_) => variables::for_commands(),
            Self::Other(account) => variables::of_user(account, variables::for_commands()),
        }
    }

    /// Refuses (H0152) when the user cannot come to the folder that holds a database and the folder of its attempts.
    pub(crate) fn check_access(&self, database: &Path) -> Result<()> {
        match (self, database.parent()) {
            (Self::Other(account), Some(folder)) => handover::check_access(folder, account),
            _ => Ok(()),
        }
    }

    /// Gives a prepared folder of an attempt to the user, when that is another one.
    ///
    /// # Errors
    /// H0111.
    pub(crate) fn hand_over(&self, folder: &Path, runs: &Path) -> Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Other(account) => handover::hand_over(folder, runs, account),
            Self::Unknown(error) => Err(error.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_name_of_the_group_wins() {
        let check = |pairs: &[(&str, &str)], expect: Option<&str>| {
            let properties = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(group(&properties).as_deref(), expect, "{pairs:?}");
        };
        check(&[], None);
        check(&[("oozie.job.acl", " ops ")], Some("ops"));
        check(&[("oozie.job.acl", "ops"), ("group.name", "dev")], Some("dev"));
        check(&[("oozie.job.acl", "ops"), ("group.name", " ")], Some("ops"));
    }

    #[test]
    fn what_a_job_starts_runs_as_the_jobs_user() {
        let check = |named: Option<&str>, user: &str, replaced: bool, expect: Option<ErrorCode>| {
            let settings = Settings { check_and_set_user_name: replaced, ..Settings::default() };
            let pairs = named.map(|named| (USER, named)).into_iter().chain([(HADOOP_USER, "root")]);
            let mut configuration = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let kept = keep_user(&mut configuration, user, &settings);
            assert_eq!(kept.map_err(|error| error.code()), expect.map_or(Ok(()), Err), "{named:?} {user}");
            let names = [USER, HADOOP_USER].map(|name| configuration.get(name).map(String::as_str));
            assert_eq!(names, [Some(user), Some(user)], "{named:?}");
        };
        check(None, "ann", false, None);
        check(Some(" ann "), "ann", false, None);
        check(Some("root"), "ann", false, Some(ErrorCode::E1003));
        check(Some("root"), "", false, Some(ErrorCode::E1003));
        check(Some(""), "ann", false, Some(ErrorCode::E1003));
        check(Some("root"), "ann", true, None);
    }

    #[test]
    fn a_stranger_is_refused_by_name() {
        let error = worker("nobody-has-this-name").unwrap_err();
        let code = if account::is_root() { ErrorCode::H0151 } else { ErrorCode::H0150 };
        assert_eq!(error.code(), code);
        assert_eq!(worker(&environment::user_name().unwrap()).unwrap(), Worker::Own);
        assert_eq!(worker("").unwrap(), Worker::Own);
    }

    #[test]
    fn of_roots_environment_little_goes_to_others() {
        let other = Worker::Other(Account {
            name: "ada".to_owned(),
            uid: 1000,
            gid: 1000,
            home: PathBuf::from("/home/ada"),
            shell: "/bin/sh".to_owned(),
        });
        let variables = other.environment();
        assert_eq!(variables.get("HOME").map(String::as_str), Some("/home/ada"));
        assert_eq!(variables.get("USER").map(String::as_str), Some("ada"));
        assert!(
            variables
                .keys()
                .all(|name| ["PATH", "LANG", "LC_ALL", "TZ", "HOME", "USER", "LOGNAME", "SHELL"]
                    .contains(&name.as_str()))
        );
    }
}

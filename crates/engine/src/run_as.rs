//! The user of a job, and whether this process may work for that user.
//!
//! Decides what is recorded of users and groups, and refuses the jobs of other users: only root works for them, and
//! their commands run as that user. What a job starts runs as the job's user, even if a definition names another one.
//! Must not depend on how a process becomes another user.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::settings::Settings;
use howdah_host::account::{self, Account};
use howdah_host::mounts::Mounts;
use howdah_host::user_table;
use howdah_host::{acting, command_environment, environment, handover};
use howdah_oozie::configuration::{self, ParsedProperties};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;

/// The property with the user of a job.
const USER: &str = "user.name";
/// Hadoop's name for the same.
const HADOOP_USER: &str = "mapreduce.job.user.name";

/// Returns the user of a job: `user.name`.
pub fn user(configuration: &Properties) -> String {
    property(configuration, USER).unwrap_or_default()
}

/// Sets the job's user in the configuration of what a job starts: an action's workflow job, a sub-workflow, a
/// coordinator of a bundle.
///
/// # Errors
/// E1003 when it names another one, unless the site allows to replace it.
pub(crate) fn keep_user(configuration: &mut Properties, user: &str, settings: &Settings) -> Result<()> {
    match set_user(configuration, user).filter(|named| named.trim() != user && !settings.check_and_set_user_name) {
        None => Ok(()),
        Some(other) => Err(another(&other, user).help(
            "remove user.name from its configuration, or set oozie.configuration.check-and-set.user.name=true in the \
             site file to have it replaced",
        )),
    }
}

/// Sets the user of a job in its configuration; returns the one that it named.
pub(crate) fn set_user(configuration: &mut Properties, user: &str) -> Option<String> {
    let named = configuration.insert(USER.to_owned(), user.to_owned());
    if let Some(name) = configuration.get_mut(HADOOP_USER) {
        user.clone_into(name);
    }
    named
}

/// Refuses (E1003, at its place) a `user.name` in an operator's properties that is not the user of their job.
pub fn check_user(given: &ParsedProperties, user: &str) -> Result<()> {
    match given.values.get(USER) {
        Some(other) if other.trim() != user => Err(given
            .place(USER, another(other, user))
            .help("leave the property out: workflow jobs run as the job's user")),
        _ => Ok(()),
    }
}

fn another(named: &str, user: &str) -> Error {
    // The summary of the code names coordinators only.
    Error::plain(ErrorCode::E1003, format!("Invalid configuration, user.name [{named}] is not the job's user [{user}]"))
}

/// Returns the group of a job: `group.name`, the old name, else `oozie.job.acl`.
pub fn group(configuration: &Properties) -> Option<String> {
    property(configuration, "group.name").or_else(|| acl(configuration))
}

/// Returns the other users that Oozie allows to work on a job: `oozie.job.acl`; recorded, but not enforced.
pub fn acl(configuration: &Properties) -> Option<String> {
    property(configuration, "oozie.job.acl")
}

fn property(configuration: &Properties, name: &str) -> Option<String> {
    configuration.get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The user that runs the commands of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worker {
    /// The user of this process.
    Own,
    /// Another user; this process is root.
    Other(Account),
    /// A user that the machine cannot look up at present; nothing is done with other rights instead.
    Unknown(Error),
}

/// Returns the user that runs the commands of a user's job; a job without a user belongs to this process's user.
///
/// # Errors
/// H0150 for a job of another user when this process is not root, H0151 for a user that the machine does not know,
/// H0110 and H0113 when the user table cannot be read.
pub fn worker(user: &str) -> Result<Worker> {
    let own = environment::user_name()?;
    if user.is_empty() || user == own {
        return Ok(Worker::Own);
    }
    if !account::is_root() {
        return Err(Error::with(ErrorCode::H0150, &[&user, &own]).help(format!(
            "run howdah as {user} with a separate database, or as root; or set user.name={own} to run the job as \
             yours"
        )));
    }
    let account = user_table::named(user)?.ok_or_else(|| {
        let help =
            "user.name must be a user of this machine (`getent passwd` lists them): its commands run as that user";
        Error::new(ErrorCode::H0151, user).help(help)
    })?;
    Ok(if account.uid == account::own_uid() { Worker::Own } else { Worker::Other(account) })
}

/// Returns whether this process may work for a user: its own, or any when it is root.
pub fn may_work_for(user: &str) -> bool {
    account::is_root() || user.is_empty() || environment::user_name().is_ok_and(|own| own == user)
}

/// Returns the user whose rights apply to reading a job's files: the job's user if this process may work for them, else
/// its own user. [`worker`] decides whether it may.
pub fn reader(user: &str) -> Worker {
    match worker(user) {
        Ok(worker) => worker,
        Err(error) if error.may_pass() => Worker::Unknown(error),
        Err(_) => Worker::Own,
    }
}

/// As [`reader`], for the job that properties describe.
pub(crate) fn reader_of(properties: &ParsedProperties) -> Worker {
    user_of(properties).map_or(Worker::Own, |user| reader(&user))
}

/// Returns the user of the job that properties describe; `None` when they cannot be resolved.
pub fn user_of(properties: &ParsedProperties) -> Option<String> {
    configuration::resolve_parsed(properties).ok().map(|resolved| user(&resolved))
}

impl Worker {
    /// Does `work` with the rights of the user. Everything that is read, created, changed or deleted for a job is done
    /// this way, or by a process that has become the user. It must not use the database.
    ///
    /// # Errors
    /// H0153 when the system refuses; then nothing was done.
    pub fn act<T>(&self, work: impl FnOnce() -> T) -> Result<T> {
        match self {
            Self::Own => Ok(work()),
            Self::Other(account) => acting::act_as(account, work),
            Self::Unknown(error) => Err(error.clone()),
        }
    }

    /// Returns the home folder in which a job's relative paths are searched.
    ///
    /// # Errors
    /// H0110, H0113 when the user table is needed and cannot be read.
    pub fn home(&self) -> Result<PathBuf> {
        match self {
            Self::Own => Ok(environment::home()?.unwrap_or_else(|| Path::new("/").to_owned())),
            Self::Other(account) => Ok(account.home.clone()),
            Self::Unknown(error) => Err(error.clone()),
        }
    }

    /// Returns the environment that the site defines for the commands of the user's jobs, with the mounts.
    ///
    /// # Errors
    /// H0110, H0113 when the user table cannot be read.
    pub fn environment(&self, settings: &Settings, mounts: &Mounts) -> Result<BTreeMap<String, String>> {
        let account = match self {
            Self::Own => None,
            Self::Other(account) => Some(account),
            Self::Unknown(error) => return Err(error.clone()),
        };
        let mut variables = settings.command_variables.of_user(account)?;
        command_environment::add_mounts(&mut variables, mounts);
        Ok(variables)
    }

    /// Refuses (H0152) when the user cannot access the folder of a database and of its attempts.
    pub fn check_access(&self, database: &Path) -> Result<()> {
        match (self, database.parent()) {
            (Self::Other(account), Some(folder)) => handover::check_access(folder, account),
            _ => Ok(()),
        }
    }

    /// Changes the owner of an attempt's prepared folder, if the user is another one.
    ///
    /// # Errors
    /// H0111.
    pub fn hand_over(&self, folder: &Path, runs: &Path) -> Result<()> {
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
    fn an_unknown_user_is_refused_by_name() {
        let error = worker("nobody-has-this-name").unwrap_err();
        let code = if account::is_root() { ErrorCode::H0151 } else { ErrorCode::H0150 };
        assert_eq!(error.code(), code);
        assert_eq!(worker(&environment::user_name().unwrap()).unwrap(), Worker::Own);
        assert_eq!(worker("").unwrap(), Worker::Own);
    }

    #[test]
    fn commands_get_what_the_site_defines() {
        let other = Worker::Other(Account {
            name: "ada".to_owned(),
            uid: 1000,
            gid: 1000,
            home: PathBuf::from("/home/ada"),
            shell: "/bin/sh".to_owned(),
        });
        let mounts = Mounts::parse(["hdfs://nn=/data"]).unwrap();
        let mut settings = Settings::default();
        settings.command_variables.pass.clear();
        let variables = other.environment(&settings, &mounts).unwrap();
        let value = |name: &str| variables.get(name).map(String::as_str);
        assert_eq!([value("HOME"), value("USER"), value("LOGNAME")], [Some("/home/ada"), Some("ada"), Some("ada")]);
        assert_eq!(value("HOWDAH_MOUNTS"), Some("hdfs://nn=/data"));
        let names = ["HOME", "HOWDAH_MOUNTS", "LANG", "LOGNAME", "PATH", "TZ", "USER"];
        assert!(variables.keys().all(|name| names.contains(&name.as_str())), "{variables:?}");
        let unknown = Worker::Unknown(Error::new(ErrorCode::H0140, "no answer"));
        assert!(unknown.environment(&settings, &mounts).is_err(), "another user's environment is not taken instead");
    }
}

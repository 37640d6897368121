//! Writes the settings, mounts, problems and progress of the runner into its lock, and warns when a command has other
//! settings.
//!
//! One runner advances all workflow jobs of a database, so a job may run under other settings than those of the command
//! that submitted it. Must not decide which settings are better.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::format::in_words;
use crate::runner::demand;
use crate::runner::problem::{Problem, THE_RUNNER};
use crate::runner::progress::Progress;
use crate::runner::start_record;
use crate::{Engine, copy_check};
use howdah_host::clock::awake;
use howdah_host::found::Found;
use howdah_host::lock::{self, Lock};
use howdah_host::processes::{self, Identity};
use howdah_words::error::Result;

/// The settings of a runner, as its lock contains them.
#[derive(Debug, Serialize, Deserialize)]
struct RunnerSettings {
    runner: Identity,
    site: Option<String>,
    /// A hash of the properties of the site file, which may contain passwords.
    digest: u64,
    mounts: Vec<String>,
    /// The folder of Hadoop's site files, where mounts may need them.
    #[serde(default)]
    hadoop_folder: Option<String>,
    /// Where its commands find programs.
    #[serde(default)]
    path: String,
    /// Its problems at the moment.
    #[serde(default)]
    problems: BTreeSet<Problem>,
    /// Why it does not notice all new files, when it is part of a daemon.
    #[serde(default)]
    unwatched: Option<String>,
    /// Its last step; a runner of an earlier version does not tell it.
    #[serde(default)]
    progress: Option<Progress>,
}

/// The lock of the runner in this process.
#[derive(Debug)]
pub struct RunnerLock {
    lock: Lock,
    settings: Option<RunnerSettings>,
}

impl RunnerLock {
    /// Publishes for other processes that the runner has made a step, and what its problems are after it.
    pub fn stepped(&mut self, problems: BTreeSet<Problem>) {
        let Some(settings) = &mut self.settings else { return };
        let problems: BTreeSet<Problem> = problems.into_iter().take(MOST_PROBLEMS).collect();
        let is_due = settings.progress.get_or_insert(Progress::start(awake(), None)).stepped(awake());
        if is_due || settings.problems != problems {
            settings.problems = problems;
            self.write_settings();
        }
    }

    /// Publishes why new files in some folders are not noticed.
    pub(crate) fn publish_unwatched(&mut self, unwatched: Option<&String>) {
        if let Some(settings) = self.settings.as_mut().filter(|settings| settings.unwatched.as_ref() != unwatched) {
            settings.unwatched = unwatched.cloned();
            self.write_settings();
        }
    }

    /// Gives the lock back in order: nothing says that this runner died.
    pub fn leave(self) {
        // Without this a later tick reports a death that was none.
        let _ = self.lock.sign("");
    }

    fn write_settings(&self) {
        if let Some(settings) = &self.settings {
            // Only information for other processes: on a full disk the runner works without it.
            let _ = self.lock.sign(&serde_json::to_string(settings).expect("settings contain only texts and numbers"));
        }
    }
}

/// The most problems that the lock contains.
const MOST_PROBLEMS: usize = 100;

impl RunnerSettings {
    fn of(engine: &Engine) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        engine.settings.properties.hash(&mut hasher);
        let site = engine.settings.file.as_ref().map(|file| file.display().to_string());
        // Their order does not matter.
        let mut mounts: Vec<String> = engine.mounts.texts().collect();
        mounts.sort_unstable();
        let (runner, digest) = (Identity::own()?, hasher.finish());
        let path = engine.settings.command_variables.path();
        let hadoop_folder = engine.settings.stores.hadoop_folder.clone().filter(|_| !mounts.is_empty());
        let problems = BTreeSet::new();
        Ok(Self { runner, site, digest, mounts, hadoop_folder, path, problems, unwatched: None, progress: None })
    }

    /// Returns whether its times are those of the clock of this boot.
    fn is_of_this_boot(&self) -> bool {
        self.runner.is_of_this_boot().unwrap_or_default()
    }

    /// Returns its problems at the moment; one that makes no steps is another.
    fn problems(&self) -> BTreeSet<Problem> {
        let pid = self.runner.pid;
        let stalled = self.progress.and_then(|progress| progress.stalled(awake())).map(|seconds| {
            let why = format!(
                "process {pid} has made no step for {}: it is stopped or waits for something (`ps -o stat,wchan \
                 {pid}`); `kill -9 {pid}` harms no job",
                length(seconds)
            );
            (THE_RUNNER.to_owned(), why)
        });
        self.problems.iter().cloned().chain(stalled).collect()
    }

    /// Returns how the settings of the running runner differ from `own`, one sentence for each difference.
    fn differences(&self, own: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.mounts != own.mounts {
            differences.push(format!("it has {}, this command {}", mounts(&self.mounts), mounts(&own.mounts)));
        }
        if self.hadoop_folder != own.hadoop_folder {
            let folder = |settings: &Self| settings.hadoop_folder.clone().unwrap_or_else(|| "none".to_owned());
            differences.push(format!(
                "its folder of Hadoop's site files is [{}], that of this command [{}]",
                folder(self),
                folder(own)
            ));
        }
        // A runner of an earlier version does not say it.
        if self.path != own.path && !self.path.is_empty() {
            differences
                .push(format!("its commands have the PATH [{}], those of this command [{}]", self.path, own.path));
        }
        if self.site != own.site {
            differences.push(format!("it has {}, this command {}", site(self), site(own)));
        } else if self.digest != own.digest {
            differences.push(format!("{} has changed since it started", site(own)));
        }
        differences
    }
}

fn mounts(mounts: &[String]) -> String {
    if mounts.is_empty() { "no mounts".to_owned() } else { format!("the mounts [{}]", mounts.join(", ")) }
}

fn site(settings: &RunnerSettings) -> String {
    settings.site.as_ref().map_or_else(|| "no site file".to_owned(), |file| format!("the site file [{file}]"))
}

/// Takes the runner's lock and writes the settings of this process into it; `None` when another runner is running.
///
/// # Errors
/// H0133 when this may be a copy of the database, H0111 when the lock cannot be taken; H0103, H0110, H0111 when the
/// journal of starts cannot be read or written.
pub fn take_lock(engine: &mut Engine) -> Result<Option<RunnerLock>> {
    copy_check::check(engine)?;
    let Some(lock) = lock::try_lock(&engine.runner_lock())? else { return Ok(None) };
    start_record::complete(engine)?;
    let before = last_settings(engine).filter(RunnerSettings::is_of_this_boot).and_then(|last| last.progress);
    let settings = |own| RunnerSettings { progress: Some(Progress::start(awake(), before)), ..own };
    // The runner works without them while the process table cannot be read.
    let held = RunnerLock { lock, settings: RunnerSettings::of(engine).ok().map(settings) };
    held.write_settings();
    Ok(Some(held))
}

/// A running runner, as other processes see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunnerView {
    pub pid: i32,
    /// The site file that it has read.
    pub site: Option<String>,
    pub mounts: Vec<String>,
    /// Where its commands find programs (`PATH`).
    pub path: String,
    /// What keeps it from its work.
    pub problems: Vec<String>,
}

/// Returns the running runner; `None` when no runner is running, or this is unknown.
pub fn runner(engine: &Engine) -> Option<RunnerView> {
    let settings = read_settings(engine)?;
    Some(RunnerView {
        pid: settings.runner.pid,
        problems: settings.problems().iter().map(|(subject, problem)| format!("{subject}: {problem}")).collect(),
        site: settings.site,
        mounts: settings.mounts,
        path: settings.path,
    })
}

/// Reads the problems that the running runner has published, and whether it makes no steps; none when no runner is
/// running, or this is unknown.
pub fn problems(engine: &Engine) -> BTreeSet<Problem> {
    published(engine).0
}

/// As [`problems`], with the reason why new files in some folders are not noticed.
pub fn published(engine: &Engine) -> (BTreeSet<Problem>, Option<String>) {
    match read_settings(engine) {
        Some(settings) => (settings.problems(), settings.unwatched),
        None => (no_first_step(engine).into_iter().collect(), None),
    }
}

/// Returns the problem of runners of which each one dies before its first step, while workflow jobs need one.
fn no_first_step(engine: &Engine) -> Option<Problem> {
    let last = last_settings(engine).filter(RunnerSettings::is_of_this_boot)?;
    let progress = last.progress.filter(|progress| progress.is_first_step_open())?;
    let seconds = progress.stalled(awake())?;
    // A failure of the database is reported by the command itself.
    let is_needed = demand::needs_runner(engine).unwrap_or_default();
    let log = engine.runner_log();
    let why = format!("none has made a step for {}; [{}] says why", length(seconds), log.display());
    is_needed.then(|| (THE_RUNNER.to_owned(), why))
}

fn length(seconds: u64) -> String {
    in_words(i64::try_from(seconds).unwrap_or(i64::MAX))
}

/// Checks whether the last runner died before it gave its lock back, and none has followed. `false` when this is
/// unknown.
pub(crate) fn has_died(engine: &Engine) -> bool {
    lock::is_held(&engine.runner_lock()).is_ok_and(|held| !held)
        && last_settings(engine).is_some_and(|last| processes::look_for(&last.runner) == Found::Absent)
}

/// Reads what the last runner has written into its lock; `None` when it gave the lock back.
fn last_settings(engine: &Engine) -> Option<RunnerSettings> {
    lock::signature(&engine.runner_lock()).and_then(|text| serde_json::from_str(&text).ok())
}

/// Reads the settings of the running runner from its lock.
fn read_settings(engine: &Engine) -> Option<RunnerSettings> {
    // A runner that has taken the lock but not written yet leaves the text of an earlier one.
    last_settings(engine).filter(|settings| processes::look_for(&settings.runner) == Found::Present(()))
}

/// Returns the warning for a command whose settings differ from those of the running runner: each difference, and what
/// to do. `None` when the settings agree, no runner is running, or this is unknown.
pub fn warning(engine: &Engine) -> Option<String> {
    let theirs = read_settings(engine)?;
    let own = RunnerSettings::of(engine).ok()?;
    let differences = theirs.differences(&own);
    if theirs.runner == own.runner || differences.is_empty() {
        return None;
    }
    let pid = theirs.runner.pid;
    Some(format!(
        "the workflow jobs of this database are advanced by process {pid} under its own settings: {}. To use other \
         settings, run `kill {pid}`, which harms no job, and then tick with those settings.",
        differences.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(site: Option<&str>, digest: u64, mounts: &[&str]) -> RunnerSettings {
        let mounts = mounts.iter().map(|mount| (*mount).to_owned()).collect();
        RunnerSettings {
            runner: Identity::own().unwrap(),
            site: site.map(str::to_owned),
            digest,
            mounts,
            hadoop_folder: None,
            path: "/bin".to_owned(),
            problems: BTreeSet::new(),
            unwatched: None,
            progress: None,
        }
    }

    fn check(theirs: &RunnerSettings, own: &RunnerSettings, expect: &[&str]) {
        assert_eq!(theirs.differences(own), expect);
    }

    #[test]
    fn every_difference_is_named() {
        let plain = settings(None, 1, &[]);
        check(&plain, &plain, &[]);
        let mounted = settings(None, 1, &["hdfs://a=/data", "s3a://b=/b"]);
        check(&plain, &mounted, &["it has no mounts, this command the mounts [hdfs://a=/data, s3a://b=/b]"]);
        let elsewhere = RunnerSettings { path: "/opt/bin".to_owned(), ..settings(None, 1, &[]) };
        check(&elsewhere, &plain, &["its commands have the PATH [/opt/bin], those of this command [/bin]"]);
        let other_folder = RunnerSettings { hadoop_folder: Some("/conf".to_owned()), ..settings(None, 1, &[]) };
        let folders = "its folder of Hadoop's site files is [none], that of this command [/conf]";
        check(&plain, &other_folder, &[folders]);
        let with_site = settings(Some("/etc/site.xml"), 2, &[]);
        check(&with_site, &plain, &["it has the site file [/etc/site.xml], this command no site file"]);
        let edited = settings(Some("/etc/site.xml"), 3, &["hdfs://a=/data", "s3a://b=/b"]);
        let changed = "the site file [/etc/site.xml] has changed since it started";
        check(
            &with_site,
            &edited,
            &["it has no mounts, this command the mounts [hdfs://a=/data, s3a://b=/b]", changed],
        );
    }
}

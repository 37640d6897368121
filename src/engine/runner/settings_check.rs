//! Under which settings and mounts a runner works, and what is in its way: written into its lock, and read by whoever
//! finds another one at work.
//!
//! One runner carries all workflow jobs of a database, so a job may run under other settings than those of the command
//! that submitted it. Decides only whether a person should be told; never which of two settings is the better one.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::engine::runner::trouble::Trouble;
use crate::engine::{Engine, copy_check};
use crate::error::Result;
use crate::host::found::Found;
use crate::host::lock::{self, Lock};
use crate::host::processes::{self, Identity};

/// What a runner works with and a command may give.
#[derive(Debug, Serialize, Deserialize)]
struct Terms {
    runner: Identity,
    site: Option<String>,
    /// Of what the site file says: it may hold passwords.
    digest: u64,
    mounts: Vec<String>,
    /// What is in its way at the moment.
    #[serde(default)]
    troubles: BTreeSet<Trouble>,
}

/// The runner's lock, in the hands of the runner.
#[derive(Debug)]
pub(crate) struct RunnerLock {
    lock: Lock,
    terms: Option<Terms>,
}

impl RunnerLock {
    /// Lets others know what is in the way of the runner now.
    pub(crate) fn tell(&mut self, troubles: BTreeSet<Trouble>) {
        let troubles: BTreeSet<Trouble> = troubles.into_iter().take(MOST_TROUBLES).collect();
        if let Some(terms) = self.terms.as_mut().filter(|terms| terms.troubles != troubles) {
            terms.troubles = troubles;
            self.sign();
        }
    }

    fn sign(&self) {
        if let Some(terms) = &self.terms {
            // Only tells others; on a full disk the work goes on without it.
            let _ = self.lock.sign(&serde_json::to_string(terms).expect("terms hold only texts and numbers"));
        }
    }
}

/// More troubles are not told of at a time.
const MOST_TROUBLES: usize = 100;

impl Terms {
    fn of(engine: &Engine) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        engine.settings.properties.hash(&mut hasher);
        let site = engine.settings.file.as_ref().map(|file| file.display().to_string());
        // The order in which they were given means nothing.
        let mut mounts: Vec<String> = engine.mounts.texts().collect();
        mounts.sort_unstable();
        Ok(Self { runner: Identity::own()?, site, digest: hasher.finish(), mounts, troubles: BTreeSet::new() })
    }

    /// How those of the runner at work differ from `own`, one sentence for each; nothing when they do not.
    fn differences(&self, own: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.mounts != own.mounts {
            differences.push(format!("it has {}, this command {}", mounts(&self.mounts), mounts(&own.mounts)));
        }
        if self.site != own.site {
            differences.push(format!("it has {}, this command {}", site(self), site(own)));
        } else if self.digest != own.digest {
            differences.push(format!("{} has changed since it began", site(own)));
        }
        differences
    }
}

fn mounts(mounts: &[String]) -> String {
    if mounts.is_empty() { "no mounts".to_owned() } else { format!("the mounts [{}]", mounts.join(", ")) }
}

fn site(terms: &Terms) -> String {
    terms.site.as_ref().map_or_else(|| "no site file".to_owned(), |file| format!("the site file [{file}]"))
}

/// Takes the runner's lock and writes into it what this process works with; `None` when another runner is at work.
///
/// # Errors
/// H0133 when this may be a copy of the database, H0111 when the lock cannot be taken.
pub(crate) fn take_lock(engine: &mut Engine) -> Result<Option<RunnerLock>> {
    copy_check::check(engine)?;
    let Some(lock) = lock::try_lock(&engine.runner_lock())? else { return Ok(None) };
    // While the process table cannot be read the work goes on without.
    let held = RunnerLock { lock, terms: Terms::of(engine).ok() };
    held.sign();
    Ok(Some(held))
}

/// What is in the way of the runner at work, as it says itself; nothing when there is none, or it is unknown.
pub(crate) fn troubles(engine: &Engine) -> BTreeSet<Trouble> {
    signed(engine).map(|terms| terms.troubles).unwrap_or_default()
}

/// What the runner at work has signed.
fn signed(engine: &Engine) -> Option<Terms> {
    let signed = lock::signature(&engine.runner_lock()).and_then(|text| serde_json::from_str::<Terms>(&text).ok());
    // One that has the lock and has not signed yet leaves the words of the one before.
    signed.filter(|terms| processes::look_for(&terms.runner) == Found::Present(()))
}

/// What a person should know who submits something while a runner with other terms is at work: one sentence for each
/// difference, and what to do. `None` when there is no such runner, and while it is unknown whether there is one.
pub(crate) fn warning(engine: &Engine) -> Option<String> {
    let theirs = signed(engine)?;
    let own = Terms::of(engine).ok()?;
    let differences = theirs.differences(&own);
    if theirs.runner == own.runner || differences.is_empty() {
        return None;
    }
    let pid = theirs.runner.pid;
    Some(format!(
        "the workflow jobs of this database are carried on by process {pid} under its own settings: {}. To have them \
         carried on under others, `kill {pid}`, which harms no job, and tick with those.",
        differences.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(site: Option<&str>, digest: u64, mounts: &[&str]) -> Terms {
        let mounts = mounts.iter().map(|mount| (*mount).to_owned()).collect();
        Terms {
            runner: Identity::own().unwrap(),
            site: site.map(str::to_owned),
            digest,
            mounts,
            troubles: BTreeSet::new(),
        }
    }

    fn check(theirs: &Terms, own: &Terms, expect: &[&str]) {
        assert_eq!(theirs.differences(own), expect);
    }

    #[test]
    fn what_differs_is_named() {
        let plain = terms(None, 1, &[]);
        check(&plain, &plain, &[]);
        let mounted = terms(None, 1, &["hdfs://a=/data", "s3a://b=/b"]);
        check(&plain, &mounted, &["it has no mounts, this command the mounts [hdfs://a=/data, s3a://b=/b]"]);
        let with_site = terms(Some("/etc/site.xml"), 2, &[]);
        check(&with_site, &plain, &["it has the site file [/etc/site.xml], this command no site file"]);
        let edited = terms(Some("/etc/site.xml"), 3, &["hdfs://a=/data", "s3a://b=/b"]);
        let changed = "the site file [/etc/site.xml] has changed since it began";
        check(
            &with_site,
            &edited,
            &["it has no mounts, this command the mounts [hdfs://a=/data, s3a://b=/b]", changed],
        );
    }
}

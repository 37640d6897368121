//! The environment variables of the session for which this thread works; after root has become another user, they are
//! that user's.
//!
//! Decides no precedence between settings: the caller does. Must not depend on anything else of the machine.

use std::collections::BTreeMap;

use super::account::Account;
use super::session::Session;

/// The variables that say which accelerators a job on a cluster may use.
const DEVICES: [&str; 3] = ["CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES"];

/// The variables of root's environment that howdah's own processes keep when they work for another user.
const SHARED: [&str; 4] = ["PATH", "LANG", "LC_ALL", "TZ"];

/// The prefix of howdah's own variables.
const OWN: &str = "HOWDAH_";

/// Switches this session to a user's environment: of root's environment it keeps the variables for search paths and
/// languages, and howdah's own.
pub(super) fn become_user(owner: Account) {
    // It is set twice only by a process that already is that user's.
    let _ = Session::current().owner().set(owner);
}

/// The environment of a user, made from root's `variables`.
fn of_user(account: &Account, variables: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let shared = variables.into_iter().filter(|(name, _)| SHARED.contains(&name.as_str()));
    let own = [
        ("HOME", account.home.display().to_string()),
        ("USER", account.name.clone()),
        ("LOGNAME", account.name.clone()),
        ("SHELL", account.shell.clone()),
    ];
    shared.chain(own.map(|(name, value)| (name.to_owned(), value))).collect()
}

/// The environment of howdah's own child processes, where it is not that of this process: that of the user that this
/// process has become, or that of the session.
pub(super) fn for_own_processes() -> Option<BTreeMap<String, String>> {
    let session = Session::current();
    let Some(owner) = session.owner().get() else { return (!session.is_of_process()).then(texts) };
    let own = texts().into_iter().filter(|(name, _)| name.starts_with(OWN));
    Some(of_user(owner, texts()).into_iter().chain(own).collect())
}

/// Every variable that is text, as the process got it.
fn texts() -> BTreeMap<String, String> {
    let session = Session::current();
    let texts = session.variables().iter();
    texts.filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()))).collect()
}

/// Whether a variable is set for this process, whosever the environment is: libraries read it as it is.
#[cfg(feature = "hdfs")]
pub(crate) fn is_set(name: &str) -> bool {
    Session::current().variable(name).is_some_and(|value| !value.is_empty())
}

/// The variables of this process that the Kerberos library reads, and howdah's own: nothing else of root's environment
/// may be seen by a user.
#[cfg(feature = "hdfs")]
pub(super) fn of_kerberos() -> BTreeMap<String, String> {
    let is_of_kerberos = |name: &str| ["KRB5", "GSS", OWN].iter().any(|prefix| name.starts_with(prefix));
    texts().into_iter().filter(|(name, _)| is_of_kerberos(name) || is_mark_of_tests(name)).collect()
}

/// The value of an environment variable; `None` when it is unset, empty or not text.
pub fn get(name: &str) -> Option<String> {
    let session = Session::current();
    let value = match session.owner().get().filter(|_| !name.starts_with(OWN)) {
        Some(owner) => of_user(owner, texts()).remove(name),
        None => session.variable(name).and_then(|value| value.to_str().map(str::to_owned)),
    };
    value.filter(|value| !value.is_empty())
}

/// The variables of this process from which a site selects those that commands get: all except howdah's own. A process
/// of root that has become another user has kept only root's variables, which are none of that user's.
pub(super) fn to_pass_on() -> BTreeMap<String, String> {
    texts().into_iter().filter(|(name, _)| !name.starts_with(OWN)).collect()
}

/// Whether commands get a variable because the tests find their processes by it.
#[cfg(debug_assertions)]
pub(super) fn is_mark_of_tests(name: &str) -> bool {
    Session::current().variable("HOWDAH_TEST_MARK").is_some_and(|mark| mark == name)
}

#[cfg(not(debug_assertions))]
pub(super) const fn is_mark_of_tests(_: &str) -> bool {
    false
}

/// The variables with which Slurm describes a job to itself: its number, its nodes, its devices.
pub fn of_cluster_job() -> BTreeMap<String, String> {
    let of_slurm = |name: &str| name.starts_with("SLURM") || DEVICES.contains(&name);
    to_pass_on().into_iter().filter(|(name, _)| of_slurm(name)).collect()
}

/// The number of the Slurm job in which this process runs.
pub fn cluster_job_number() -> Option<String> {
    get("SLURM_JOB_ID").filter(|number| !number.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_do_not_get_the_own_variables() {
        assert!(to_pass_on().keys().all(|name| !name.starts_with(OWN)));
    }
}

//! Calls Slurm's client programs and interprets their output.
//!
//! `sbatch` sends jobs, `squeue` lists them and `scancel` ends them. Each runs in the background ([`Call`]), because
//! the programs wait many seconds for an absent controller. A job is identified by its comment, which is the token of
//! its attempt, and by its number. For an attempt of another user the programs run as that user, so no option and no
//! number in the folder can do more than its owner could. Must not depend on what a job works on or what to do about
//! it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::account;
use super::call::{Call, CallLine};
use super::command_environment::CommandVariables;
use super::shell_word::quoted;
use super::{environment, files, found, handover};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::Properties;

/// The name of the cluster in place of a host name (`wf:actionTrackerUri`).
pub const NAME: &str = "slurm";
/// The file, in the folder of an attempt, for what the cluster says about its job.
pub(crate) const MESSAGES: &str = "slurm.out";

/// The time limit for each program.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Texts of temporary failures: the controller is absent, cannot be found or is overloaded. Whole phrases: a message of
/// the site may also tell the user to contact somebody.
const PASSING: [&str; 17] = [
    "contact slurm controller",
    "connect failure",
    "connection failure",
    "connection refused",
    "connection reset",
    "job record, try again",
    "lookup failed",
    "no answer within",
    "not responding",
    "standby",
    "temporarily",
    "temporary failure",
    "timed out",
    "try again later",
    "unable to connect",
    "unable to establish control",
    "zero bytes were",
];
/// In the text of every refusal because of a limit.
const LIMIT_VIOLATED: &str = "violates accounting/qos policy";
/// Parts of Slurm's reasons of which the limit is the number of jobs, so that it passes when some end:
/// `AssocMaxSubmitJobLimit`, `QOSGrpSubmitJobsLimit`. The reason is in the line before the text.
const TOO_MANY_JOBS: [&str; 2] = ["maxsubmit", "grpsubmit"];
/// The states of a job that is over. In any other state it runs or will run.
const OVER: [&str; 10] = [
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "REVOKED",
    "TIMEOUT",
];

/// Slurm's client programs, and the path of howdah on the nodes of the cluster.
#[derive(Clone, Debug)]
pub struct Programs {
    sbatch: String,
    squeue: String,
    scancel: String,
    howdah: Option<String>,
    /// Their environment; it locates the cluster, and has nothing of a job in which howdah itself may run.
    variables: CommandVariables,
}

/// A job as the queue shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: String,
    /// In capitals, such as `PENDING`.
    pub state: String,
    /// The token of its attempt, if it has one.
    pub comment: String,
    /// Why it is in its state; empty when Slurm gives no reason.
    pub reason: String,
}

impl Programs {
    /// The programs that the site properties `howdah.command.sbatch` etc. and `howdah.slurm.command` name; by default
    /// those on the `PATH` and the file of this program.
    pub fn of(site: &Properties, variables: &CommandVariables) -> Self {
        let named = |property: &str| site.get(property).map(|path| path.trim()).filter(|path| !path.is_empty());
        let program = |name: &str| named(&format!("howdah.command.{name}")).unwrap_or(name).to_owned();
        Self {
            sbatch: program("sbatch"),
            squeue: program("squeue"),
            scancel: program("scancel"),
            howdah: named("howdah.slurm.command").map(str::to_owned),
            variables: variables.clone(),
        }
    }

    /// Sends the shim of an attempt to the cluster.
    ///
    /// H0140 when the path of this program is not known; H0141 when `sbatch` cannot be started; H0140 or H0110 when
    /// that failure is temporary.
    pub fn submit(&self, folder: &Path, token: &str, options: &[String]) -> Result<Call, Error> {
        let folder = files::absolute(folder).map_err(|error| Error::new(ErrorCode::H0140, error))?;
        let howdah = if let Some(path) = &self.howdah {
            path.clone()
        } else {
            let own = environment::installed_program().map_err(|error| Error::new(ErrorCode::H0140, error))?;
            own.display().to_string()
        };
        let node = folder.parent().and_then(Path::file_name).map(|node| node.to_string_lossy()).unwrap_or_default();
        let mut arguments = options.to_vec();
        arguments.extend([
            "--parsable".to_owned(),
            "--no-requeue".to_owned(),
            format!("--comment={token}"),
            format!("--job-name=howdah-{node}"),
            format!("--chdir={}", folder.display()),
            // Relative to the folder, and without characters that are patterns for Slurm.
            format!("--output={MESSAGES}"),
        ]);
        let (howdah, folder_text) = (quoted(&howdah), quoted(&folder.display().to_string()));
        let script = format!("#!/bin/sh\nexec {howdah} attempt {folder_text}\n");
        start(&self.sbatch, "sbatch", self.line(arguments, script.into_bytes(), &folder)?)
    }

    /// Lists the jobs of these users, including those that ended recently. H0141 when `squeue` cannot be started.
    pub fn queue(&self, users: &BTreeSet<u32>) -> Result<Call, Error> {
        let users: Vec<String> = users.iter().map(u32::to_string).collect();
        let arguments = ["--noheader", "--states=all", "--format=%i|%T|%k|%r"].map(str::to_owned);
        let arguments = arguments.into_iter().chain([format!("--users={}", users.join(","))]).collect();
        start(&self.squeue, "squeue", self.line(arguments, Vec::new(), Path::new("/"))?)
    }

    /// Ends jobs of the owner of `folder` by SIGTERM, and by SIGKILL after the time that the cluster is configured for:
    /// a shim needs that time to end what its command has started elsewhere. H0141 when `scancel` cannot be started.
    pub fn cancel(&self, jobs: &[String], folder: &Path) -> Result<Call, Error> {
        let arguments = ["--quiet".to_owned()].into_iter().chain(jobs.iter().cloned()).collect();
        start(&self.scancel, "scancel", self.line(arguments, Vec::new(), folder)?)
    }
}

impl Programs {
    fn line(&self, arguments: Vec<String>, input: Vec<u8>, folder: &Path) -> Result<CallLine, Error> {
        let user = handover::other_owner_of(folder)?;
        let environment = self.variables.of_user(user.as_ref())?;
        Ok(CallLine { program: String::new(), arguments, environment, input, user })
    }
}

impl Job {
    /// Whether the job is over, with any result.
    pub fn is_over(&self) -> bool {
        OVER.contains(&self.state.as_str())
    }

    /// Whether its supervisor ended well: that ends with 0 only after the outcome is written.
    pub fn is_completed(&self) -> bool {
        self.state == "COMPLETED"
    }

    /// Whether the job has been asked to end and its processes are ending.
    pub fn is_ending(&self) -> bool {
        self.state == "COMPLETING"
    }

    /// Whether a user or a limit ended the job early.
    pub fn was_cancelled(&self) -> bool {
        matches!(self.state.as_str(), "CANCELLED" | "DEADLINE" | "REVOKED")
    }

    /// Its state with the reason, as one phrase: `PENDING (Resources)`.
    pub fn state_with_reason(&self) -> String {
        if self.reason.is_empty() { self.state.clone() } else { format!("{} ({})", self.state, self.reason) }
    }
}

/// The jobs in the output of `squeue`; other lines are skipped.
pub fn jobs(listing: &[u8]) -> Vec<Job> {
    let job = |line: &str| {
        let mut fields = line.trim().splitn(4, '|').map(str::to_owned);
        let (id, state, comment) = (fields.next()?, fields.next()?, fields.next()?);
        let reason = fields.next()?;
        let reason = if reason == "None" { String::new() } else { reason };
        is_number(&id).then_some(Job { id, state, comment, reason })
    };
    String::from_utf8_lossy(listing).lines().filter_map(job).collect()
}

/// The number of the job that `sbatch` sent; what it printed when that contains no number.
pub fn submitted(output: &[u8]) -> Result<String, String> {
    let output = String::from_utf8_lossy(output);
    let last = output.lines().last().unwrap_or_default();
    // On a federation the name of the cluster follows the number.
    let id = last.split(';').next().unwrap_or_default().trim();
    if is_number(id) { Ok(id.to_owned()) } else { Err(format!("sbatch printed no job number but [{}]", output.trim())) }
}

/// Whether a failure is temporary, so that a retry makes sense.
pub fn is_passing(failure: &str) -> bool {
    let failure = failure.to_lowercase();
    if let Some((before, _)) = failure.split_once(LIMIT_VIOLATED) {
        return TOO_MANY_JOBS.iter().any(|words| before.contains(words));
    }
    PASSING.iter().any(|words| failure.contains(words))
}

/// The user that owns the jobs of a folder. H0110, H0113 when that cannot be read.
pub fn user_of(folder: &Path) -> Result<u32, Error> {
    Ok(handover::other_owner_of(folder)?.map_or_else(account::own_uid, |owner| owner.uid))
}

pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

fn start(program: &str, name: &str, line: CallLine) -> Result<Call, Error> {
    let line = CallLine { program: program.to_owned(), ..line };
    Call::start(&line, TIMEOUT).map_err(|error| {
        if found::may_pass(&error) {
            return Error::new(ErrorCode::H0140, format!("[{program}]: {error}")).passing(true);
        }
        Error::new(ErrorCode::H0141, format!("[{program}] cannot be run: {error}")).help(format!(
            "install Slurm's client programs on this machine, or set howdah.command.{name} in the site file"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_queue() {
        let listing =
            "12|RUNNING|abc|None\n 13|PENDING||Nodes are DOWN | DRAINED\nslurm: warning\n14_[1-3]|PENDING|x|y\n";
        let jobs = jobs(listing.as_bytes());
        let words: Vec<String> =
            jobs.iter().map(|job| format!("{} {} {}", job.id, job.comment, job.state_with_reason())).collect();
        assert_eq!(words, ["12 abc RUNNING", "13  PENDING (Nodes are DOWN | DRAINED)"]);
        for (state, over, cancelled) in [
            ("PENDING", false, false),
            ("COMPLETING", false, false),
            ("REQUEUE_HOLD", false, false),
            ("FAILED", true, false),
            ("CANCELLED", true, true),
        ] {
            let job = Job { state: state.to_owned(), ..jobs[0].clone() };
            assert_eq!((job.is_over(), job.was_cancelled()), (over, cancelled), "{state}");
        }
    }

    #[test]
    fn reads_the_answer_of_sbatch() {
        let check = |output: &str, expect: Result<&str, &str>| {
            let got = submitted(output.as_bytes());
            assert_eq!(got.as_deref().map_err(String::as_str), expect);
        };
        check("7\n", Ok("7"));
        check("a note of the site\n7;west\n", Ok("7"));
        check("", Err("sbatch printed no job number but []"));
        check("Submitted\n", Err("sbatch printed no job number but [Submitted]"));
    }

    #[test]
    fn temporary_failures_are_recognized() {
        for (failure, passes) in [
            ("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)", true),
            ("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", true),
            ("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying", true),
            ("sbatch: error: Batch job submission failed: Unable to create job record, try again", true),
            ("sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received", true),
            ("sbatch: error: xgetaddrinfo: getaddrinfo(ctl:6817) failed: Temporary failure in name resolution", true),
            ("sbatch: error: Unable to establish control machine address", true),
            ("sbatch: error: Unable to connect to the controller", true),
            ("sbatch: error: slurmctld: the node is not responding", true),
            (
                "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates \
              accounting/QOS policy (job submit limit, user's size and/or time limits)",
                true,
            ),
            (
                "sbatch: error: QOSGrpSubmitJobsLimit\nsbatch: error: Batch job submission failed: Job violates \
              accounting/QOS policy (job submit limit, user's size and/or time limits)",
                true,
            ),
            (
                "sbatch: error: QOSMaxWallDurationPerJobLimit\nsbatch: error: Batch job submission failed: Job violates \
              accounting/QOS policy (job submit limit, user's size and/or time limits)",
                false,
            ),
            (
                "sbatch: error: AssocMaxCpuPerJobLimit\nsbatch: error: Batch job submission failed: Job violates \
              accounting/QOS policy (job submit limit, user's size and/or time limits)",
                false,
            ),
            ("Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)", false),
            ("sbatch: error: this account is closed: contact the help desk, or try again with another one", false),
            ("no answer within 30 s", true),
            ("sbatch: error: fetch_config: DNS SRV lookup failed", true),
            ("sbatch: error: Batch job submission failed: Invalid partition name specified", false),
            ("sbatch: unrecognized option '--nix'", false),
        ] {
            assert_eq!(is_passing(failure), passes, "{failure}");
        }
    }
}

//! Writes into the folder of an attempt whose shim runs on another machine, on the side of the sender.
//!
//! To give such an attempt up, the sender takes its claim, as a killer does, so that no shim can begin it later. Must
//! not depend on how to query a cluster.

use std::fs;
use std::path::Path;

use super::claim::{Claim, Holder, claim};
use super::exit::Exit;
use super::folder::{read_json, read_start_of_any, write_json};
use super::kill::kill;
use super::order::head;
use super::retry::until_done;
use crate::clock::{Clock, SystemClock};
use crate::found::Found;
use crate::processes::Signal;
use crate::{command, files, metadata, slurm};
use howdah_words::error::Error;

/// The file with the number of the attempt's job on the cluster.
const CLUSTER_JOB: &str = "slurm";
/// The most bytes of such a number that are read.
const LONGEST_NUMBER: u64 = 40;

/// Takes the claim of an attempt that no shim begins, so that none can begin it later, and records why it is lost;
/// `false` when a shim has begun. H0110, H0111.
pub fn give_up(folder: &Path, reason: &str) -> Result<bool, Error> {
    claim(folder, &head(folder)?, Holder::GivenUp(reason))
}

/// Why the attempt was given up, if it was. H0110 when its claim cannot be read.
pub fn given_up(folder: &Path) -> Result<Option<String>, Error> {
    let claim: Option<Result<Claim, String>> = read_json(folder, "claim").known()?;
    Ok(claim.and_then(Result::ok).and_then(|claim| claim.given_up))
}

/// Takes the claim of an attempt that cannot be started at all and writes its outcome, a failure with this message;
/// `false` when a shim has begun. H0110, H0111; then the claim may be left without an outcome, and the attempt is lost
/// with the message.
pub fn refuse(folder: &Path, message: &str) -> Result<bool, Error> {
    let order = head(folder)?;
    if !claim(folder, &order, Holder::GivenUp(message))? {
        return Ok(false);
    }
    let now = SystemClock.now().seconds();
    let exit = Exit {
        token: order.token,
        outcome: command::failed(message),
        started_at: now,
        ended_at: now,
        user_seconds: None,
        system_seconds: None,
        max_memory: None,
        files_done: 0,
    };
    write_json(&folder.join("exit"), &exit)?;
    Ok(true)
}

/// Ends, from within the shim, the attempt that it has claimed: as [`kill`], with retries while the file system has no
/// space for the request or does not answer. H0111.
pub fn end_own(folder: &Path, signal: Signal) -> Result<(), Error> {
    until_done(folder, |error, _| error.may_pass(), || kill(folder, signal)).map(drop)
}

/// Makes a network file system query its server for the folder again: opening the folder makes the changes of other
/// machines visible.
pub fn refresh(folder: &Path) {
    // If it cannot be opened, the next read in it reports that.
    let _ = fs::File::open(folder);
}

/// Records the number of the attempt's job on the cluster. H0111.
pub fn note_cluster_job(folder: &Path, job: &str) -> Result<(), Error> {
    files::write_atomically(&folder.join(CLUSTER_JOB), job.as_bytes())
}

/// Removes what only the submission of the attempt needed: the number of its job on the cluster, and the file for the
/// messages of the cluster when it is empty.
pub fn forget_cluster_job(folder: &Path) {
    let has_number = matches!(metadata::of_link(&folder.join(CLUSTER_JOB)), Found::Present(_));
    // Failures change nothing: the next reader finds more files than it needs.
    if has_number && files::remove(&folder.join(CLUSTER_JOB)).is_ok() {
        let messages = folder.join(slurm::MESSAGES);
        let is_empty = |found: &std::fs::Metadata| found.is_file() && found.len() == 0;
        if matches!(metadata::of_link(&messages), Found::Present(found) if is_empty(&found)) {
            let _ = files::remove(&messages);
        }
    }
}

/// The number of the attempt's job on the cluster, if it was sent to one and the number was recorded; any other text
/// counts as none.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub fn cluster_job(folder: &Path) -> Result<Option<String>, Error> {
    let bytes = read_start_of_any(folder, CLUSTER_JOB, LONGEST_NUMBER).known()?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(text.map(|job| job.trim().to_owned()).filter(|job| slurm::is_number(job)))
}

#[cfg(test)]
mod tests {
    use super::super::claim::withdraw;
    use super::super::{AttemptNames, AttemptState, prepare_folder, state};
    use super::*;

    type Act = fn(&Path) -> Result<bool, Error>;

    /// The state of the folder after all these operations, of which only one takes the claim.
    fn check(acts: &[Act], expect: &str) {
        let folder = tempfile::tempdir().unwrap();
        prepare_folder(folder.path(), AttemptNames { token: "token-1", life: "life-1", is_here: false }, &()).unwrap();
        let taken: Vec<bool> = acts.iter().map(|act| act(folder.path()).unwrap()).collect();
        assert_eq!(taken.iter().filter(|taken| **taken).count(), 1, "{expect}");
        let got = match state(folder.path()).unwrap() {
            AttemptState::Lost { reason } => format!("lost: {reason}"),
            AttemptState::Ended(exit) => format!("ended: {:?}", exit.outcome),
            other => format!("{other:?}"),
        };
        assert_eq!(got, expect);
        let claim: Claim = read_json(folder.path(), "claim").known().unwrap().unwrap().unwrap();
        assert!(claim.withdrawn, "a shim would take it for its own");
    }

    #[test]
    fn only_the_holder_of_the_claim_decides_the_outcome() {
        let withdrawn: Act = withdraw;
        let given_up: Act = |folder| give_up(folder, "the queue lost it");
        let refused: Act = |folder| refuse(folder, "no such partition");
        check(&[given_up, withdrawn, refused], "lost: the queue lost it");
        let failed = command::failed("no such partition");
        check(&[refused, given_up], &format!("ended: {failed:?}"));
        check(&[withdrawn, refused, given_up], "Withdrawn");
    }

    #[test]
    fn a_refusal_without_its_outcome_is_lost_and_keeps_its_reason() {
        let died_between: Act = |folder| {
            let refused = refuse(folder, "no such partition")?;
            fs::remove_file(folder.join("exit")).unwrap();
            assert_eq!(given_up(folder)?.as_deref(), Some("no such partition"));
            Ok(refused)
        };
        check(&[died_between], "lost: no such partition");
    }

    #[test]
    fn the_number_of_a_job_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(cluster_job(folder.path()).unwrap(), None);
        note_cluster_job(folder.path(), "12").unwrap();
        assert_eq!(cluster_job(folder.path()).unwrap().as_deref(), Some("12"));
        note_cluster_job(folder.path(), "--all").unwrap();
        assert_eq!(cluster_job(folder.path()).unwrap(), None);
        fs::write(folder.path().join(slurm::MESSAGES), "").unwrap();
        forget_cluster_job(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // What the cluster said stays, and so does the file of a command that has the same name.
        fs::write(folder.path().join(slurm::MESSAGES), "").unwrap();
        forget_cluster_job(folder.path());
        note_cluster_job(folder.path(), "12").unwrap();
        fs::write(folder.path().join(slurm::MESSAGES), "slow").unwrap();
        forget_cluster_job(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

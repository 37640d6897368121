//! Takes an attempt back before its work begins, because its job was suspended.
//!
//! A recall takes the attempt's claim, so that no shim can begin it. It is no outcome: the work begins later as another
//! attempt. Must not depend on what the work is.

use std::path::Path;
use std::time::Duration;

use super::claim::{Claim, Holder, claim};
use super::folder::{PROCESS, read_json};
use super::order::head;
use crate::clock::{self, Pace};
use crate::found::Found;
use crate::metadata;
use howdah_words::error::Error;

/// How long to wait for a shim that has just begun until its command runs.
const LONGEST_BEGINNING: Duration = Duration::from_secs(5);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(5);
/// The files that a shim writes once the work runs or is over.
const SIGNS_OF_WORK: [&str; 2] = [PROCESS, "exit"];

/// Takes the claim of an attempt that no shim has begun, so that none can begin it later; `false` when one has. H0110,
/// H0111.
pub fn recall(folder: &Path) -> Result<bool, Error> {
    // Most attempts of a suspended job are running: a check is cheaper than a try.
    if metadata::of_link(&folder.join("claim")).known()?.is_some() {
        return Ok(false);
    }
    claim(folder, &head(folder)?, Holder::Recalled)
}

/// Whether the attempt was recalled. H0110 when its claim cannot be read.
pub fn is_recalled(folder: &Path) -> Result<bool, Error> {
    let claim: Option<Result<Claim, String>> = read_json(folder, "claim").known()?;
    Ok(claim.and_then(Result::ok).is_some_and(|claim| claim.recalled))
}

/// Waits until the shims that have just claimed these attempts have started their commands, at most a few seconds;
/// returns whether all have.
pub fn await_beginnings(folders: &[&Path]) -> bool {
    let mut limit = Pace::new(LONGEST_BEGINNING);
    limit.mark();
    let mut waiting: Vec<&Path> = folders.to_vec();
    loop {
        waiting.retain(|folder| is_beginning(folder));
        if waiting.is_empty() || limit.is_due() {
            return waiting.is_empty();
        }
        clock::pause(PAUSE);
    }
}

/// Whether a shim has just claimed the attempt and no file shows yet that the work runs. Work without a command shows
/// nothing until it is over.
fn is_beginning(folder: &Path) -> bool {
    // An unknown answer is checked again; the wait has a limit.
    if SIGNS_OF_WORK.iter().any(|sign| matches!(metadata::of_link(&folder.join(sign)), Found::Present(_))) {
        return false;
    }
    let claimed = match metadata::of_link(&folder.join("claim")) {
        Found::Present(claim) => claim.modified(),
        Found::Absent => return false,
        Found::Unknown(_) => return true,
    };
    // After the clock was set back the claim looks new; the wait has a limit all the same.
    claimed.is_ok_and(|claimed| claimed.elapsed().is_ok_and(|age| age < LONGEST_BEGINNING))
}

#[cfg(test)]
mod tests {
    use super::super::claim::withdraw;
    use super::super::{AttemptNames, AttemptState, prepare_folder, state};
    use super::*;

    #[test]
    fn only_what_no_shim_has_begun_is_recalled() {
        let folder = tempfile::tempdir().unwrap();
        prepare_folder(folder.path(), AttemptNames { token: "token-1", life: "life", is_here: true }, &()).unwrap();
        assert!(!is_recalled(folder.path()).unwrap());
        assert!(recall(folder.path()).unwrap());
        assert!(is_recalled(folder.path()).unwrap());
        assert_eq!(state(folder.path()).unwrap(), AttemptState::Recalled);
        assert!(!recall(folder.path()).unwrap() && !withdraw(folder.path()).unwrap(), "the claim is taken");
    }

    #[test]
    fn a_command_that_is_about_to_begin_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        prepare_folder(folder.path(), AttemptNames { token: "token-1", life: "life", is_here: true }, &()).unwrap();
        assert!(await_beginnings(&[folder.path()]), "no shim has claimed it");
        assert!(claim(folder.path(), &head(folder.path()).unwrap(), Holder::Shim).unwrap());
        assert!(!recall(folder.path()).unwrap(), "a shim has begun");
        assert!(is_beginning(folder.path()));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                clock::pause(Duration::from_millis(50));
                std::fs::write(folder.path().join("process"), "{}").unwrap();
            });
            assert!(await_beginnings(&[folder.path()]));
        });
        assert!(folder.path().join("process").exists(), "it was not waited for");
    }
}

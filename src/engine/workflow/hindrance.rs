//! What the machine holds back of a workflow job: found by carrying the job on in memory, as the runner does.
//!
//! Reads files as a step of the runner does; stores nothing and starts nothing.

use std::path::{Path, PathBuf};

use crate::engine::change::Cause;
use crate::engine::owner;
use crate::engine::settings::Settings;
use crate::engine::workflow::advance::{Advance, Surroundings};
use crate::engine::workflow::run::{Graphs, Run};
use crate::engine::workflow::runner::{ORIGIN, carry_on, is_withheld, results_at_hand};
use crate::error::{Error, Result};
use crate::host::attempt::{self, AttemptState};
use crate::host::mounts::Mounts;
use crate::model::time::Timestamp;
use crate::store::{Attempt, Snapshot, WorkflowJob};

/// What a step of the runner works with.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) mounts: &'a Mounts,
    pub(crate) now: Timestamp,
}

/// Why the machine keeps a job from being carried on at present; `None` when it does not.
///
/// # Errors
/// A failure of the database.
pub(crate) fn hindrance(snapshot: &Snapshot, row: &WorkflowJob, machine: Machine<'_>) -> Result<Option<Error>> {
    if row.status.is_terminal() || is_withheld(snapshot, row)? {
        return Ok(None);
    }
    // The folder of the attempts is only named, and nothing is put there.
    let surroundings = owner::worker(&row.user).and_then(|worker| Surroundings::of(&worker, &PathBuf::new()));
    let surroundings = match surroundings {
        Ok(surroundings) => surroundings,
        Err(error) => return Ok(Some(error).filter(Error::may_pass)),
    };
    let mut run = Run::load(snapshot, row.clone(), &mut Graphs::default())?;
    let over = match ended_attempts(snapshot, row) {
        Err(error) if error.may_pass() => return Ok(Some(error)),
        over => over?,
    };
    let at_hand = results_at_hand(snapshot, &run)?;
    let Machine { settings, mounts, now } = machine;
    let cause = Cause::new(now, ORIGIN);
    let mut advance = Advance { settings, mounts, surroundings: &surroundings, run: &mut run, cause };
    Ok(carry_on(&mut advance, &over, at_hand).err().filter(Error::may_pass))
}

/// The attempts of a job that are over and not recorded yet.
fn ended_attempts(snapshot: &Snapshot, row: &WorkflowJob) -> Result<Vec<(Attempt, AttemptState)>> {
    let mut over = Vec::new();
    for attempt in snapshot.open_attempts()?.into_iter().filter(|attempt| attempt.job == row.job) {
        let state = attempt::state(Path::new(&attempt.directory))?;
        if matches!(state, AttemptState::Ended(_)) {
            over.push((attempt, state));
        }
    }
    Ok(over)
}

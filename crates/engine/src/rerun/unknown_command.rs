//! Commands that may be alive and that the database does not have: those of reruns which began before an older state of
//! it was put back. Must not depend on how a rerun is ordered.

use std::path::Path;

use crate::run_folder;
use howdah_host::attempt::{self, AttemptState};
use howdah_store::Snapshot;
use howdah_words::error::Result;

/// Whether a command may be alive, or begin, by the folder of its attempt. One that has not begun never begins after
/// this. What cannot be read may be alive.
pub(crate) fn may_be_alive(folder: &Path) -> bool {
    match attempt::state(folder) {
        Ok(AttemptState::Running(_) | AttemptState::OutOfSight(_)) | Err(_) => true,
        Ok(AttemptState::Unclaimed) => !attempt::recall(folder).is_ok_and(|recalled| recalled),
        // A cluster may have it.
        Ok(AttemptState::Lost { .. }) => !matches!(attempt::cluster_job(folder), Ok(None)),
        Ok(AttemptState::Ended(_) | AttemptState::Withdrawn | AttemptState::Recalled) => false,
    }
}

/// Returns why nothing of an action (`C@3`) or workflow job may start beside a command that may be alive; `None` when
/// there is no such command.
///
/// # Errors
/// A failure of the database.
pub(crate) fn unknown_command(snapshot: &Snapshot, subject: &str) -> Result<Option<String>> {
    let runs = run_folder(snapshot.path());
    let mut folders = snapshot.earlier_commands(subject)?.into_iter().map(|folder| runs.join(folder));
    let alive = folders.find(|folder| may_be_alive(folder));
    Ok(alive.map(|folder| {
        format!(
            "a command of its rerun before `db restore` may be alive: wait for its end, or end it; where nothing of it \
             runs any more, delete [{}]",
            folder.display()
        )
    }))
}

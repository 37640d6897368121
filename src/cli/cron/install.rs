//! Puts the line that ticks a database into the crontab of this user.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::line::Line;
use super::table::Change;
use crate::output::text;
use howdah_host::lock::{self, Lock};
use howdah_host::{clock, crontab, environment, files};
use howdah_words::error::{Error, ErrorCode, Result};

/// How often to change the crontab, when another program changes it at the same time.
const MOST_TRIES: usize = 5;
/// After a change: how long another program may take to write what it read before. Then the crontab is compared.
const SETTLING: Duration = Duration::from_millis(200);
/// How often to ask for the lock of another installation, and the pause between two times.
const MOST_WAITS: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// Adds the line to the crontab, or changes the lines that tick the same database; keeps the crontab of before.
///
/// # Errors
/// H0140 when the crontab cannot be read or written, H0111 when it cannot be kept.
pub(super) fn install(line: &Line) -> Result<()> {
    let folder = environment::state_folder()
        .ok_or_else(|| failed("there is no home folder in which the old crontab can be kept".to_owned()))?;
    files::create_private_folder(&folder)?;
    let _lock = lock(&folder.join("crontab.lock"))?;
    let mut done: Option<(Change, Option<PathBuf>)> = None;
    for _ in 0..MOST_TRIES {
        let before = crontab::read().map_err(failed)?;
        let change = line.install(&before);
        if change.table == before {
            report(done.as_ref());
            return Ok(());
        }
        let kept = if before.is_empty() { None } else { Some(keep(&folder, &before)?) };
        crontab::write(change.table.clone()).map_err(failed)?;
        done = Some((change, kept));
        clock::pause(SETTLING);
    }
    Err(failed("another program changes the crontab at the same time".to_owned()))
}

fn failed(message: String) -> Error {
    Error::new(ErrorCode::H0140, message).help("add the line that `howdah cron` prints")
}

/// Waits until no other installation of this user changes the crontab.
fn lock(path: &Path) -> Result<Lock> {
    for _ in 0..MOST_WAITS {
        if let Some(lock) = lock::try_lock(path)? {
            return Ok(lock);
        }
        clock::pause(PAUSE);
    }
    Err(failed("another `howdah cron --install` does not end".to_owned()))
}

/// Keeps the crontab as it was before the last change.
fn keep(folder: &Path, table: &[u8]) -> Result<PathBuf> {
    let path = folder.join("crontab.before");
    files::replace(&path, table, files::Lasting::Always).map_err(|error| files::cannot_write(&path, &error))?;
    Ok(path)
}

fn report(done: Option<&(Change, Option<PathBuf>)>) {
    let Some((change, kept)) = done else {
        return text::aside("the crontab has this line already");
    };
    match change.lines.len() {
        0 => text::aside("the line was added to the crontab"),
        1 => text::aside("the line in the crontab was changed"),
        lines => text::aside(&format!("{lines} lines in the crontab were changed")),
    }
    for (old, new) in &change.lines {
        text::aside(&format!("- {old}\n+ {new}"));
    }
    for line in &change.unsure {
        text::aside(&format!("this line may tick the same database, and was not changed:\n  {line}"));
    }
    if let Some(path) = kept {
        text::aside(&format!("the crontab of before is kept in {}", path.display()));
    }
}

//! Runs scripts without an interpreter line with `/bin/sh` (decision W32).
//!
//! The system refuses them; every shell passes them to `/bin/sh`. Reads only the start of a file that was refused.

use std::io;
use std::path::Path;
use std::process::Command;

use rustix::io::Errno;

use super::files;

const SHELL: &str = "/bin/sh";
/// The bytes at the start of a file in which a text has no zero byte.
const CHECKED_BYTES: u64 = 512;

/// Whether the system refused to run `file` with `error` because it is a text. A program for another kind of machine is
/// not a text.
pub(super) fn is_refused(file: &Path, error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
        && files::open_regular(file)
            .and_then(|file| files::start_of(file, CHECKED_BYTES))
            .is_ok_and(|start| !start.contains(&0))
}

/// The shell command that runs the script in `file`; the caller adds its arguments.
pub(super) fn by_shell(file: &Path) -> Command {
    let mut command = Command::new(SHELL);
    command.arg(file);
    command
}

//! Scripts without a first line that names their interpreter, which `/bin/sh` runs (decision W32).
//!
//! The system itself refuses them; every shell hands them to `/bin/sh`. Touches no file but to look at the beginning of
//! one that was refused.

use std::io;
use std::path::Path;
use std::process::Command;

use rustix::io::Errno;

use super::files;

const SHELL: &str = "/bin/sh";
/// Bytes at the beginning in which a text has no zero.
const LOOKED_AT: u64 = 512;

/// Whether the system refused to run `file` with `error` because it is a text. A program of another kind of machine is
/// none.
pub(super) fn is_refused(file: &Path, error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
        && files::open_regular(file)
            .and_then(|file| files::start_of(file, LOOKED_AT))
            .is_ok_and(|start| !start.contains(&0))
}

/// The shell that runs the script in `file`; its arguments are to be added.
pub(super) fn by_shell(file: &Path) -> Command {
    let mut command = Command::new(SHELL);
    command.arg(file);
    command
}

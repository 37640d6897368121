//! The folder of an attempt. Guarantees that its work starts at most once, and that its outcome is written exactly
//! once.
//!
//! The start protocol of an attempt is in `ARCHITECTURE.md`. The files of the folder:
//!
//! | file | written by | content |
//! |---|---|---|
//! | `attempt.json` | the process that starts it; the shim after a good end | the token, the boot and the work |
//! | `claim` | the shim, exclusively, before anything else | the token and the identity of the shim |
//! | `process` | the shim, from the command's start to its end | the identity of the command; it becomes `exit` |
//! | `kill` | a killer, before it looks for processes | that the attempt must end |
//! | `waiting` | the shim, while the machine fails | what it waits for |
//! | `exit` | the shim, at the end; the sender, if it could not start | how it ended |
//! | `slurm` | the sender to a cluster | the number of the job there |
//! | `element.gz` | the shim, after a good end | the element of the action, when it is long |
//! | `stdout`, `stderr` | the command | its output |
//!
//! None of these files waits for the disk where a restart of the machine makes the attempt lost anyway: see `order`.
//!
//! `shim` is the shim; the other files have the operations of all other processes on an attempt: `order` prepares it,
//! `claim` decides which process begins it, `state` reads it, `kill` and `recall` end it, `on_cluster` has what only
//! the sender to a cluster does. Must not depend on what the work is.

mod claim;
mod exit;
mod folder;
mod kill;
mod lost;
mod on_cluster;
mod order;
mod recall;
mod retry;
mod shim;
mod state;

pub use folder::{STANDARD_ERROR, STANDARD_OUTPUT, output_files, read_end_of, read_start_of, read_start_of_any};
pub use kill::{is_kill_requested, kill};
pub use lost::prepare_lost;
pub use on_cluster::{cluster_job, end_own, forget_cluster_job, give_up, given_up, note_cluster_job, refresh, refuse};
pub use order::{
    AttemptFolder, AttemptNames, free_folder, has_order, is_own_order, order_length, prepare_folder, read_work,
    replace_work,
};
pub use recall::{await_beginnings, is_recalled, recall};
pub use retry::{LONGEST_WAIT, Retry, until_known, waits_for, write_when_possible};
pub use shim::{Performed, ShimResult, get_ready, run, run_after_kill, run_command};
pub use state::{AttemptState, holder_of, state};

pub use claim::withdraw;

#[cfg(test)]
mod tests;

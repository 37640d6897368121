//! Every rerun is a stored plan of steps: of actions, of workflow jobs, of the coordinators of a bundle, and of
//! `backfill`; by an operator, by the failure policy, or by a client of Oozie.
//!
//! One draft names the actions, and is stored before anything is done. Then all outputs are deleted, before the first
//! action waits again: so nothing that an action of this rerun writes is deleted. Then one transaction for each job
//! resets its actions and marks their steps as done. A process may die at any point: the steps that are not marked are
//! still there. `rerun --continue` does them, and the next tick those of a plan that no person at a terminal began. A
//! step that is marked is never done again. When a job refuses after its outputs are deleted, its steps stay open too.
//!
//! `plan` finds out what would be done, `carry_out` does it, `abandon` says what is lost when the rest is forgotten,
//! `stopped` whether a tick must leave it because an operator has suspended its jobs since.
//! `select` and `backfill` choose the actions, `earlier` runs nominal times before the start of a job, `workflow` runs
//! workflow jobs again. What a rerun does to the actions of one job is in `verbs::rerun`.

pub mod abandon;
pub mod backfill;
mod carry_out;
mod draft;
mod earlier;
mod plan;
pub mod select;
mod stopped;
mod workflow;

pub(crate) use carry_out::rerun_under;
pub use carry_out::{carry_out, rerun_unasked};
pub(crate) use draft::abandon_under;
pub use draft::{Draft, Manner, abandon, left_of, unfinished};
pub use plan::{RepairPlan, plan};
pub(crate) use stopped::is_stopped;

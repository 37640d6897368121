//! Takes coordinators and bundles over from an Oozie, and gives them back.
//!
//! `plan` compares what an import wrote with the database and stores nothing. `carry_out` stores one job in one
//! transaction, with its open actions and its former id, so a takeover that was interrupted is simply given again. A
//! bundle is stored before its coordinators, which join it one by one (`bundle`). `follow` records how actions ended
//! that Oozie had started. `back` stops a job here and says what Oozie has to do, `bundle_back` a whole bundle.
//!
//! Oozie's side is stopped by `endtime=NEXT;concurrency=0`. Oozie refuses the new end when an action at or after NEXT
//! has started, and starts no READY action with this concurrency; what runs there continues. Must not read files.

mod back;
mod bundle;
mod bundle_back;
mod carry_out;
mod choices;
mod command;
mod follow;
mod oozie_job;
mod plan;

pub use back::{Back, back};
pub use bundle::{BundleHere, MemberMove, PlannedBundle};
pub use bundle_back::{BundleBack, back_of_bundle};
pub use carry_out::carry_out;
pub use choices::{Choices, Side, Timeouts};
pub use command::OozieCommand;
pub use follow::{Followed, Move};
pub use oozie_job::{OozieJob, States};
pub use plan::{Item, JobTimeouts, Planned, Step, plan, plan_one};

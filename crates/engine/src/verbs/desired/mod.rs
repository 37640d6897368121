//! The jobs that folders describe, compared by name with the jobs of the database.
//!
//! `plan` says for each described job what has to be done, and stores nothing; `carry_out` does it, one transaction
//! for each job. Both look at the database anew, so a command that was interrupted is simply given again. A job that
//! was submitted or updated here keeps in its configuration from which folder ([`SOURCE`]): only such a job can be
//! gone. Must not read files.

mod carry_out;
mod carry_out_bundle;
mod gone;
mod members;
mod plan;
mod state;

pub use plan::plan;
pub use state::{Item, Manner, Replacement, SOURCE, Step, Wanted};

use crate::Engine;
use crate::submit::submission::Prepared;
use howdah_host::fault::fault_point;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::time::Timestamp;

/// Does what one item of a plan says, and returns the job that there is now, or that was killed; `None` where nothing
/// has to be done. A bundle that was submitted is started by `kick_off::start` or by tick.
///
/// # Errors
/// E1100 when another command changed the job meanwhile, or gave its name to another job, and everything that the
/// single verbs refuse.
pub fn carry_out(
    engine: &mut Engine,
    item: &Item,
    (wanted, manner): (&[Wanted], &Manner),
    now: Timestamp,
) -> Result<Option<JobId>> {
    let prepared = item.wanted.and_then(|index| wanted.get(index)).map(|one| &one.prepared);
    let (Step::Bundle(change), Some(Prepared::Bundle(prepared))) = (&item.step, prepared) else {
        return carry_out::carry_out(engine, item, (wanted, manner), now);
    };
    fault_point("before-apply-step");
    let done = carry_out_bundle::carry_out(engine, (prepared, change), manner, now)?;
    fault_point("after-apply-step");
    Ok(Some(done))
}

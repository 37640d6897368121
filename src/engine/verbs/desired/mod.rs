//! The jobs that folders describe, compared by name with the jobs of the database.
//!
//! `plan` says for each described job what has to be done, and stores nothing; `carry_out` does it, one transaction
//! for each job. Both look at the database anew, so a command that was interrupted is simply given again. A job that
//! was submitted or updated here keeps in its configuration from which folder ([`SOURCE`]): only such a job can be
//! gone. Must not read files.

mod carry_out;
mod gone;
mod plan;
mod state;

pub(crate) use carry_out::carry_out;
pub(crate) use plan::plan;
pub(crate) use state::{Item, Manner, Replacement, SOURCE, Step, Wanted};

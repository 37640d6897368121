//! Shadows of an Oozie: reads the imported jobs that one begins with, and compares one with the Oozie that it follows.
//!
//! Must not change a database: `engine::submit::shadow` stores the jobs.

mod compare;
mod difference;
mod folder;
mod here;
mod oozie_state;
mod report;
mod start_order;

pub(crate) use difference::Side;
pub(crate) use folder::{Folders, read_folders};
pub(crate) use oozie_state::{Against, OozieAction, OozieJob, OozieState};
pub(crate) use report::{JobDifference, Report, compare};

//! Shadows of an Oozie: reads the imported jobs that one begins with, and compares one with the Oozie that it follows.
//!
//! Must not change a database: `engine::submit::shadow` stores the jobs.

mod compare;
mod difference;
mod folder;
pub mod follow;
mod here;
mod oozie_state;
mod report;
mod start_order;

pub use difference::Side;
pub use folder::{Folders, read_folders};
pub use oozie_state::{Against, OozieAction, OozieJob, OozieState};
pub use report::{JobDifference, Report, compare};

//! The answers of Oozie's web services: which requests give them, how their files are named, and what they say.
//!
//! Texts in, typed rows out. Must not depend on a network, on files, or on what is done with the rows.

mod ask;
mod date;
mod fetch_script;
mod row;

pub use ask::{Ask, PAGE};
pub use fetch_script::fetch_script;
pub use row::{ActionAnswer, BundleAnswer, CoordinatorAnswer, list_of, workflow_of};

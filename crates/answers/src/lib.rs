//! Answers that change nothing: what a database says of its jobs, and what definitions would do.

pub mod check;
pub mod query;

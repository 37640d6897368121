//! Answers without a job in the database: files are judged, jobs tried, expressions and times evaluated. Never writes.

pub(crate) mod dryrun;
pub(crate) mod evaluate;
pub(crate) mod expression;
pub(crate) mod next;
pub(crate) mod validate;
pub(crate) mod zones;

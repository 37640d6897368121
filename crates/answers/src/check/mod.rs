//! Commands without a job in the database: check files, try jobs, evaluate expressions and times. Never writes.

pub mod dryrun;
pub mod evaluate;
pub mod expression;
pub mod next;
pub mod validate;
pub mod zones;

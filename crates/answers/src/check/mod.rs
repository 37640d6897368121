//! Commands without a job in the database: check files, try jobs, evaluate expressions and times. Never writes.

pub mod backtest;
pub mod dryrun;
pub mod evaluate;
pub mod expression;
pub mod import;
pub mod next;
pub mod oozie;
pub mod shadow;
pub mod validate;
pub mod zones;

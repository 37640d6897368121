//! Commands without a job in the database: check files, try jobs, evaluate expressions and times. Never writes.

pub(crate) mod backtest;
pub(crate) mod dryrun;
pub(crate) mod evaluate;
pub(crate) mod expression;
pub(crate) mod import;
pub(crate) mod next;
pub(crate) mod oozie;
pub(crate) mod shadow;
pub(crate) mod validate;
pub(crate) mod zones;

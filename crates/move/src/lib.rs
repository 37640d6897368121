//! Moving in from a running Apache Oozie: what it exports and answers, and the verbs that compare, follow, take over.

pub mod backtest;
pub mod import;
pub mod oozie;
pub mod oozie_export;
pub mod oozie_rest;
pub mod shadow;
pub mod takeover;

//! The words of howdah, below everything: errors with code, place and help; ids, statuses, times, rows.

pub mod error;
pub mod model;

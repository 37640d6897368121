//! Samples for the unit tests of several crates: rows of jobs, zones, frequencies.

pub mod rows;
pub mod zones;

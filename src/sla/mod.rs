//! Service levels: what was promised about a start, an end and a duration, and what became of it (coordinator
//! specification 12).
//!
//! Pure: evaluated texts, times and statuses in, decisions out. Knows neither coordinators nor workflows: whatever has
//! a start and an end can be registered. Must never know files, the database or the clock.

pub(crate) mod alerts;
pub(crate) mod machine;
pub(crate) mod registration;
pub(crate) mod selection;

//! Service levels: the promises about a start, an end and a duration, and whether they were kept (coordinator
//! specification 12).
//!
//! Pure: evaluated texts, times and statuses in, decisions out. Works for anything with a start and an end, and does
//! not depend on coordinators or workflows. Must not depend on files, the database or the clock.

pub mod alerts;
pub mod machine;
pub mod registration;
pub mod selection;

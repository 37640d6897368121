//! A setting of a zone's clocks, and how far one can be from UTC. Must not depend on the rules that decide when it
//! holds.

use std::sync::Arc;

use howdah_words::model::time::HOUR;

/// No clock is farther from UTC than this, in seconds.
pub(super) const FARTHEST: i64 = 16 * HOUR;

/// A setting of a zone's clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Seconds east of UTC.
    pub(super) offset: i32,
    /// Seconds of summer time that are part of the offset.
    pub(super) saving: i32,
    /// Its usual name: `CET`, or `+01`.
    pub(super) name: Arc<str>,
}

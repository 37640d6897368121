//! What the store asks about the nominal times of a range of actions: it stores them, but knows no calendar.
//!
//! The engine answers, because a range keeps the schedule that it was created by.

use std::fmt::Debug;

use howdah_words::model::row::ActionRange;
use howdah_words::model::time::Timestamp;

/// The numbers and nominal times of actions.
pub type Times<'r> = Box<dyn Iterator<Item = (u32, Timestamp)> + 'r>;

/// Computes the nominal times of the actions of a range. `None`: its schedule cannot be read.
pub trait NominalTimes: Debug + Sync {
    /// The actions of a range from a number on, which must be one of the range.
    fn times<'r>(&self, range: &'r ActionRange, from: u32) -> Option<Times<'r>>;

    /// The number of the first action of a range that is due at `time` or later; behind the last when none is.
    fn first_at(&self, range: &ActionRange, time: Timestamp) -> Option<u32>;
}

//! The result of the comparison of one row.

use super::difference::Difference;
use crate::oozie_export::{ActionRow, LocalSeconds};
use howdah_words::model::time::Timestamp;

/// The most problems and the most unexplained differences that are kept.
pub(super) const MOST_KEPT: usize = 10_000;

/// The result for one line.
pub(super) struct Compared {
    pub(super) job: usize,
    pub(super) row: ActionRow,
    pub(super) number: u32,
    pub(super) nominal: Timestamp,
    pub(super) clue: Option<LocalSeconds>,
    pub(super) is_without_inputs: bool,
    /// `None`: howdah refuses the job, which is reported once.
    pub(super) differences: Option<Vec<Difference>>,
}

//! When ticks purge, and how old a job must be before it is deleted, under Oozie's names.

use crate::settings::site::Site;
use howdah_words::model::time::{DAY, HOUR};

/// Ages are in days, counted from the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PurgeSettings {
    /// `howdah.purge`: whether ticks purge.
    pub is_on: bool,
    /// `oozie.service.PurgeService.purge.interval`
    pub interval_seconds: i64,
    /// `oozie.service.PurgeService.older.than`
    pub(crate) workflow_days: u32,
    /// `oozie.service.PurgeService.coord.older.than`
    pub(crate) coordinator_days: u32,
    /// `oozie.service.PurgeService.bundle.older.than`
    pub(crate) bundle_days: u32,
}

impl Default for PurgeSettings {
    fn default() -> Self {
        Self { is_on: true, interval_seconds: HOUR, workflow_days: 30, coordinator_days: 7, bundle_days: 7 }
    }
}

impl Site<'_> {
    /// Reads what the site says of old jobs.
    pub(super) fn purge(&mut self, settings: &mut PurgeSettings) {
        let service = "oozie.service.PurgeService";
        self.flag("howdah.purge", &mut settings.is_on);
        self.number(&format!("{service}.purge.interval"), 0..=366 * DAY, &mut settings.interval_seconds);
        self.number(&format!("{service}.older.than"), 0..=u32::MAX, &mut settings.workflow_days);
        self.number(&format!("{service}.coord.older.than"), 0..=u32::MAX, &mut settings.coordinator_days);
        self.number(&format!("{service}.bundle.older.than"), 0..=u32::MAX, &mut settings.bundle_days);
    }
}

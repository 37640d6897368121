//! How old a job must be before `db purge` deletes it, under Oozie's names.

use crate::engine::settings::site::Site;

/// Ages in days, counted from the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "a number has its unit in its name")]
pub(crate) struct PurgeSettings {
    /// `oozie.service.PurgeService.older.than`
    pub(crate) workflow_days: u32,
    /// `oozie.service.PurgeService.coord.older.than`
    pub(crate) coordinator_days: u32,
    /// `oozie.service.PurgeService.bundle.older.than`
    pub(crate) bundle_days: u32,
}

impl Default for PurgeSettings {
    fn default() -> Self {
        Self { workflow_days: 30, coordinator_days: 7, bundle_days: 7 }
    }
}

impl Site<'_> {
    /// Reads what the site says of old jobs.
    pub(super) fn purge(&mut self, settings: &mut PurgeSettings) {
        let service = "oozie.service.PurgeService";
        self.number(&format!("{service}.older.than"), 0..=u32::MAX, &mut settings.workflow_days);
        self.number(&format!("{service}.coord.older.than"), 0..=u32::MAX, &mut settings.coordinator_days);
        self.number(&format!("{service}.bundle.older.than"), 0..=u32::MAX, &mut settings.bundle_days);
    }
}

//! The settings of the submission of a coordinator (decisions C2, C3, C25).
//!
//! Values only; another module reads them from a site file.

use howdah_calendar::{CronZone, ProcessingZone};

/// Defaults and limits for the attributes of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitSettings {
    pub processing: ProcessingZone,
    /// `oozie.service.coord.normal.default.timeout`, in minutes; negative: no limit.
    pub default_timeout_minutes: i64,
    /// `oozie.service.coord.default.max.timeout`, in minutes, when set: caps positive timeouts and replaces `-1`.
    pub max_timeout_minutes: Option<i64>,
    /// `oozie.service.coord.default.concurrency`; negative: no limit.
    pub default_concurrency: i64,
    /// `oozie.service.coord.default.throttle`.
    pub default_throttle: u32,
    /// The throttle's upper bound: queue size times throttling factor.
    pub max_throttle: u32,
    /// `oozie.service.coord.check.maximum.frequency`: refuse frequencies shorter than five minutes.
    pub check_maximum_frequency: bool,
    /// `howdah.coord.cron.follow.job.timezone`: keep the local time of daily and slower cron frequencies.
    pub cron_zone: CronZone,
}

impl Default for SubmitSettings {
    fn default() -> Self {
        Self {
            processing: ProcessingZone::UTC,
            default_timeout_minutes: -1,
            max_timeout_minutes: None,
            default_concurrency: 1,
            default_throttle: 12,
            max_throttle: 500,
            check_maximum_frequency: false,
            cron_zone: CronZone::Processing,
        }
    }
}

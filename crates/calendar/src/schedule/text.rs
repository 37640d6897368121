//! A schedule as one line of text, so that what was created by it keeps its nominal times when a setting changes.

use serde::{Deserialize, Serialize};

use super::{CronZone, Schedule};
use crate::{EndOf, Frequency, ProcessingZone, Unit, Zone};
use howdah_words::model::time::Timestamp;

/// The parts of a schedule, in words.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parts {
    frequency: String,
    /// `CRON` for cron.
    unit: String,
    end_of: String,
    /// Seconds.
    start: i64,
    zone: String,
    processing: String,
    /// Whether cron follows the job's zone.
    cron_of_job: bool,
}

impl Schedule {
    /// Returns the schedule as text, without its end.
    pub fn to_text(&self) -> String {
        let end_of = match &self.frequency {
            Frequency::Fixed { end_of, .. } => *end_of,
            Frequency::Cron(_) => EndOf::None,
        };
        let processing = match self.processing.suffix_text() {
            "Z" => "UTC".to_owned(),
            offset => format!("GMT{offset}"),
        };
        let parts = Parts {
            frequency: self.frequency.value(),
            unit: self.frequency.unit_word().to_owned(),
            end_of: end_of.as_str().to_owned(),
            start: self.start.seconds(),
            zone: self.zone.id().to_owned(),
            processing,
            cron_of_job: self.cron_zone == CronZone::Job,
        };
        serde_json::to_string(&parts).expect("texts and numbers become JSON")
    }

    /// Reads the text of [`Schedule::to_text`], with an end; `None` when it is no such text or its zone is unknown.
    pub fn from_text(text: &str, end: Timestamp) -> Option<Self> {
        let parts: Parts = serde_json::from_str(text).ok()?;
        // Cron has no unit.
        let unit = Unit::from_word(&parts.unit).unwrap_or(Unit::Minute);
        let frequency = Frequency::parse(&parts.frequency, unit, EndOf::from_word(&parts.end_of)?).ok()?;
        Some(Self {
            frequency,
            start: Timestamp::from_seconds(parts.start),
            end,
            zone: Zone::parse(&parts.zone).ok()?,
            processing: ProcessingZone::parse(&parts.processing).ok()?,
            cron_zone: if parts.cron_of_job { CronZone::Job } else { CronZone::Processing },
        })
    }
}

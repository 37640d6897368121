//! How times are printed and read: in the processing time zone (specification 4.1).
//!
//! A notation is a value that the caller hands down. Must not depend on where times are printed.

use super::datetime::{DatetimeError, ProcessingZone};
use howdah_words::model::time::{MINUTE, Timestamp};

/// The zone in which times are printed and read.
#[derive(Clone, Copy, Debug)]
pub struct Notation {
    /// The processing time zone of the settings.
    processing: ProcessingZone,
    /// The output is for programs, which get times in UTC.
    is_for_programs: bool,
}

impl Notation {
    /// The notation without settings: UTC.
    pub const UTC: Self = Self::new(ProcessingZone::UTC, false);

    /// Returns the notation of the processing time zone; of UTC for programs.
    pub const fn new(processing: ProcessingZone, is_for_programs: bool) -> Self {
        Self { processing, is_for_programs }
    }

    const fn printed(self) -> ProcessingZone {
        if self.is_for_programs { ProcessingZone::UTC } else { self.processing }
    }

    /// Returns an instant as people read it everywhere, in the processing time zone: `YYYY-MM-DDTHH:MMZ`. Programs get
    /// it in UTC.
    pub fn time(self, at: Timestamp) -> String {
        self.printed().format(at)
    }

    /// Returns a stored instant as [`Self::time`] prints it.
    pub fn shown_time(self, stored: &str) -> String {
        ProcessingZone::UTC.parse_datetime(stored).map_or_else(|_| stored.to_owned(), |at| self.time(at))
    }

    /// Returns an instant to the second, for the log.
    pub fn time_with_seconds(self, at: Timestamp) -> String {
        let zone = self.printed();
        let minute = zone.format(at);
        let (date_and_time, suffix) = minute.split_at(minute.len() - zone.suffix_text().len());
        format!("{date_and_time}:{:02}{suffix}", at.seconds().rem_euclid(MINUTE))
    }

    /// Reads an instant as [`Self::time`] prints it, for people or for programs.
    pub fn read_time(self, text: &str) -> Result<Timestamp, DatetimeError> {
        let own = self.processing.parse_datetime(text);
        own.or_else(|error| ProcessingZone::UTC.parse_datetime(text).map_err(|_| error))
    }

    /// Reads an instant as [`Self::time_with_seconds`] prints it; a blank may replace the `T`, and the zone may be
    /// missing.
    pub fn read_time_with_seconds(self, text: &str) -> Option<Timestamp> {
        let own = self.processing.suffix_text();
        let suffix = [own, "Z"].into_iter().find(|suffix| text.ends_with(suffix)).unwrap_or_default();
        let (minute, seconds) = text[..text.len() - suffix.len()].rsplit_once(':')?;
        let (date, time) = minute.split_once([' ', 'T'])?;
        let suffix = if suffix.is_empty() { own } else { suffix };
        let at = self.read_time(&format!("{date}T{time}{suffix}")).ok()?;
        let two_digits = seconds.len() == 2 && seconds.bytes().all(|byte| byte.is_ascii_digit());
        seconds.parse::<i64>().ok().filter(|seconds| two_digits && *seconds < MINUTE).map(|seconds| at + seconds)
    }
}

/// Returns an instant as it is stored, `YYYY-MM-DDTHH:MMZ`.
pub fn stored_time(at: Timestamp) -> String {
    ProcessingZone::UTC.format(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_times_are_read_back() {
        let at = Timestamp::from_seconds(3_661);
        for (zone, minute, second) in [
            ("UTC", "1970-01-01T01:01Z", "1970-01-01T01:01:01Z"),
            ("GMT+0530", "1970-01-01T06:31+0530", "1970-01-01T06:31:01+0530"),
            ("GMT-0800", "1969-12-31T17:01-0800", "1969-12-31T17:01:01-0800"),
        ] {
            let processing = ProcessingZone::parse(zone).unwrap();
            for is_for_programs in [false, true] {
                let notation = Notation::new(processing, is_for_programs);
                assert_eq!(notation.read_time(&notation.time(at)), Ok(at - 1), "{zone}");
                assert_eq!(notation.read_time_with_seconds(&notation.time_with_seconds(at)), Some(at), "{zone}");
            }
            let notation = Notation::new(processing, false);
            assert_eq!((notation.time(at), notation.time_with_seconds(at)), (minute.into(), second.into()));
            let local = second.replace('T', " ").replace(processing.suffix_text(), "");
            assert_eq!(notation.read_time_with_seconds(&local), Some(at), "{local}");
            assert_eq!(notation.read_time_with_seconds("1970-01-01 01:01:61"), None);
        }
    }

    #[test]
    fn times_have_minutes_or_seconds() {
        let at = Timestamp::from_seconds(3_661);
        let (minute, second) = (Notation::UTC.time(at), Notation::UTC.time_with_seconds(at));
        assert_eq!((minute.as_str(), second.as_str()), ("1970-01-01T01:01Z", "1970-01-01T01:01:01Z"));
    }
}

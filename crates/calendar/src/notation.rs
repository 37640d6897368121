//! How this process prints and reads times: in the processing time zone (specification 4.1).
//!
//! The zone is set once, at the start of the process, because every message and table prints times; until then it is
//! UTC. Must not depend on where times are printed.

use std::sync::OnceLock;

use super::datetime::{DatetimeError, ProcessingZone};
use howdah_words::model::time::{MINUTE, Timestamp};

/// The notation of times in this process; set once, before the first time is printed.
static NOTATION: OnceLock<Notation> = OnceLock::new();

/// The zone in which times are printed and read.
#[derive(Clone, Copy, Debug)]
struct Notation {
    /// The processing time zone of the settings.
    processing: ProcessingZone,
    /// The output is for programs, which get times in UTC.
    is_for_programs: bool,
}

impl Notation {
    const DEFAULT: Self = Self { processing: ProcessingZone::UTC, is_for_programs: false };

    fn own() -> Self {
        NOTATION.get().copied().unwrap_or(Self::DEFAULT)
    }

    const fn printed(self) -> ProcessingZone {
        if self.is_for_programs { ProcessingZone::UTC } else { self.processing }
    }

    fn read(self, text: &str) -> Result<Timestamp, DatetimeError> {
        let own = self.processing.parse_datetime(text);
        own.or_else(|error| ProcessingZone::UTC.parse_datetime(text).map_err(|_| error))
    }
}

/// Makes this process print and read times in the processing time zone; in UTC for programs. Only the first call
/// counts.
pub fn set_notation(processing: ProcessingZone, is_for_programs: bool) {
    NOTATION.get_or_init(|| Notation { processing, is_for_programs });
}

/// Returns an instant as people read it everywhere, in the processing time zone: `YYYY-MM-DDTHH:MMZ`. Programs get it
/// in UTC.
pub fn time(at: Timestamp) -> String {
    Notation::own().printed().format(at)
}

/// Returns an instant as it is stored, `YYYY-MM-DDTHH:MMZ`.
pub fn stored_time(at: Timestamp) -> String {
    ProcessingZone::UTC.format(at)
}

/// Returns a stored instant as [`time`] prints it.
pub fn shown_time(stored: &str) -> String {
    ProcessingZone::UTC.parse_datetime(stored).map_or_else(|_| stored.to_owned(), time)
}

/// Returns an instant to the second, for the log.
pub fn time_with_seconds(at: Timestamp) -> String {
    with_seconds(Notation::own().printed(), at)
}

fn with_seconds(zone: ProcessingZone, at: Timestamp) -> String {
    let minute = zone.format(at);
    let (date_and_time, suffix) = minute.split_at(minute.len() - zone.suffix_text().len());
    format!("{date_and_time}:{:02}{suffix}", at.seconds().rem_euclid(MINUTE))
}

/// Reads an instant as [`time`] prints it, for people or for programs.
pub fn read_time(text: &str) -> Result<Timestamp, DatetimeError> {
    Notation::own().read(text)
}

/// Reads an instant as [`time_with_seconds`] prints it; a blank may replace the `T`, and the zone may be missing.
pub fn read_time_with_seconds(text: &str) -> Option<Timestamp> {
    read_with_seconds(Notation::own(), text)
}

fn read_with_seconds(notation: Notation, text: &str) -> Option<Timestamp> {
    let own = notation.processing.suffix_text();
    let suffix = [own, "Z"].into_iter().find(|suffix| text.ends_with(suffix)).unwrap_or_default();
    let (minute, seconds) = text[..text.len() - suffix.len()].rsplit_once(':')?;
    let (date, time) = minute.split_once([' ', 'T'])?;
    let suffix = if suffix.is_empty() { own } else { suffix };
    let at = notation.read(&format!("{date}T{time}{suffix}")).ok()?;
    let two_digits = seconds.len() == 2 && seconds.bytes().all(|byte| byte.is_ascii_digit());
    seconds.parse::<i64>().ok().filter(|seconds| two_digits && *seconds < MINUTE).map(|seconds| at + seconds)
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
                let notation = Notation { processing, is_for_programs };
                assert_eq!(notation.read(&notation.printed().format(at)), Ok(at - 1), "{zone}");
                assert_eq!(read_with_seconds(notation, &with_seconds(notation.printed(), at)), Some(at), "{zone}");
            }
            let notation = Notation { processing, is_for_programs: false };
            assert_eq!((notation.printed().format(at), with_seconds(processing, at)), (minute.into(), second.into()));
            let local = second.replace('T', " ").replace(processing.suffix_text(), "");
            assert_eq!(read_with_seconds(notation, &local), Some(at), "{local}");
            assert_eq!(read_with_seconds(notation, "1970-01-01 01:01:61"), None);
        }
    }

    #[test]
    fn times_have_minutes_or_seconds() {
        let at = Timestamp::from_seconds(3_661);
        assert_eq!((time(at), time_with_seconds(at)), ("1970-01-01T01:01Z".into(), "1970-01-01T01:01:01Z".into()));
    }
}

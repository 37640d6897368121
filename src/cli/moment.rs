//! Times and durations as people type them: `-24h`, `yesterday`, `2026-03-01`, `2026-03-01T05:00Z`.
//!
//! Short forms are written out in full before a verb reads them, so that what Oozie writes means the same as before.

use howdah_calendar::notation::Notation;
use howdah_calendar::{ProcessingZone, Zone};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// The longest time between now and a time that is given as a distance, in seconds: a thousand years.
const LONGEST_DISTANCE: i64 = 366_000 * DAY;

/// How the options of a verb read times.
///
/// Besides a full time, such as `2026-03-01T05:00Z`, an option takes `now`, how far from now the time is (`-24h`,
/// `+2d`), and days: `today`, `yesterday`, `tomorrow`, `2026-03-01`. A day means its first minute; as the last part of
/// a period that includes its end, it means the last minute.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    now: Timestamp,
    /// The zone in which full times are written.
    processing: ProcessingZone,
    /// The zone of the days, when it is not the processing time zone.
    zone: Option<Zone>,
}

/// A time that is not written in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    At(Timestamp),
    /// A day; seconds of its local midnight.
    Day(i64),
}

impl Moments {
    /// Returns the reader of a verb; days are those of the processing time zone.
    pub(crate) const fn new(now: Timestamp, processing: ProcessingZone) -> Self {
        Self { now, processing, zone: None }
    }

    /// Returns the reader whose days are those of a zone, if one is given.
    #[must_use]
    pub(crate) fn with_days_of(self, zone: Option<Zone>) -> Self {
        Self { zone, ..self }
    }

    /// Returns the zone in which full times are written.
    pub(crate) const fn processing(&self) -> ProcessingZone {
        self.processing
    }

    /// Reads a time before now; a distance needs no sign.
    ///
    /// # Errors
    /// H0002 for any other text; `option` is where it was given.
    pub(crate) fn past(&self, option: &str, text: &str) -> Result<Timestamp> {
        let ago = || read_distance(text).map(|seconds| Short::At(self.now - seconds));
        match self.short(text).or_else(ago) {
            Some(short) => Ok(self.first(short)),
            None => Notation::new(self.processing, false).read_time(text).map_err(|error| {
                let refused = Error::new(ErrorCode::H0002, format!("{option} [{text}]: this is not a time"));
                if error.is_of_other_zone() {
                    return refused.help(error.help());
                }
                refused.help(
                    "write a time such as 2026-03-01T05:00Z, a date, today, yesterday, or how long ago, such as 24h",
                )
            }),
        }
    }

    /// Reads one time, before or after now.
    ///
    /// # Errors
    /// H0002 for any other text; `option` is where it was given.
    pub(crate) fn point(&self, option: &str, text: &str) -> Result<Timestamp> {
        self.past(option, text)
    }

    /// Like [`Self::point`], for the end of a period that includes it: a date is its last minute.
    ///
    /// # Errors
    /// Like [`Self::point`].
    pub(crate) fn end_point(&self, option: &str, text: &str) -> Result<Timestamp> {
        self.past(option, &self.end_written_out(text))
    }

    /// Returns a time as it is written in full; a text that is no short form stays as it is, for the reader of full
    /// times to judge.
    pub(crate) fn written_out(&self, text: &str) -> String {
        self.write(text, |short| self.first(short))
    }

    /// Like [`Self::written_out`], for the end of a period that includes it.
    pub(crate) fn end_written_out(&self, text: &str) -> String {
        self.write(text, |short| self.last(short))
    }

    /// Writes out the times of a list of nominal times and periods `A::B`.
    pub(crate) fn list_written_out(&self, list: &str) -> String {
        let part = |part: &str| match part.split_once("::") {
            Some((from, until)) => format!("{}::{}", self.written_out(from), self.end_written_out(until)),
            None => self.written_out(part),
        };
        list.split(',').map(part).collect::<Vec<_>>().join(",")
    }

    fn write(&self, text: &str, choose: impl Fn(Short) -> Timestamp) -> String {
        self.short(text.trim()).map_or_else(|| text.to_owned(), |short| self.processing.format(choose(short)))
    }

    fn short(&self, text: &str) -> Option<Short> {
        let today = || self.local_seconds(self.now).div_euclid(DAY) * DAY;
        match text {
            "now" => Some(Short::At(self.now)),
            "today" => Some(Short::Day(today())),
            "yesterday" => Some(Short::Day(today() - DAY)),
            "tomorrow" => Some(Short::Day(today() + DAY)),
            _ => {
                let before = || text.strip_prefix('-').and_then(read_distance).map(|seconds| self.now - seconds);
                let after = || text.strip_prefix('+').and_then(read_distance).map(|seconds| self.now + seconds);
                before().or_else(after).map(Short::At).or_else(|| read_date(text).map(Short::Day))
            }
        }
    }

    /// Returns the time that a text means by itself.
    fn first(&self, short: Short) -> Timestamp {
        match short {
            Short::At(at) => at,
            Short::Day(midnight) => self.instant(midnight),
        }
    }

    /// Returns the last minute that a text means.
    fn last(&self, short: Short) -> Timestamp {
        match short {
            Short::At(at) => at,
            Short::Day(midnight) => self.instant(midnight + DAY) - MINUTE,
        }
    }

    fn local_seconds(&self, at: Timestamp) -> i64 {
        match &self.zone {
            Some(zone) => zone.local_seconds(at),
            None => at.seconds() + self.processing.offset_seconds(),
        }
    }

    fn instant(&self, local: i64) -> Timestamp {
        match &self.zone {
            Some(zone) => zone.instant(local),
            None => Timestamp::from_seconds(local - self.processing.offset_seconds()),
        }
    }
}

/// Reads a date, `YYYY-MM-DD`; returns the seconds of its local midnight.
fn read_date(text: &str) -> Option<i64> {
    let is_date = text.len() == "YYYY-MM-DD".len() && !text.contains('T');
    let midnight = is_date.then(|| ProcessingZone::UTC.parse_datetime(&format!("{text}T00:00Z")).ok())??;
    Some(midnight.seconds())
}

fn read_distance(text: &str) -> Option<i64> {
    read_length(text).filter(|seconds| *seconds <= LONGEST_DISTANCE)
}

/// Reads a duration in seconds, such as `90s`, `30m`, `24h`, `7d` or `2w`.
///
/// # Errors
/// H0002 for any other text; `option` is where it was given.
pub(crate) fn read_duration(option: &str, text: &str) -> Result<i64> {
    read_length(text).ok_or_else(|| {
        let error = Error::new(ErrorCode::H0002, format!("{option} [{text}]: this is not a duration"));
        error.help("write a number and a unit: 90s, 30m, 24h, 7d or 2w")
    })
}

fn read_length(text: &str) -> Option<i64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "w" => 7 * DAY,
        "d" => DAY,
        "h" => HOUR,
        "m" => MINUTE,
        "s" => 1,
        _ => return None,
    };
    let has_only_digits = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse::<i64>().ok().filter(|_| has_only_digits)?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).unwrap()
    }

    fn utc() -> Moments {
        Moments::new(at("2026-03-01T05:30Z") + 20, ProcessingZone::UTC)
    }

    #[test]
    fn times_before_now_as_people_type_them() {
        for (text, expect) in [
            ("2026-02-28T04:00Z", Some("2026-02-28T04:00Z")),
            ("2026-02-28", Some("2026-02-28T00:00Z")),
            ("today", Some("2026-03-01T00:00Z")),
            ("yesterday", Some("2026-02-28T00:00Z")),
            ("now", Some("2026-03-01T05:30Z")),
            ("24h", Some("2026-02-28T05:30Z")),
            ("-24h", Some("2026-02-28T05:30Z")),
            ("2w", Some("2026-02-15T05:30Z")),
            ("30m", Some("2026-03-01T05:00Z")),
            ("2026-02-30", None),
            ("24", None),
            ("h", None),
            ("--24h", None),
            ("9999999999999999999h", None),
            ("9999999999d", None),
            ("", None),
        ] {
            let read = utc().past("--since", text).ok().map(|at| ProcessingZone::UTC.format(at));
            assert_eq!(read.as_deref(), expect, "{text}");
        }
        assert_eq!(read_duration("--late", "90s").ok(), Some(90));
        assert!(read_duration("--late", "-1h").is_err());
    }

    /// Checks what a list of dates is written out as.
    fn check(moments: &Moments, list: &str, expect: &str) {
        assert_eq!(moments.list_written_out(list), expect, "{list}");
    }

    #[test]
    fn short_times_are_written_out_and_others_stay() {
        check(&utc(), "+2d", "2026-03-03T05:30Z");
        check(&utc(), "-90m", "2026-03-01T04:00Z");
        check(&utc(), "tomorrow", "2026-03-02T00:00Z");
        check(&utc(), "2026-03-01::2026-03-01", "2026-03-01T00:00Z::2026-03-01T23:59Z");
        check(&utc(), "yesterday::now, 2026-02-01", "2026-02-28T00:00Z::2026-03-01T05:30Z,2026-02-01T00:00Z");
        check(&utc(), "2026-02-01T00:00Z::2026-02-02", "2026-02-01T00:00Z::2026-02-02T23:59Z");
        for same in [
            "2026-02-01T00:00Z::2026-02-02T00:00Z, 2026-02-03T00:00Z",
            "2026-02-01T00:00Z::",
            "2026-02-01T00:00Z::2026-02-02T00:00Z::2026-02-03T00:00Z",
            "24h",
            "none",
            "2026-02-30",
            "+9999999999d",
            " x ,",
            "",
        ] {
            check(&utc(), same, same);
        }
    }

    #[test]
    fn days_are_those_of_the_zone() {
        let now = at("2026-03-29T20:00Z");
        let processing = ProcessingZone::parse("GMT+0530").unwrap();
        check(&Moments::new(now, processing), "today", "2026-03-30T00:00+0530");
        // The clocks are put forward: the day has 23 hours.
        let vienna = Moments::new(now, ProcessingZone::UTC).with_days_of(Zone::parse("Europe/Vienna").ok());
        check(&vienna, "today::today", "2026-03-28T23:00Z::2026-03-29T21:59Z");
        check(&vienna, "-24h", "2026-03-28T20:00Z");
    }
}

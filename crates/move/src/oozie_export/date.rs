//! The dates of an export: English, in seconds, without a zone (Gson's format of a Java date).
//!
//! Java 20 and later write a narrow no-break space before AM and PM, some versions a comma behind the year.

use chrono::NaiveDate;

use howdah_words::model::time::Timestamp;

/// A reading of a clock whose zone is not known: seconds since 1970-01-01T00:00 of its calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocalSeconds(pub i64);

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl LocalSeconds {
    /// Returns what a clock in UTC shows at an instant.
    pub const fn in_utc(at: Timestamp) -> Self {
        Self(at.seconds())
    }

    /// Returns the instant at which a clock in UTC shows this.
    pub const fn utc(self) -> Timestamp {
        Timestamp::from_seconds(self.0)
    }

    /// Reads a text such as `Nov 4, 2012 7:00:00 PM`; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_separator = |character: char| character == ',' || character.is_whitespace();
        let mut words = text.split(is_separator).filter(|word| !word.is_empty());
        let month = words.next()?;
        let month = MONTHS.iter().position(|known| *known == month).and_then(|index| u32::try_from(index + 1).ok())?;
        let (day, year) = (number(words.next()?, 2)?, number(words.next()?, 4)?);
        let mut time = words.next().filter(|word| *word != "at").or_else(|| words.next())?.split(':');
        let (hour, minute, second) = (number(time.next()?, 2)?, number(time.next()?, 2)?, number(time.next()?, 2)?);
        let hour = match words.next() {
            Some(half) => hour_of_half(hour, half)?,
            None => hour,
        };
        if time.next().or_else(|| words.next()).is_some() {
            return None;
        }
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
        Some(Self(date.and_hms_opt(hour, minute, second)?.and_utc().timestamp()))
    }
}

/// Returns the hour of the day of an hour with AM or PM.
fn hour_of_half(hour: u32, half: &str) -> Option<u32> {
    let later = match half {
        "AM" => 0,
        "PM" => 12,
        _ => return None,
    };
    (1..=12).contains(&hour).then_some(hour % 12 + later)
}

/// Reads at most `digits` digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.len() <= digits && text.bytes().all(|digit| digit.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_calendar::ProcessingZone;

    fn check(text: &str, expect: Option<&str>) {
        let got = LocalSeconds::parse(text).map(|local| {
            assert!(local.0 % 60 == 5 || !text.contains(":05 "), "{text}");
            ProcessingZone::UTC.format(local.utc())
        });
        assert_eq!(got.as_deref(), expect, "{text}");
    }

    #[test]
    fn dates_of_every_version_of_java_are_read() {
        for text in [
            "Nov 4, 2012 7:00:05 PM",
            "Nov 4, 2012 7:00:05\u{202f}PM",
            "Nov 4, 2012 7:00:05\u{a0}PM",
            "Nov 4, 2012, 7:00:05 PM",
            "Nov 4, 2012 at 7:00:05 PM",
            "Nov 4, 2012 19:00:05",
        ] {
            check(text, Some("2012-11-04T19:00Z"));
        }
        check("Jan 1, 2026 12:00:00 AM", Some("2026-01-01T00:00Z"));
        check("Feb 29, 2024 12:59:59 PM", Some("2024-02-29T12:59Z"));
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "2012-11-04T19:00Z",
            "Nov 31, 2012 7:00:00 PM",
            "Nov 4, 2012 13:00:00 PM",
            "Nov 4, 2012 0:00:00 AM",
            "Nov 4, 2012 7:00 PM",
            "Nov 4, 2012 7:00:00 PM UTC",
            "Now 4, 2012 7:00:00 PM",
            "Nov 4, 99999 7:00:00 PM",
        ] {
            check(text, None);
        }
    }
}

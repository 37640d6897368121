//! Datetimes as text, in the processing time zone.
//!
//! Decides which texts are datetimes and how instants are printed (coordinator specification 4.1.1). A field may lack
//! or exceed its digits, as Java reads it (decision C47), and `T24:00` is the zero hour of the next day. Must not
//! depend on the zones of applications and datasets.

use std::fmt::Write as _;

use super::add::representable;
use super::civil::{DAY_SECONDS, Date};
use super::digits::{digit_value, push_two_digits};
use super::zone::offset_of_digits;
use howdah_words::model::time::{HOUR, MINUTE, Timestamp};

/// The processing time zone: `UTC`, or a fixed offset `GMT+hhmm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessingZone {
    offset: i32,
    /// Sign and digits as configured; `None` for `UTC`.
    suffix: Option<[u8; 5]>,
}

/// The error for a setting that is not a processing time zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid Oozie timezone [{0}], it must be 'UTC' or 'GMT(+/-)####'")]
pub struct ProcessingZoneError(String);

/// The error for a text that is not a datetime of the processing time zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Could not parse [{text}] using [{mask}] mask")]
pub struct DatetimeError {
    text: String,
    mask: String,
    form: String,
    /// What it would be in the zone that it was written for.
    other: Option<OtherZone>,
}

/// A datetime of another processing time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OtherZone {
    /// That zone, as the setting names it.
    setting: String,
    /// The same instant in the zone that is in force.
    here: String,
}

impl DatetimeError {
    /// Returns advice for the user: the form that is expected. For a datetime of another processing time zone it is the
    /// same instant: only to replace its end would mean another time.
    pub fn help(&self) -> String {
        match &self.other {
            None => format!("write it as {}", self.form),
            Some(OtherZone { here, .. }) => format!("the same instant is {here} here"),
        }
    }

    /// As [`Self::help`], for a datetime in a definition; the setting that makes it valid is named, too.
    pub fn help_in_definition(&self) -> String {
        let setting = self.other.as_ref().map(|OtherZone { setting, .. }| {
            format!(
                "; a definition for a server with oozie.processing.timezone={setting} needs that setting in the site \
                 file"
            )
        });
        self.help() + &setting.unwrap_or_default()
    }

    /// Returns whether it is a datetime of another processing time zone.
    pub const fn is_of_other_zone(&self) -> bool {
        self.other.is_some()
    }
}

/// The numbers of a datetime in the processing time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    pub year: i64,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
}

impl ProcessingZone {
    /// The default, `UTC`.
    pub const UTC: Self = Self { offset: 0, suffix: None };

    /// Reads the setting: `UTC`, or `GMT` with a sign and four digits.
    ///
    /// Digits that are not a time of day (`GMT+9999`) mean no offset, as in Java, but are printed.
    pub fn parse(text: &str) -> Result<Self, ProcessingZoneError> {
        if text == "UTC" {
            return Ok(Self::UTC);
        }
        let invalid = || ProcessingZoneError(text.to_owned());
        let suffix: [u8; 5] =
            text.strip_prefix("GMT").and_then(|rest| rest.as_bytes().try_into().ok()).ok_or_else(invalid)?;
        let sign = match suffix[0] {
            b'+' => 1,
            b'-' => -1,
            _ => return Err(invalid()),
        };
        if !suffix[1..].iter().all(u8::is_ascii_digit) {
            return Err(invalid());
        }
        let offset = sign * offset_of_digits(&text[4..]).unwrap_or(0);
        Ok(Self { offset, suffix: Some(suffix) })
    }

    /// Returns the seconds that this zone is ahead of UTC.
    pub const fn offset_seconds(self) -> i64 {
        self.offset as i64
    }

    /// Returns the mask of its datetimes in the notation of Java.
    pub fn mask(self) -> String {
        let literal = if self.suffix.is_none() { "'Z'" } else { self.suffix_text() };
        format!("yyyy-MM-dd'T'HH:mm{literal}")
    }

    /// Reads a datetime, `YYYY-MM-DDTHH:mm` with `Z` or the offset of this zone; blanks around it are ignored, and a
    /// field may lack or exceed its digits ([`Self::written_out`]).
    ///
    /// Fails on any other form or offset, and on dates and times that do not exist.
    pub fn parse_datetime(&self, text: &str) -> Result<Timestamp, DatetimeError> {
        let suffix = self.suffix_text();
        text.strip_suffix(suffix)
            .and_then(read)
            .map(|local| Timestamp::from_seconds(local - self.offset_seconds()))
            .ok_or_else(|| DatetimeError {
                text: text.to_owned(),
                mask: self.mask(),
                form: format!("YYYY-MM-DDTHH:mm{suffix}, for example 2009-01-01T00:00{suffix}"),
                other: self.other_zone(text),
            })
    }

    /// Returns what a datetime with another end means: `Z`, or an offset with or without a colon.
    fn other_zone(&self, text: &str) -> Option<OtherZone> {
        let text = text.trim();
        let zone = if text.ends_with(['Z', 'z']) {
            Self::UTC
        } else {
            let sign = text.rfind(['+', '-'])?;
            Self::parse(&format!("GMT{}", text[sign..].replace(':', ""))).ok()?
        };
        let end = text.find('T').and_then(|time| text[time..].find(['Z', 'z', '+', '-']).map(|end| time + end))?;
        // Seconds are no part of a datetime, but people write them.
        let local = read(&text[..end]).or_else(|| read(text[..end].rsplit_once(':')?.0))?;
        let at = Timestamp::from_seconds(local - zone.offset_seconds());
        let setting = if zone.suffix.is_none() { "UTC".to_owned() } else { format!("GMT{}", zone.suffix_text()) };
        (zone.suffix != self.suffix).then(|| OtherZone { setting, here: self.format(at) })
    }

    /// Returns the full form of a datetime whose fields lack or exceed their digits; `None` for every other text.
    pub fn written_out(&self, text: &str) -> Option<String> {
        let widths = |field: &str| field.len();
        let fields = text.strip_suffix(self.suffix_text())?.split(['-', 'T', ':']).map(widths);
        // Most have their digits, and need not be read for that.
        if fields.eq([4, 2, 2, 2, 2]) {
            return None;
        }
        self.parse_datetime(text).ok().map(|at| self.format(at))
    }

    /// Prints an instant as this zone's datetime; seconds are cut off.
    pub fn format(&self, at: Timestamp) -> String {
        let Fields { year, month, day, hour, minute } = self.fields(at);
        let mut text = String::with_capacity("YYYY-MM-DDTHH:mm+0000".len());
        // Writing to a String cannot fail.
        let _ = write!(text, "{year:04}");
        for (separator, number) in [('-', month), ('-', day), ('T', hour), (':', minute)] {
            text.push(separator);
            push_two_digits(&mut text, number);
        }
        text.push_str(self.suffix_text());
        text
    }

    /// Returns the date and the time of day that this zone shows at an instant.
    pub fn fields(&self, at: Timestamp) -> Fields {
        let local = at.seconds().saturating_add(self.offset_seconds());
        let date = Date::from_day_number(local.div_euclid(DAY_SECONDS));
        let second = local.rem_euclid(DAY_SECONDS);
        let small = |value: i64| u32::try_from(value).expect("an hour or a minute is small");
        Fields {
            year: date.year,
            month: date.month,
            day: date.day,
            hour: small(second / HOUR),
            minute: small(second % HOUR / MINUTE),
        }
    }

    /// Returns the literal end of its datetimes: `Z`, or sign and digits as configured.
    pub(crate) fn suffix_text(&self) -> &str {
        self.suffix.as_ref().map_or("Z", |bytes| std::str::from_utf8(bytes).expect("a sign and digits are ASCII"))
    }

    /// Returns Java's id of this zone: `UTC`, or `GMT+hh:mm`.
    pub fn java_id(self) -> String {
        if self.suffix.is_none() {
            return "UTC".to_owned();
        }
        let (sign, digits) = self.suffix_text().split_at(1);
        let known = offset_of_digits(digits).is_some();
        if known { format!("GMT{sign}{}:{}", &digits[..2], &digits[2..]) } else { "GMT".to_owned() }
    }
}

/// The most digits read for one field.
const MOST_DIGITS: u32 = 8;

/// Returns the local seconds of `YYYY-MM-DDTHH:mm`.
fn read(text: &str) -> Option<i64> {
    let mut characters = text.chars();
    let year = number(&mut characters, Some('-'))?;
    let month = number(&mut characters, Some('-'))?;
    let day = number(&mut characters, Some('T'))?;
    let hour = number(&mut characters, Some(':'))?;
    let minute = number(&mut characters, None)?;
    let date = Date { year: i64::from(year), month, day };
    let in_day = (hour < 24 && minute < 60) || (hour == 24 && minute == 0);
    if year == 0 || !date.exists() || !in_day {
        return None;
    }
    let local = date.day_number() * DAY_SECONDS + i64::from(hour) * HOUR + i64::from(minute) * MINUTE;
    representable(local).then_some(local)
}

/// Digits, at most [`MOST_DIGITS`], then the separator or the end.
fn number(characters: &mut std::str::Chars<'_>, separator: Option<char>) -> Option<u32> {
    let mut value = 0;
    for digits in 0..=MOST_DIGITS {
        let next = characters.next();
        if next == separator {
            return (digits > 0).then_some(value);
        }
        value = value * 10 + digit_value(next?)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(zone: &str, text: &str, expect: Option<(i64, &str)>) {
        let zone = ProcessingZone::parse(zone).expect("a zone of the table");
        let read = zone.parse_datetime(text).ok();
        let found = read.map(|at| (at.seconds(), zone.format(at)));
        assert_eq!(found, expect.map(|(seconds, text)| (seconds, text.to_owned())), "{text}");
    }

    #[test]
    fn reads_utc() {
        check("UTC", "2009-08-10T13:10Z", Some((1_249_909_800, "2009-08-10T13:10Z")));
        check("UTC", "1969-12-31T23:59Z", Some((-60, "1969-12-31T23:59Z")));
        check("UTC", "0001-01-01T00:00Z", Some((-62_135_769_600, "0001-01-01T00:00Z")));
        check("UTC", "2009-01-01T24:00Z", Some((1_230_854_400, "2009-01-02T00:00Z")));
    }

    #[test]
    fn reads_only_the_offset_of_the_zone() {
        check("GMT+0530", "2009-12-31T23:59+0530", Some((1_262_284_140, "2009-12-31T23:59+0530")));
        for text in ["2009-12-31T23:59Z", "2009-12-31T23:59+0000", "2009-12-31T23:59+05:30", "2009-12-31T23:59"] {
            check("GMT+0530", text, None);
        }
    }

    #[test]
    fn refuses_every_other_form() {
        for text in [
            "",
            "Z",
            "2009-8-T3:5Z",
            "20090-01-01T00:00Z",
            "2009-01-01T000000010:00Z",
            "2009-08- 1T03:05Z",
            "0000-01-01T00:00Z",
            "2009-01-01T24:01Z",
            "2009-01-01T25:00Z",
            "2009-01-01T00:60Z",
            "2009-02-29T00:00Z",
            "2009-01-01T00:00z",
            "2009-01-01t00:00Z",
            " 2009-01-01T00:00Z",
            "2009-01-01T00:00Z ",
            "2009-01-01T00:00:00Z",
            "2009-01-01T00:00ZZ",
            "1582-10-10T00:00Z",
        ] {
            check("UTC", text, None);
        }
        let error = ProcessingZone::UTC.parse_datetime("now").expect_err("not a datetime");
        assert_eq!(error.help(), "write it as YYYY-MM-DDTHH:mmZ, for example 2009-01-01T00:00Z");
    }

    #[test]
    fn the_help_for_another_offset_names_the_same_instant() {
        let setting = |setting: &str| {
            format!(
                " here; a definition for a server with oozie.processing.timezone={setting} needs that setting in the \
                 site file"
            )
        };
        for (zone, text, here, other) in [
            ("UTC", "2026-03-01T00:00+0800", "2026-02-28T16:00Z", "GMT+0800"),
            ("UTC", "2026-03-01T00:00-03:30", "2026-03-01T03:30Z", "GMT-0330"),
            ("UTC", "2026-03-01T00:00:00+0800", "2026-02-28T16:00Z", "GMT+0800"),
            ("GMT+0800", "2026-03-01T06:30Z", "2026-03-01T14:30+0800", "UTC"),
            ("GMT+0530", "2026-03-01T00:00+0800", "2026-02-28T21:30+0530", "GMT+0800"),
        ] {
            let zone = ProcessingZone::parse(zone).expect("a zone of the table");
            let error = zone.parse_datetime(text).expect_err("another offset");
            assert_eq!(error.help(), format!("the same instant is {here} here"), "{text}");
            assert_eq!(error.help_in_definition(), format!("the same instant is {here}{}", setting(other)), "{text}");
        }
        for text in ["2026-03-01", "2026-03-01T00:00", "2026-03-01T00:00:00Z", "2026-13-01T00:00+0800", "+0800", "T-Z"]
        {
            let help = ProcessingZone::UTC.parse_datetime(text).expect_err("no datetime").help();
            assert!(help.starts_with("write it as YYYY-MM-DDTHH:mmZ"), "{text}: {help}");
        }
    }

    #[test]
    fn reads_fields_without_their_digits_and_reports_the_full_form() {
        for (zone, text, expect) in [
            ("UTC", "2015-04-09T3:40Z", Some("2015-04-09T03:40Z")),
            ("UTC", "2015-04-09T015:57Z", Some("2015-04-09T15:57Z")),
            ("UTC", "2009-8-1T3:5Z", Some("2009-08-01T03:05Z")),
            ("UTC", "99-01-01T00:00Z", Some("0099-01-01T00:00Z")),
            ("GMT-0800", "2009-8-1T3:5-0800", Some("2009-08-01T03:05-0800")),
            ("UTC", "2009-01-01T24:00Z", None),
            ("UTC", "2009-08-01T03:05Z", None),
            ("GMT-0800", "2009-08-01T03:05-0800", None),
            ("UTC", "now", None),
        ] {
            let zone = ProcessingZone::parse(zone).expect("a zone of the table");
            assert_eq!(zone.written_out(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn reads_the_setting() {
        for (text, expect) in [
            ("UTC", Some((0, "Z"))),
            ("GMT+0530", Some((19_800, "+0530"))),
            ("GMT-0000", Some((0, "-0000"))),
            ("GMT+9999", Some((0, "+9999"))),
            ("GMT", None),
            ("GMT+05:30", None),
            ("GMT+053é", None),
            ("utc", None),
        ] {
            let zone = ProcessingZone::parse(text).ok();
            let found = zone.as_ref().map(|zone| (zone.offset_seconds(), zone.suffix_text()));
            assert_eq!(found, expect, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(minutes in -1_035_596_160_i64..4_223_371_680, setting in "UTC|GMT[+-][0-9]{4}") {
            let zone = ProcessingZone::parse(&setting).expect("a setting");
            let at = Timestamp::from_seconds(minutes * 60);
            let printed = zone.format(at);
            // After the last midnight of the year 9999, and before the first of the year 1, there are no datetimes.
            let local = at.seconds() + zone.offset_seconds();
            prop_assert_eq!(zone.parse_datetime(&printed).ok(), representable(local).then_some(at), "{}", printed);
        }

        #[test]
        fn what_is_read_prints_back(
            (year, month, day) in (1..10_000, 1..13, 1..32),
            (hour, minute) in (0..24, 0..60),
            setting in "UTC|GMT[+-][0-9]{4}",
        ) {
            let zone = ProcessingZone::parse(&setting).expect("a setting");
            let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}{}", zone.suffix_text());
            if let Ok(at) = zone.parse_datetime(&text) {
                prop_assert_eq!(zone.format(at), text);
            }
        }

        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = ProcessingZone::UTC.parse_datetime(&text);
        }
    }
}

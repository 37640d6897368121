//! Prints instants by the patterns of Java's `SimpleDateFormat`, in English.
//!
//! Decides what `coord:formatTime` prints (coordinator specification 6.9.3). Weeks start on Sunday and the first week
//! of a year contains its first day, as in the locale `en_US`. Must not depend on the zones of applications.

use std::iter::{Peekable, repeat_n};
use std::str::Chars;

use super::civil::{DAY_SECONDS, Date, weekday};
use super::datetime::ProcessingZone;
use super::names::{self, MONTHS, WEEKDAYS};
use howdah_words::model::time::{HOUR, MINUTE, Timestamp};

/// A pattern that `SimpleDateFormat` refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A letter without a meaning.
    #[error("Illegal pattern character '{0}'")]
    Letter(char),
    /// A quoted text without its end.
    #[error("Unterminated quote")]
    Quote,
    /// Too many `X`.
    #[error("invalid ISO 8601 format: length={0}")]
    IsoZone(usize),
}

/// Prints an instant by a pattern of Java's `SimpleDateFormat`; fails on a pattern that Java refuses.
pub fn format_pattern(pattern: &str, at: Timestamp, zone: ProcessingZone) -> Result<String, PatternError> {
    let moment = Moment::new(at, zone);
    let mut out = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' => copy_quoted(&mut characters, &mut out)?,
            letter if letter.is_ascii_alphabetic() => {
                let mut count = 1;
                while characters.next_if_eq(&letter).is_some() {
                    count += 1;
                }
                moment.print(letter, count, &mut out)?;
            }
            other => out.push(other),
        }
    }
    Ok(out)
}

/// Copies up to the closing quote; two quotes are one quote, inside a quoted text and outside.
fn copy_quoted(characters: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), PatternError> {
    if characters.next_if_eq(&'\'').is_some() {
        out.push('\'');
        return Ok(());
    }
    loop {
        match characters.next().ok_or(PatternError::Quote)? {
            '\'' if characters.next_if_eq(&'\'').is_some() => out.push('\''),
            '\'' => return Ok(()),
            other => out.push(other),
        }
    }
}

/// The parts of an instant.
struct Moment {
    date: Date,
    /// Days since 1970-01-01.
    day_number: i64,
    /// Seconds since local midnight.
    second: i64,
    zone: ProcessingZone,
}

impl Moment {
    fn new(at: Timestamp, zone: ProcessingZone) -> Self {
        let local = at.seconds().saturating_add(zone.offset_seconds());
        let day_number = local.div_euclid(DAY_SECONDS);
        let date = Date::from_day_number(day_number);
        Self { date, day_number, second: local.rem_euclid(DAY_SECONDS), zone }
    }

    /// Prints one field: a letter that is repeated `count` times.
    fn print(&self, letter: char, count: usize, out: &mut String) -> Result<(), PatternError> {
        let hour = self.second / HOUR;
        match letter {
            'G' => out.push_str("AD"),
            'y' => print_year(self.date.year, count, out),
            'Y' => print_year(self.week_of_year().0, count, out),
            'M' | 'L' if count >= names::SHORT => print_name(MONTHS[self.date.month as usize - 1], count, out),
            'M' | 'L' => print_number(i64::from(self.date.month), count, out),
            'd' => print_number(i64::from(self.date.day), count, out),
            'D' => print_number(self.day_of_year(), count, out),
            'w' => print_number(self.week_of_year().1, count, out),
            'W' => print_number(self.week_containing(i64::from(self.date.day)), count, out),
            'F' => print_number(i64::from(self.date.day - 1) / 7 + 1, count, out),
            'E' => print_name(WEEKDAYS[self.weekday() as usize - 1], count.max(names::SHORT), out),
            'u' => print_number(i64::from((self.weekday() + 5) % 7 + 1), count, out),
            'a' => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            'H' => print_number(hour, count, out),
            'k' => print_number(if hour == 0 { 24 } else { hour }, count, out),
            'K' => print_number(hour % 12, count, out),
            'h' => print_number((hour + 11) % 12 + 1, count, out),
            'm' => print_number(self.second % HOUR / MINUTE, count, out),
            's' => print_number(self.second % MINUTE, count, out),
            'S' => print_number(0, count, out),
            'z' => out.push_str(&self.zone_name(count)),
            'Z' => self.print_offset("", out),
            'X' => self.print_iso_zone(count, out)?,
            other => return Err(PatternError::Letter(other)),
        }
        Ok(())
    }

    fn weekday(&self) -> u32 {
        weekday(self.day_number)
    }

    fn day_of_year(&self) -> i64 {
        self.day_number - first_day_of(self.date.year) + 1
    }

    /// Returns the week, from 1, of a month or year in which today is day `day`.
    fn week_containing(&self, day: i64) -> i64 {
        let weekday_of_first = weekday(self.day_number - day + 1);
        (day + i64::from(weekday_of_first) - 2) / 7 + 1
    }

    /// Returns the year and the number of the week; the week that contains January 1st belongs to the later year.
    fn week_of_year(&self) -> (i64, i64) {
        let saturday = self.day_number + 7 - i64::from(self.weekday());
        if saturday >= first_day_of(self.date.year + 1) {
            return (self.date.year + 1, 1);
        }
        (self.date.year, self.week_containing(self.day_of_year()))
    }

    fn zone_name(&self, count: usize) -> String {
        match self.zone.java_id().as_str() {
            "UTC" if count >= 4 => "Coordinated Universal Time".to_owned(),
            "GMT" if count >= 4 => "Greenwich Mean Time".to_owned(),
            id => id.to_owned(),
        }
    }

    fn print_offset(&self, separator: &str, out: &mut String) {
        let minutes = self.zone.offset_seconds() / MINUTE;
        out.push(if minutes < 0 { '-' } else { '+' });
        print_number(minutes.abs() / 60, 2, out);
        out.push_str(separator);
        print_number(minutes.abs() % 60, 2, out);
    }

    fn print_iso_zone(&self, count: usize, out: &mut String) -> Result<(), PatternError> {
        if count > 3 {
            return Err(PatternError::IsoZone(count));
        }
        if self.zone.offset_seconds() == 0 {
            out.push('Z');
            return Ok(());
        }
        self.print_offset(if count == 3 { ":" } else { "" }, out);
        if count == 1 {
            out.truncate(out.len() - 2);
        }
        Ok(())
    }
}

fn first_day_of(year: i64) -> i64 {
    Date { year, month: 1, day: 1 }.day_number()
}

/// Prints a year, which is cut to two digits only when the pattern has exactly two letters.
fn print_year(year: i64, count: usize, out: &mut String) {
    print_number(if count == 2 { year % 100 } else { year }, count, out);
}

fn print_number(value: i64, width: usize, out: &mut String) {
    let digits = value.to_string();
    // Padded by hand, because a formatting width has a limit and a pattern may be longer.
    out.extend(repeat_n('0', width.saturating_sub(digits.len())));
    out.push_str(&digits);
}

fn print_name(name: &'static str, count: usize, out: &mut String) {
    out.push_str(if count > names::SHORT { name } else { names::short(name) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, at: &str, expect: &str) {
        let at = ProcessingZone::UTC.parse_datetime(at).expect("a datetime of the table");
        assert_eq!(format_pattern(pattern, at, ProcessingZone::UTC).as_deref(), Ok(expect), "{pattern}");
    }

    #[test]
    fn prints_dates() {
        check("yyyyMMdd_HHmmss", "2009-09-08T23:59Z", "20090908_235900");
        check("y yy yyy yyyyy", "2009-09-08T23:59Z", "2009 09 2009 02009");
        check("M MM MMM MMMM MMMMM L LLL", "2009-09-08T23:59Z", "9 09 Sep September September 9 Sep");
        check("d dd ddd D DDD", "2009-02-08T00:00Z", "8 08 008 39 039");
        check("E EEE EEEE u F", "2009-02-08T00:00Z", "Sun Sun Sunday 7 2");
        check("G GGGG", "2009-02-08T00:00Z", "AD AD");
    }

    #[test]
    fn a_number_is_as_wide_as_its_letters_are_many() {
        let most = 70_000;
        check(&"y".repeat(most), "2009-09-08T23:59Z", &format!("{}2009", "0".repeat(most - 4)));
    }

    #[test]
    fn prints_times() {
        check("H k K h a", "2009-02-08T00:05Z", "0 24 0 12 AM");
        check("HH kk KK hh aa", "2009-02-08T13:05Z", "13 13 01 01 PM");
        check("m mm s ss S SSS", "2009-02-08T13:05Z", "5 05 0 00 0 000");
        check("z zzzz Z X XX XXX", "2009-02-08T13:05Z", "UTC Coordinated Universal Time +0000 Z Z Z");
    }

    #[test]
    fn weeks_start_on_sunday_and_january_1st_is_in_week_1() {
        check("YYYY-ww W", "2008-12-29T00:00Z", "2009-01 5");
        check("YYYY-ww W", "2010-11-07T09:00Z", "2010-46 2");
        check("YYYY-ww W", "2011-01-01T00:00Z", "2011-01 1");
    }

    #[test]
    fn prints_offsets() {
        for (zone, expect) in [
            ("GMT+0530", "+0530 +05 +0530 +05:30 GMT+05:30"),
            ("GMT-0800", "-0800 -08 -0800 -08:00 GMT-08:00"),
            ("GMT+0000", "+0000 Z Z Z GMT+00:00"),
        ] {
            let zone = ProcessingZone::parse(zone).expect("a zone of the table");
            assert_eq!(format_pattern("Z X XX XXX z", Timestamp::EPOCH, zone).as_deref(), Ok(expect));
        }
    }

    #[test]
    fn copies_quoted_text() {
        check("yyyy-MM-dd'T'HH:mm'Z'", "2009-02-08T13:05Z", "2009-02-08T13:05Z");
        check("h 'o''clock' a ''yy''", "2009-02-08T13:05Z", "1 o'clock PM '09'");
        check("[1234] #äö#", "2009-02-08T13:05Z", "[1234] #äö#");
    }

    #[test]
    fn refuses_what_java_refuses() {
        for (pattern, expect) in [
            ("yyyy-bb", PatternError::Letter('b')),
            ("yyyyTHH", PatternError::Letter('T')),
            ("'open", PatternError::Quote),
            ("'open''", PatternError::Quote),
            ("XXXX", PatternError::IsoZone(4)),
        ] {
            assert_eq!(format_pattern(pattern, Timestamp::EPOCH, ProcessingZone::UTC), Err(expect), "{pattern}");
        }
    }
}

//! A rule of summer time that repeats every year, as POSIX writes it in the variable TZ: `CET-1CEST,M3.5.0,M10.5.0/3`.
//!
//! Decides the setting of the clocks in any year. Must not depend on a table.

use super::civil::{DAY_SECONDS, Date, is_leap, month_length, weekday};
use super::setting::{FARTHEST, Setting};
use howdah_words::model::time::{HOUR, MINUTE};

/// Later and earlier instants are treated like this one; no calendar arithmetic goes there.
const FARTHEST_INSTANT: i64 = 300_000_000_000;

/// Hours at which a change may be, before or after midnight of its day.
const MOST_HOURS: i64 = 167;

/// One setting forever, or two that alternate every year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct YearlyRule {
    standard: Setting,
    summer: Option<Summer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Summer {
    setting: Setting,
    from: Change,
    to: Change,
}

/// The time of a clock change in a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    day: Day,
    /// Seconds of local time since midnight of the day.
    time: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    /// `M3.5.0`: month, week (5: the last), weekday from Sunday 0.
    Week { month: u32, week: i64, weekday: i64 },
    /// `J60`: from 1, without 29 February.
    WithoutLeap(i64),
    /// `59`: from 0, with 29 February.
    WithLeap(i64),
}

impl Day {
    fn day_number(self, year: i64) -> i64 {
        let first_of = |month: u32| Date { year, month, day: 1 }.day_number();
        match self {
            Self::Week { month, week, weekday: wanted } => {
                let first = first_of(month);
                let days_to_wanted = (wanted - (i64::from(weekday(first)) - 1)).rem_euclid(7);
                let day = days_to_wanted + 7 * (week - 1);
                // The fifth such weekday may be the fourth.
                let past_end = day >= i64::from(month_length(year, month));
                first + if past_end { day - 7 } else { day }
            }
            Self::WithoutLeap(number) => first_of(1) + number - 1 + i64::from(number >= 60 && is_leap(year)),
            Self::WithLeap(number) => first_of(1) + number,
        }
    }
}

impl Change {
    /// Returns the instant of the change, when the clocks have `offset` until then.
    fn instant(self, year: i64, offset: i32) -> i64 {
        self.day.day_number(year) * DAY_SECONDS + self.time - i64::from(offset)
    }
}

impl YearlyRule {
    /// Reads a rule; `None` for any other text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = Rest(text);
        let (name, offset) = (rest.name()?, -rest.time()?);
        let standard = setting(name, offset, 0)?;
        if rest.0.is_empty() {
            return Some(Self { standard, summer: None });
        }
        let name = rest.name()?;
        let summer_offset = if rest.0.starts_with(',') { offset + HOUR } else { -rest.time()? };
        let setting = setting(name, summer_offset, summer_offset - offset)?;
        let (from, to) = (rest.change()?, rest.change()?);
        rest.0.is_empty().then_some(Self { standard, summer: Some(Summer { setting, from, to }) })
    }

    /// Returns the setting of the clocks at an instant.
    pub(super) fn setting(&self, at: i64) -> &Setting {
        let Some(summer) = &self.summer else { return &self.standard };
        let at = at.clamp(-FARTHEST_INSTANT, FARTHEST_INSTANT);
        let this_year = Date::from_day_number((at + i64::from(self.standard.offset)).div_euclid(DAY_SECONDS)).year;
        let changes = (this_year - 1..=this_year + 1).flat_map(|year| {
            // If one summer ends when the next starts, it continues: `true` is the greater one.
            [
                (summer.from.instant(year, self.standard.offset), true),
                (summer.to.instant(year, summer.setting.offset), false),
            ]
        });
        let last = changes.filter(|(from, _)| *from <= at).max();
        if last.is_some_and(|(_, is_summer)| is_summer) { &summer.setting } else { &self.standard }
    }

    /// Returns the offsets that alternate.
    pub(super) fn offsets(&self) -> [Option<i32>; 2] {
        [Some(self.standard.offset), self.summer.as_ref().map(|summer| summer.setting.offset)]
    }
}

fn setting(name: &str, offset: i64, saving: i64) -> Option<Setting> {
    let small = |seconds: i64| i32::try_from(seconds).ok();
    (offset.abs() <= FARTHEST).then_some(Setting { offset: small(offset)?, saving: small(saving)?, name: name.into() })
}

/// The part of a rule that is not read yet.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// Takes the longest prefix of such characters.
    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !belongs(c)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }

    /// Takes a mark if it is next.
    fn mark(&mut self, mark: char) -> Option<()> {
        self.0 = self.0.strip_prefix(mark)?;
        Some(())
    }

    /// Reads `CET` or `<+01>`.
    fn name(&mut self) -> Option<&'a str> {
        let name = if self.mark('<').is_some() {
            let name = self.take(|c| c.is_ascii_alphanumeric() || c == '+' || c == '-');
            self.mark('>')?;
            name
        } else {
            self.take(|c| c.is_ascii_alphabetic())
        };
        (name.len() >= 3).then_some(name)
    }

    fn number(&mut self, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let number = self.take(|c| c.is_ascii_digit()).parse().ok()?;
        range.contains(&number).then_some(number)
    }

    /// Reads `[+-]hh[:mm[:ss]]` in seconds.
    fn time(&mut self) -> Option<i64> {
        let sign = if self.mark('-').is_some() { -1 } else { self.mark('+').map_or(1, |()| 1) };
        let mut seconds = self.number(0..=MOST_HOURS)? * HOUR;
        for unit in [MINUTE, 1] {
            if self.mark(':').is_some() {
                seconds += self.number(0..=59)? * unit;
            }
        }
        Some(sign * seconds)
    }

    /// Reads `,M3.5.0/2`; without a time it is two o'clock.
    fn change(&mut self) -> Option<Change> {
        self.mark(',')?;
        let day = if self.mark('M').is_some() {
            let month = u32::try_from(self.number(1..=12)?).ok()?;
            self.mark('.')?;
            let week = self.number(1..=5)?;
            self.mark('.')?;
            Day::Week { month, week, weekday: self.number(0..=6)? }
        } else if self.mark('J').is_some() {
            Day::WithoutLeap(self.number(1..=365)?)
        } else {
            Day::WithLeap(self.number(0..=365)?)
        };
        let time = if self.mark('/').is_some() { self.time()? } else { 2 * HOUR };
        Some(Change { day, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessingZone;

    /// The setting of a rule at the second before an instant and at the instant.
    fn check(rule: &str, at: &str, expect: &str) {
        let parsed = YearlyRule::parse(rule).expect("a rule of the table");
        let at = ProcessingZone::UTC.parse_datetime(at).expect("a datetime of the table").seconds();
        let shown = |at: i64| {
            let Setting { offset, saving, name } = parsed.setting(at);
            format!("{name} {offset} {saving}")
        };
        assert_eq!(format!("{}, {}", shown(at - 1), shown(at)), expect, "{rule} {at}");
    }

    #[test]
    fn summer_starts_and_ends() {
        let berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
        check(berlin, "2300-03-25T01:00Z", "CET 3600 0, CEST 7200 3600");
        check(berlin, "2300-10-28T01:00Z", "CEST 7200 3600, CET 3600 0");
        let lord_howe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";
        check(lord_howe, "2026-10-03T15:30Z", "+1030 37800 0, +11 39600 1800");
        check(lord_howe, "2026-04-04T15:00Z", "+11 39600 1800, +1030 37800 0");
        check("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-03-29T01:00Z", "GMT 0 -3600, IST 3600 0");
        // A time before midnight, and one on the next day.
        check("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00Z", "-02 -7200 0, -01 -3600 3600");
        check("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00Z", "IST 7200 0, IDT 10800 3600");
        check("STD0DST,J60/0,J300/0", "2028-03-01T00:00Z", "STD 0 0, DST 3600 3600");
        check("STD0DST,59/0,300/0", "2028-02-29T00:00Z", "STD 0 0, DST 3600 3600");
    }

    #[test]
    fn one_setting_may_last_forever() {
        check("<+01>-1", "9999-12-31T00:00Z", "+01 3600 0, +01 3600 0");
        // Summer time all year.
        check("EST5EDT,0/0,J365/25", "2027-01-01T05:00Z", "EDT -14400 3600, EDT -14400 3600");
        let extremes = YearlyRule::parse("CET-1CEST,M3.5.0,M10.5.0/3").expect("a rule");
        assert!([i64::MIN, i64::MAX].iter().all(|at| [3600, 7200].contains(&extremes.setting(*at).offset)));
    }

    #[test]
    fn refuses_other_texts() {
        for text in [
            "",
            "CET",
            "C-1",
            "CET-1CEST",
            "CET-1CEST,M3.5.0",
            "CET-1CEST,M3.6.0,M10.5.0",
            "CET-1CEST,M13.5.0,M10.5.0",
            "CET-1CEST,J0,J1",
            "CET-1CEST,M3.5.0,M10.5.0/168",
            "CET-17",
            "<+01-1",
            "CET-1 ",
            "CET-1:60",
            "CETé-1",
        ] {
            assert_eq!(YearlyRule::parse(text), None, "{text}");
        }
    }
}

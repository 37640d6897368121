//! Writes `zones.txt` from chrono-tz and compares the two.

use std::collections::HashMap;
use std::fmt::Write as _;

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::{OffsetComponents, TZ_VARIANTS, Tz};

use super::super::civil::{DAY_SECONDS, Date, month_length, weekday};
use super::*;

/// The years 1800 to 2099: chrono-tz has no change before and after.
const TIMES: std::ops::Range<i64> = -5_364_662_400..4_102_444_800;
const WEEK: i64 = 7 * DAY_SECONDS;
/// 2087: from then on no zone changes by the calendar of the moon.
const RULES_FROM: i64 = 3_692_217_600;
const YEARS_OF_RULES: usize = 13;

fn of_chrono(zone: Tz, at: i64) -> Setting {
    let offset = zone.offset_from_utc_datetime(&DateTime::from_timestamp(at, 0).expect("a time").naive_utc());
    Setting {
        offset: offset.fix().local_minus_utc(),
        saving: i32::try_from(offset.dst_offset().num_seconds()).expect("a small number"),
        name: offset.to_string().into(),
    }
}

/// Returns every change of a zone of chrono-tz.
fn changes_of_chrono(zone: Tz) -> Vec<(i64, Setting)> {
    let mut found = Vec::new();
    let mut now = of_chrono(zone, TIMES.start);
    for week in TIMES.step_by(usize::try_from(WEEK).expect("a small number")) {
        let end = of_chrono(zone, week + WEEK);
        let mut from = week;
        while now != end {
            let (mut before, mut after) = (from, week + WEEK);
            while after - before > 1 {
                let middle = i64::midpoint(before, after);
                if of_chrono(zone, middle) == now { before = middle } else { after = middle }
            }
            now = of_chrono(zone, after);
            found.push((after, now.clone()));
            from = after;
        }
    }
    found
}

/// Returns the table of a zone of chrono-tz, with a rule in place of the changes that follow one until the end.
fn table_of_chrono(zone: Tz) -> (ZoneTable, String) {
    let first = of_chrono(zone, TIMES.start);
    let mut changes = changes_of_chrono(zone);
    let text = rule(&changes).unwrap_or_default();
    let rule = YearlyRule::parse(&text);
    if let Some(rule) = &rule {
        let follows = |pair: &[(i64, Setting)]| {
            let (before, (at, setting)) = (pair[0].0, &pair[1]);
            at - before < 366 * DAY_SECONDS && rule.setting(*at) == setting && rule.setting(*at - 1) != setting
        };
        let own = changes.windows(2).rposition(|pair| !follows(pair)).map_or(0, |last| last + 1);
        // The rule counts from the last change on, which is the first one that follows it.
        changes.truncate(own + 2);
    }
    (ZoneTable { first, changes, rule }, text)
}

/// Returns the rule of the last changes, as POSIX writes it; `None` where they follow none.
fn rule(changes: &[(i64, Setting)]) -> Option<String> {
    let last: Vec<_> = changes.iter().filter(|(at, _)| *at >= RULES_FROM).collect();
    let (_, summer) = last.iter().find(|(_, setting)| setting.saving != 0)?;
    let (_, standard) = last.iter().find(|(_, setting)| setting.saving == 0)?;
    let starts = |setting: &Setting, before: i32| {
        let of_setting = last.iter().filter(|(_, other)| other == setting);
        let local: Vec<i64> = of_setting.map(|(at, _)| at + i64::from(before)).collect();
        (local.len() == YEARS_OF_RULES).then(|| yearly(&local)).flatten()
    };
    let (from, to) = (starts(summer, standard.offset)?, starts(standard, summer.offset)?);
    let [standard_name, summer_name] = [standard, summer].map(|setting| posix_name(&setting.name));
    let offset = |setting: &Setting| posix_time(-i64::from(setting.offset));
    let summer_offset = if summer.offset - standard.offset == 3600 { String::new() } else { offset(summer) };
    Some(format!("{standard_name}{}{summer_name}{summer_offset},{from},{to}", offset(standard)))
}

/// Returns what a local time of each year has in common: `M3.5.0/3`.
fn yearly(times: &[i64]) -> Option<String> {
    // A rule may name the day before its time, or the day after it.
    [0, 1, -1, 2].into_iter().find_map(|days| {
        let on = |time: &i64| {
            let day = time.div_euclid(DAY_SECONDS) - days;
            (Date::from_day_number(day), (weekday(day) - 1, time - day * DAY_SECONDS))
        };
        let (first, same) = on(times.first()?);
        let is_in = |date: Date, week: u32| match week {
            5 => date.day + 7 > month_length(date.year, date.month),
            _ => (date.day - 1) / 7 + 1 == week,
        };
        let each = |week: u32| {
            times.iter().map(on).all(|(date, other)| date.month == first.month && other == same && is_in(date, week))
        };
        let week = (1..=5).find(|week| each(*week))?;
        let time = if same.1 == 7200 { String::new() } else { format!("/{}", posix_time(same.1)) };
        Some(format!("M{}.{week}.{}{time}", first.month, same.0))
    })
}

fn posix_name(name: &str) -> String {
    if name.bytes().all(|byte| byte.is_ascii_alphabetic()) { name.to_owned() } else { format!("<{name}>") }
}

fn posix_time(seconds: i64) -> String {
    let (sign, seconds) = (if seconds < 0 { "-" } else { "" }, seconds.abs());
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (hours, 0, 0) => format!("{sign}{hours}"),
        (hours, minutes, 0) => format!("{sign}{hours}:{minutes:02}"),
        (hours, minutes, seconds) => format!("{sign}{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Returns what a line has after the id.
fn written(table: &ZoneTable, rule: &str) -> String {
    let mut settings = vec![&table.first];
    let (mut changes, mut last) = (String::new(), 0);
    for (at, setting) in &table.changes {
        let number = settings.iter().position(|known| *known == setting).unwrap_or_else(|| {
            settings.push(setting);
            settings.len() - 1
        });
        let letter = char::from(b'a' + u8::try_from(number).expect("a small number"));
        assert!(letter.is_ascii_lowercase(), "more settings than letters");
        write!(changes, "{}{letter}", at - last).expect("a text");
        last = *at;
    }
    let settings: Vec<_> = settings.iter().map(|one| format!("{},{},{}", one.offset, one.saving, one.name)).collect();
    format!("{}\t{changes}\t{rule}", settings.join(" "))
}

/// After an update of chrono-tz, run `UPDATE_GENERATED=1 cargo test --lib generated`.
#[test]
#[expect(clippy::disallowed_methods, reason = "a file of the sources")]
fn generated_zones_are_those_of_chrono_tz() {
    let mut zones: Vec<Tz> = TZ_VARIANTS.to_vec();
    zones.sort_unstable_by_key(|zone| zone.name());
    let mut known: HashMap<String, &str> = HashMap::new();
    let mut text = String::new();
    for zone in zones {
        let (table, rule) = table_of_chrono(zone);
        let rules = written(&table, &rule);
        match known.get(&rules) {
            Some(same) => writeln!(text, "{}\t={same}", zone.name()),
            None => writeln!(text, "{}\t{rules}", zone.name()),
        }
        .expect("a text");
        known.entry(rules).or_insert(zone.name());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/calendar/built_in/zones.txt");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        return std::fs::write(path, text).expect("the sources are writable");
    }
    assert!(ZONES == text, "zones.txt is out of date: UPDATE_GENERATED=1 cargo test --lib generated");
    assert_eq!(RELEASE, chrono_tz::IANA_TZDB_VERSION, "RELEASE is out of date");
}

#[test]
fn every_zone_shows_what_chrono_tz_shows() {
    assert!(ids().eq(ids().filter_map(find)) && ids().is_sorted(), "ids are in order, and found");
    for zone in TZ_VARIANTS {
        let table = table(zone.name()).unwrap_or_else(|| panic!("{} cannot be read", zone.name()));
        let changes = changes_of_chrono(zone);
        let near = changes.iter().flat_map(|(at, _)| [at - 1, *at]);
        for at in near.chain(TIMES.step_by(45 * 86_399)) {
            assert_eq!(*table.setting(at), of_chrono(zone, at), "{} at {at}", zone.name());
        }
    }
}

#[test]
fn todays_rules_hold_for_ever() {
    for (id, january, july) in [
        ("America/New_York", -18_000, -14_400),
        ("Europe/Berlin", 3_600, 7_200),
        ("Australia/Lord_Howe", 39_600, 37_800),
        ("Asia/Tokyo", 32_400, 32_400),
        ("America/Sao_Paulo", -10_800, -10_800),
    ] {
        let table = table(id).expect("a zone");
        for year in [2100, 2101, 2500, 9999] {
            let at = |month| Date { year, month, day: 10 }.day_number() * DAY_SECONDS;
            assert_eq!([1, 7].map(|month| table.setting(at(month)).offset), [january, july], "{id} {year}");
        }
    }
}

#[test]
fn other_ids_are_not_found() {
    for id in ["", "\t", "\n", "Africa", "Africa/Abidjan\t", "europe/berlin", "Zulu ", "zulu", "é", "2025b"] {
        assert_eq!(find(id), None, "{id:?}");
    }
}

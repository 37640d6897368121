//! Describes a cron frequency in words, so that the reader sees what the five fields mean.
//!
//! Decides only wording: every value of the fields is named, or described by a rule that is true for all of them. Must
//! not depend on a zone or the clock.

use super::Cron;
use super::field::Field;
use super::rule::DayRule;
use crate::names::{MONTHS, WEEKDAYS};

const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// The most times of day that are named one by one.
const MOST_TIMES: usize = 4;
/// The number of values from which on a regular series is described as steps.
const LEAST_STEPS: usize = 4;
/// The number of values from which on a series without gaps is described by its ends.
const LEAST_RUN: usize = 3;

impl Cron {
    /// Describes when it fires: `at 10:00, on Monday to Friday, in June`.
    pub fn words(&self) -> String {
        let mut words = self.times();
        let days = match (day_words(self.days), self.other_days.and_then(day_words)) {
            (Some(one), Some(other)) => Some(format!("{one}, and also {other}")),
            // If one of the two rules means every day, the other adds nothing.
            _ if self.other_days.is_some() => None,
            (one, _) => one,
        };
        match days {
            Some(days) => words = format!("{words}, {days}"),
            None if words.starts_with("at ") && !words.ends_with("every hour") => words = format!("every day {words}"),
            None => {}
        }
        let months = values(self.months);
        if months.len() < MONTHS.len() {
            words = format!("{words}, in {}", list(&months, Field::Month, |month| name(&MONTHS, month)));
        }
        words
    }

    fn times(&self) -> String {
        let (minutes, hours) = (values(self.minutes), values(self.hours));
        let number = |value: u32| value.to_string();
        if minutes.len() * hours.len() <= MOST_TIMES {
            let times =
                hours.iter().flat_map(|hour| minutes.iter().map(move |minute| format!("{hour:02}:{minute:02}")));
            return format!("at {}", joined(&times.collect::<Vec<_>>()));
        }
        let every_hour = hours.len() == 24;
        let of_hours = if every_hour {
            "every hour".to_owned()
        } else {
            plural("hour", &hours, &list(&hours, Field::Hour, number))
        };
        match every_so_often(&minutes) {
            Some(1) if every_hour => "every minute".to_owned(),
            Some(1) => format!("every minute of {of_hours}"),
            Some(by) if every_hour => format!("every {by} minutes"),
            Some(by) if minutes.len() >= LEAST_STEPS => format!("every {by} minutes of {of_hours}"),
            _ => format!("at {} of {of_hours}", plural("minute", &minutes, &list(&minutes, Field::Minute, number))),
        }
    }
}

/// Returns the distance of minutes that repeat at the same distance from hour to hour.
fn every_so_often(minutes: &[u32]) -> Option<u32> {
    let [0, by, ..] = minutes else { return None };
    let whole = minutes.iter().zip((0..60).step_by(*by as usize)).all(|(minute, step)| *minute == step);
    (whole && 60 % by == 0 && minutes.len() == (60 / by) as usize).then_some(*by)
}

/// Returns the days of a rule; `None` when it means every day.
fn day_words(rule: DayRule) -> Option<String> {
    let of_month = |day: String| Some(format!("on {day} of the month"));
    match rule {
        DayRule::Days(days) => {
            let days = values(days);
            if days.len() == 31 {
                return None;
            }
            let rare = if days.first().is_some_and(|day| *day > 28) { ", where there is one" } else { "" };
            let listed = plural("day", &days, &list(&days, Field::DayOfMonth, |day| day.to_string()));
            Some(format!("on {listed} of the month{rare}"))
        }
        DayRule::Weekdays(days) => {
            let days = values(days);
            (days.len() < 7).then(|| format!("on {}", list(&days, Field::DayOfWeek, |day| name(&WEEKDAYS, day))))
        }
        DayRule::Last { before: 0 } => of_month("the last day".to_owned()),
        DayRule::Last { before: 1 } => of_month("the day before the last".to_owned()),
        DayRule::Last { before } => of_month(format!("the day that is {before} days before the last")),
        DayRule::LastWeekday { before: 0 } => of_month("the last day from Monday to Friday".to_owned()),
        DayRule::LastWeekday { before } => {
            of_month(format!("the day from Monday to Friday nearest to {before} days before the last"))
        }
        DayRule::Nearest(day) => of_month(format!("the day from Monday to Friday nearest to day {day}")),
        DayRule::LastOf(day) => of_month(format!("the last {}", name(&WEEKDAYS, day))),
        DayRule::Nth { weekday, number } => {
            let rare = if number == 5 { ", where there is one" } else { "" };
            Some(format!("on the {} {} of the month{rare}", name(&ORDINALS, number), name(&WEEKDAYS, weekday)))
        }
    }
}

/// Returns the name of a value that counts from 1.
fn name(names: &[&str], value: u32) -> String {
    names.get(value as usize - 1).map(|name| (*name).to_owned()).unwrap_or_default()
}

/// Returns the values of a set of bits.
fn values(bits: u64) -> Vec<u32> {
    (0..64).filter(|value| bits >> value & 1 == 1).collect()
}

fn plural(word: &str, values: &[u32], list: &str) -> String {
    format!("{word}{} {list}", if values.len() == 1 { "" } else { "s" })
}

/// Returns the values in words: steps, or series without gaps, or one by one.
fn list(values: &[u32], field: Field, name: impl Fn(u32) -> String) -> String {
    if let Some((first, by)) = step(values, field) {
        let last = values.last().copied().unwrap_or(first);
        return format!("{} to {} in steps of {by}", name(first), name(last));
    }
    let mut parts = Vec::new();
    for run in runs(values, field) {
        match run.as_slice() {
            [first, .., last] if run.len() >= LEAST_RUN => parts.push(format!("{} to {}", name(*first), name(*last))),
            few => parts.extend(few.iter().map(|value| name(*value))),
        }
    }
    joined(&parts)
}

/// Returns the first value and distance of a regular series with gaps, in fields whose values are numbers.
fn step(values: &[u32], field: Field) -> Option<(u32, u32)> {
    let [first, second, ..] = values else { return None };
    let by = second - first;
    let regular = values.windows(2).all(|pair| pair[1] - pair[0] == by);
    let numbered = !matches!(field, Field::Month | Field::DayOfWeek);
    (regular && by > 1 && numbered && values.len() >= LEAST_STEPS).then_some((*first, by))
}

/// Returns the series of neighbours. Hours and days of the week wrap, so that Friday to Monday is one series.
fn runs(values: &[u32], field: Field) -> Vec<Vec<u32>> {
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| last + 1 == *value) => run.push(*value),
            _ => runs.push(vec![*value]),
        }
    }
    let (least, greatest) = field.range();
    let wraps = matches!(field, Field::Hour | Field::DayOfWeek) && runs.len() > 1 && values.first() == Some(&least);
    if wraps && values.last() == Some(&greatest) {
        let start = runs.remove(0);
        if let Some(last) = runs.last_mut() {
            last.extend(start);
        }
    }
    runs
}

/// Returns `a, b and c`.
fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(Cron::parse(text).expect("an expression of the table").words(), expect, "{text}");
    }

    #[test]
    fn times_of_day() {
        check("* * * * *", "every minute");
        check("0 10 * * *", "every day at 10:00");
        check("0,30 9,17 * * *", "every day at 09:00, 09:30, 17:00 and 17:30");
        check("0 * * * *", "at minute 0 of every hour");
        check("0/30 * * * *", "every 30 minutes");
        check("*/15 * * * *", "every 15 minutes");
        check("5/15 * * * *", "at minutes 5 to 50 in steps of 15 of every hour");
        check("*/7 * * * *", "at minutes 0 to 56 in steps of 7 of every hour");
        check("0 9-17 * * *", "every day at minute 0 of hours 9 to 17");
        check("* 9 * * *", "every minute of hour 9");
        check("0,30 9-17 * * 2-6", "at minutes 0 and 30 of hours 9 to 17, on Monday to Friday");
        check("0/10 1/2 * * *", "every 10 minutes of hours 1 to 23 in steps of 2");
        check("0 22-2 * * *", "every day at minute 0 of hours 22 to 2");
    }

    #[test]
    fn days_of_the_month() {
        check("0 0 15 * *", "at 00:00, on day 15 of the month");
        check("0 0 1,15 * *", "at 00:00, on days 1 and 15 of the month");
        check("0 0 31 * *", "at 00:00, on day 31 of the month, where there is one");
        check("0 0 */2 * *", "at 00:00, on days 1 to 31 in steps of 2 of the month");
        check("0 0 1-7,20 * *", "at 00:00, on days 1 to 7 and 20 of the month");
        check("0 0 L * ?", "at 00:00, on the last day of the month");
        check("0 0 L-1 * ?", "at 00:00, on the day before the last of the month");
        check("0 0 L-3 * ?", "at 00:00, on the day that is 3 days before the last of the month");
        check("0 0 LW * ?", "at 00:00, on the last day from Monday to Friday of the month");
        check("0 0 15W * ?", "at 00:00, on the day from Monday to Friday nearest to day 15 of the month");
        check("0 0 29 2 ?", "at 00:00, on day 29 of the month, where there is one, in February");
    }

    #[test]
    fn days_of_the_week() {
        check("0 0 * * 1", "at 00:00, on Sunday");
        check("0 0 * * L", "at 00:00, on Saturday");
        check("0 0 ? * MON,WED,FRI", "at 00:00, on Monday, Wednesday and Friday");
        check("0 0 ? * FRI-MON", "at 00:00, on Friday to Monday");
        check("0 0 ? * 6L", "at 00:00, on the last Friday of the month");
        check("0 0 ? * 6#3", "at 00:00, on the third Friday of the month");
        check("0 0 ? * 6#5", "at 00:00, on the fifth Friday of the month, where there is one");
        check("0 0 ? * 1-7", "every day at 00:00");
    }

    #[test]
    fn two_day_fields_are_a_union() {
        check("0 10 15 * 2", "at 10:00, on day 15 of the month, and also on Monday");
        check("0 0 1-31 * 2", "every day at 00:00");
        check("0 0 1 * 1-7", "every day at 00:00");
    }

    #[test]
    fn months() {
        check("0 0 1 1 ?", "at 00:00, on day 1 of the month, in January");
        check("0 0 1 JAN-MAR,JUL *", "at 00:00, on day 1 of the month, in January to March and July");
        check("10 13 1 */3 *", "at 13:10, on day 1 of the month, in January, April, July and October");
        check("*/30 * * 6 *", "every 30 minutes, in June");
    }

    proptest! {
        #[test]
        fn every_expression_has_words(
            minute in r"(\*|[1-5]?[0-9])((-[1-5]?[0-9])?/[1-9])?",
            hour in r"(\*|1?[0-9])(,2[0-3])?(/[1-9])?",
            day in r"\*|\?|[1-9](,1[0-9])?|[12][0-9]W|L(-[1-9])?W?",
            month in r"\*|[1-9](-1[0-2])?|[1-9]/[1-5]",
            weekday in r"\*|[1-7](-[1-7])?(,[1-7])?|[1-7]L|[1-7]#[1-5]",
        ) {
            let text = format!("{minute} {hour} {day} {month} {weekday}");
            if let Ok(cron) = Cron::parse(&text) {
                let words = cron.words();
                prop_assert!(words.starts_with("at ") || words.starts_with("every "), "{}: {}", text, words);
                prop_assert!(!words.contains("  ") && !words.ends_with(' '), "{}: {}", text, words);
            }
        }
    }
}

//! The calendar of a coordinator job: a month, and on each day the actions with that nominal day.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::output::page::frame::{encoded, escaped, link, page, status};
use howdah_answers::query::coordinator::{CoordinatorActionView, CoordinatorJobView};
use howdah_calendar::{LocalTime, Zone, first_weekday, month_length};

/// The years whose months are shown.
const YEARS: std::ops::Range<i32> = 1900..9999;

/// A month of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Month {
    pub(crate) year: i32,
    pub(crate) month: u32,
}

impl Month {
    /// Reads `2026-11`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let (year, month) = (year.parse().ok()?, month.parse().ok()?);
        Self { year, month }.shown()
    }

    fn shown(self) -> Option<Self> {
        ((1..=12).contains(&self.month) && YEARS.contains(&self.year)).then_some(self)
    }

    /// Returns a later month, or an earlier one.
    pub(crate) fn plus(self, months: i32) -> Self {
        let all = self.year * 12 + i32::try_from(self.month).unwrap_or(1) - 1 + months;
        Self { year: all.div_euclid(12), month: u32::try_from(all.rem_euclid(12)).unwrap_or(0) + 1 }
    }

    /// Returns the first day of the month as `2026-11-01`.
    pub(crate) fn first_day(self) -> String {
        format!("{:04}-{:02}-01", self.year, self.month)
    }

    /// Returns on which day of the week the month begins (Monday is 0), and how many days it has.
    fn shape(self) -> (u32, u32) {
        let year = i64::from(self.year);
        ((first_weekday(year, self.month) + 5) % 7, month_length(year, self.month))
    }
}

/// Returns the page of a month; `actions` are those of the month, in the order of time, and `is_cut` says that there
/// are more.
pub(crate) fn calendar(
    job: &CoordinatorJobView,
    month: Month,
    (actions, is_cut): (&[CoordinatorActionView], bool),
    zone: &Zone,
) -> String {
    let mut days: BTreeMap<u32, Vec<(String, &CoordinatorActionView)>> = BTreeMap::new();
    for action in actions {
        let local = LocalTime::of(zone, action.nominal_time.floor_minute()).to_string();
        let day = local.get(8..10).and_then(|day| day.parse().ok()).unwrap_or(1);
        days.entry(day).or_default().push((local.get(11..16).unwrap_or_default().to_owned(), action));
    }
    let (first, length) = month.shape();
    let mut grid = "<b>Mon</b><b>Tue</b><b>Wed</b><b>Thu</b><b>Fri</b><b>Sat</b><b>Sun</b>".to_owned();
    grid.push_str(&"<span></span>".repeat(first as usize));
    for day in 1..=length {
        let of_day = days.get(&day);
        let class = if of_day.is_none() { " class=\"none\"" } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(grid, "<div{class}>{day}<br>");
        for (time, action) in of_day.into_iter().flatten() {
            let _ = write!(grid, "{} {}<br>", link(&action.id, time), status(action.status.as_str()));
        }
        grid += "</div>\n";
    }
    let cut = if is_cut { "<p>The month has more actions; these are the first ones.</p>\n" } else { "" };
    let id = &job.coord_job_id;
    let body = format!(
        "<p>{} {} {} (times in {})</p>\n{cut}<div class=\"calendar\">{grid}</div>\n",
        turn(id, month.plus(-1)),
        link(id, id),
        turn(id, month.plus(1)),
        escaped(zone.id())
    );
    page(&format!("{} {:04}-{:02}", job.coord_job_name, month.year, month.month), &body)
}

/// Returns a link to another month, if it is shown.
fn turn(id: &str, month: Month) -> String {
    let Some(month) = month.shown() else { return String::new() };
    let name = format!("{:04}-{:02}", month.year, month.month);
    format!("<a href=\"/job/{}/calendar?month={name}\">{name}</a>", encoded(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_and_end_on_their_days() {
        for (text, first, days) in [("2026-11", 6, 30), ("2024-02", 3, 29), ("1900-02", 3, 28), ("2000-02", 1, 29)] {
            assert_eq!(Month::parse(text).unwrap().shape(), (first, days), "{text}");
        }
        let month = Month::parse("2026-01").unwrap();
        assert_eq!(month.plus(-1), Month { year: 2025, month: 12 });
        assert_eq!(month.plus(12).first_day(), "2027-01-01");
        for bad in ["", "2026", "2026-13", "2026-0", "x-1", "99999-01", "9999-12", "1899-12"] {
            assert_eq!(Month::parse(bad), None, "{bad}");
        }
        let last = Month::parse("9998-12").unwrap();
        assert_eq!((turn("x", last.plus(1)), last.plus(1).first_day()), (String::new(), "9999-01-01".to_owned()));
        assert!(turn("x", last).contains("month=9998-12"));
    }
}

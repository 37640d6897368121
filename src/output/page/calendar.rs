//! The calendar of a coordinator job: a month, and on each day the actions with that nominal day.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::calendar::{LocalTime, Zone};
use crate::output::page::frame::{encoded, escaped, link, page, status};
use crate::query::coordinator::{CoordinatorActionView, CoordinatorJobView};

/// By how many days of the week the first of each month differs from that of January, by Sakamoto's method.
const SHIFTS: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];

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
        ((1..=12).contains(&month) && (1900..=9999).contains(&year)).then_some(Self { year, month })
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
        let is_leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let days = match self.month {
            2 => 28 + u32::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let year = self.year - i32::from(self.month < 3);
        let shift = SHIFTS[self.month as usize - 1];
        let sunday_is_0 = (year + year / 4 - year / 100 + year / 400 + shift + 1).rem_euclid(7);
        (u32::try_from((sunday_is_0 + 6) % 7).unwrap_or(0), days)
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
        // Writing to a String cannot fail.
        let _ = write!(grid, "<div>{day}<br>");
        for (time, action) in days.get(&day).into_iter().flatten() {
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

/// Returns a link to another month.
fn turn(id: &str, month: Month) -> String {
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
        for bad in ["", "2026", "2026-13", "2026-0", "x-1", "99999-01"] {
            assert_eq!(Month::parse(bad), None, "{bad}");
        }
    }
}

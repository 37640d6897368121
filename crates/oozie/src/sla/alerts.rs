//! Decides whether the events of a coordinator action are reported (coordinator specification 12).
//!
//! Decided once, when the action is registered, from the job's properties; `howdah sla enable` and `disable` decide
//! again. A range means every action in it (decision C34).

use howdah_calendar::ProcessingZone;
use howdah_words::model::Properties;
use howdah_words::model::time::{HOUR, Timestamp};

/// The property that names actions without alerts: `ALL`, numbers, ranges of numbers, dates, ranges of dates.
pub const DISABLED_ACTIONS: &str = "oozie.sla.disable.alerts";
/// The property that names jobs, by id or by name, without alerts.
const DISABLED_JOBS: &str = "oozie.sla.disable.alerts.coord";
/// The property, and the setting, with the number of hours after its nominal time from which an action has no alerts.
pub const OLDER_THAN: &str = "oozie.sla.disable.alerts.older.than";
/// Every action.
pub const ALL: &str = "ALL";

/// The action in question.
#[derive(Clone, Copy, Debug)]
pub struct AlertedAction<'a> {
    pub job_id: &'a str,
    pub app_name: &'a str,
    pub number: u32,
    pub nominal: Timestamp,
}

/// What else decides, beside the job's properties.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub now: Timestamp,
    /// The site's [`OLDER_THAN`], in hours; zero and less: never.
    pub older_than_hours: i64,
    pub processing: ProcessingZone,
}

/// Returns whether an action that is registered now is registered without alerts.
///
/// Oozie reads `oozie.sla.enable.alerts` last, when it no longer has an effect; here it is not read.
pub fn are_disabled(configuration: &Properties, subject: &AlertedAction<'_>, moment: Moment) -> bool {
    let property = |name: &str| configuration.get(name).map(|value| value.trim()).unwrap_or_default();
    let hours = property(OLDER_THAN).parse().unwrap_or(moment.older_than_hours);
    // Hours are truncated, not rounded: an hour counts when it is complete.
    let too_old = hours > 0 && (moment.now - subject.nominal) / HOUR > hours;
    // Blanks inside this list count, as in Oozie: "a, b" names "a" and " b".
    let named = |name: &str| name == subject.app_name || name == subject.job_id;
    too_old
        || property(DISABLED_JOBS).split(',').any(named)
        || names_action(property(DISABLED_ACTIONS), subject, moment.processing)
}

/// Returns the list of actions without alerts after `more` are added.
pub fn disable(list: &str, more: &str) -> String {
    let names_all = |list: &str| list.trim().eq_ignore_ascii_case(ALL);
    match list.trim() {
        _ if names_all(list) || names_all(more) => ALL.to_owned(),
        "" => more.to_owned(),
        list => parts(list)
            .chain(parts(more).filter(|new| parts(list).all(|old| old != *new)))
            .collect::<Vec<_>>()
            .join(","),
    }
}

/// Returns the list of actions without alerts after `some` are removed: only parts with the same text.
pub fn enable(list: &str, some: &str) -> String {
    if some.eq_ignore_ascii_case(ALL) {
        return String::new();
    }
    parts(list).filter(|old| parts(some).all(|gone| gone != *old)).collect::<Vec<_>>().join(",")
}

fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// Returns whether a list of actions names this one; a part that cannot be read names none.
fn names_action(list: &str, subject: &AlertedAction<'_>, processing: ProcessingZone) -> bool {
    let date = |text: &str| processing.parse_datetime(text.trim()).ok();
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let contains = |part: &str| {
        if let Some((start, end)) = part.split_once("::") {
            let range = date(start).zip(date(end));
            return range.is_some_and(|(start, end)| (start..=end).contains(&subject.nominal));
        }
        if let Some(nominal) = date(part) {
            return nominal == subject.nominal;
        }
        let range = part.split_once('-').map_or((part, part), |range| range);
        number(range.0).zip(number(range.1)).is_some_and(|(start, end)| (start..=end).contains(&subject.number))
    };
    list.eq_ignore_ascii_case(ALL) || list.split(',').any(contains)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Action 5, nominal time 2026-03-03T00:00Z, registered 49 hours and 59 minutes later.
    fn check(properties: &[(&str, &str)], older_than_hours: i64, expect: bool) {
        let subject = AlertedAction {
            job_id: "1-C",
            app_name: "app",
            number: 5,
            nominal: Timestamp::from_seconds(1_772_496_000),
        };
        let moment = Moment { now: subject.nominal + 50 * HOUR - 1, older_than_hours, processing: ProcessingZone::UTC };
        let configuration = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(are_disabled(&configuration, &subject, moment), expect, "{properties:?} {older_than_hours}");
    }

    #[test]
    fn what_is_old_has_no_alerts() {
        check(&[], 48, true);
        check(&[], 49, false);
        check(&[], 0, false);
        check(&[(OLDER_THAN, "100")], 48, false);
        check(&[(OLDER_THAN, "-1")], 48, false);
        check(&[(OLDER_THAN, " 48 ")], 0, true);
        check(&[(OLDER_THAN, "x")], 48, true);
    }

    #[test]
    fn jobs_are_named_by_id_or_name() {
        for (list, expect) in
            [("app", true), ("other,app", true), ("other, app", false), ("1-C", true), ("App", false), ("", false)]
        {
            check(&[(DISABLED_JOBS, list)], 0, expect);
        }
    }

    #[test]
    fn a_list_grows_and_shrinks() {
        for (list, named, disabled, enabled) in [
            ("", "1-3", "1-3", ""),
            ("1-3", "7,1-3", "1-3,7", ""),
            ("1-3,7", "7", "1-3,7", "1-3"),
            ("all", "7", "ALL", "all"),
            ("7", "ALL", "ALL", ""),
        ] {
            assert_eq!(
                (disable(list, named), enable(list, named)),
                (disabled.to_owned(), enabled.to_owned()),
                "{list}"
            );
        }
    }

    #[test]
    fn actions_are_named_by_number_and_date() {
        for (list, expect) in [
            ("all", true),
            ("5", true),
            ("1, 5", true),
            ("1-4", false),
            ("4 - 6", true),
            ("6-9,1-2", false),
            ("2026-03-03T00:00Z", true),
            ("2026-03-03T01:00Z", false),
            ("2026-03-02T00:00Z::2026-03-03T00:00Z", true),
            ("2026-03-03T00:01Z::2026-03-04T00:00Z", false),
            ("x,5-", false),
        ] {
            check(&[(DISABLED_ACTIONS, list)], 0, expect);
            check(&[(DISABLED_ACTIONS, list), ("oozie.sla.enable.alerts", "5")], 0, expect);
        }
    }
}

//! Times and durations as people type them: `-24h`, `yesterday`, `2026-03-01`, `2026-03-01T05:00Z`.

use crate::engine::format::{read_time, time};
use crate::error::{Error, ErrorCode, Result};
use crate::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// Reads a time: as howdah prints it, a date (its first minute), `now`, `today`, `yesterday`, or how long ago it was,
/// such as `24h` or `-24h`. Dates are those of the processing time zone.
///
/// # Errors
/// H0002 for any other text; `option` is where it was given.
pub(crate) fn read_moment(option: &str, text: &str, now: Timestamp) -> Result<Timestamp> {
    let day = match text {
        "now" => return Ok(now),
        "today" => Some(date(now)),
        "yesterday" => Some(date(now - DAY)),
        _ if text.len() == "YYYY-MM-DD".len() && !text.contains('T') => Some(text.to_owned()),
        _ => None,
    };
    let read = match day {
        Some(day) => read_time(&format!("{day}T00:00{}", suffix(now))),
        None => match read_length(text.strip_prefix('-').unwrap_or(text)) {
            Some(seconds) => return Ok(now - seconds),
            None => read_time(text),
        },
    };
    read.map_err(|_| {
        let help = "write a time such as 2026-03-01T05:00Z, a date, today, yesterday, or how long ago, such as 24h";
        Error::new(ErrorCode::H0002, format!("{option} [{text}]: this is not a time")).help(help)
    })
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

/// Returns the date of a time, as it is printed.
fn date(at: Timestamp) -> String {
    time(at).chars().take("YYYY-MM-DD".len()).collect()
}

/// Returns the zone with which a time is printed.
fn suffix(at: Timestamp) -> String {
    time(at).chars().skip("YYYY-MM-DDTHH:MM".len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_type_them() {
        let now = read_time("2026-03-01T05:30Z").unwrap();
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
            ("", None),
        ] {
            let read = read_moment("--since", text, now).ok().map(time);
            assert_eq!(read.as_deref(), expect, "{text}");
        }
        assert_eq!(read_duration("--late", "90s").ok(), Some(90));
        assert!(read_duration("--late", "-1h").is_err());
    }
}

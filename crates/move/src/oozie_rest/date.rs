//! The dates of Oozie's web services: `Sat, 21 Nov 2026 10:00:00 GMT`.

use chrono::NaiveDateTime;

use howdah_words::model::time::Timestamp;

/// Reads a date in GMT; `None` for any other text, also for a date of another zone.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (local, zone) = text.trim().rsplit_once(' ')?;
    if !["GMT", "UTC"].contains(&zone) {
        return None;
    }
    let local = NaiveDateTime::parse_from_str(local, "%a, %d %b %Y %H:%M:%S").ok()?;
    Some(Timestamp::from_seconds(local.and_utc().timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dates_of_greenwich_are_read() {
        let at = |text| parse(text).map(Timestamp::seconds);
        assert_eq!(at("Thu, 01 Jan 1970 00:01:00 GMT"), Some(60));
        assert_eq!(at("Thu, 01 Jan 1970 00:00:05 UTC"), Some(5));
        for other in ["", "Thu, 01 Jan 1970 00:01:00 PST", "1970-01-01T00:01Z", "Fri, 01 Jan 1970 00:01:00 GMT"] {
            assert_eq!(at(other), None, "{other}");
        }
    }
}

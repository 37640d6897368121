//! Datetimes, and the other small texts of a schedule: zones, patterns, ids.

use howdah_calendar::{ProcessingZone, Zone, format_pattern};
use howdah_words::model::id::Target;
use howdah_words::model::time::Timestamp;

/// Processing time zones in which a text is read.
const ZONES: [&str; 4] = ["UTC", "GMT+0530", "GMT-1130", "GMT+9999"];

/// Reads the text as each kind; what is accepted must print to a text with the same meaning.
pub(super) fn holds(text: &str) {
    for zone in ZONES {
        let zone = ProcessingZone::parse(zone).expect("a zone of the list");
        match zone.parse_datetime(text) {
            Err(error) => assert!(!error.help().is_empty()),
            Ok(at) => {
                let printed = zone.format(at);
                assert_eq!(zone.parse_datetime(&printed), Ok(at), "{text} is {printed}");
                // `24:00` and foreign digits are printed in another form; fields with too few digits are reported.
                let is_told = zone.written_out(text).as_ref() == Some(&printed);
                assert!(
                    printed == text || is_told || text.contains("24:00") || !text.is_ascii(),
                    "{text} is {printed}"
                );
            }
        }
        let _ = format_pattern(text, Timestamp::from_seconds(1_709_164_799), zone);
    }
    if let Ok(zone) = ProcessingZone::parse(text) {
        assert!(zone.offset_seconds().abs() < 86_400);
    }
    match Zone::parse(text) {
        Err(error) => assert!(!error.help().is_empty()),
        Ok(zone) => assert_eq!(Zone::parse(zone.id()).as_ref(), Ok(&zone), "{text}"),
    }
    if let Some(target) = Target::parse(text) {
        assert_eq!(Target::parse(&target.to_string()), Some(target), "{text}");
    }
}

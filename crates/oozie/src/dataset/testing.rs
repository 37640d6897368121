//! Datasets for tests.

use crate::dataset::{Dataset, DoneFlag, UriTemplate};
use howdah_calendar::{Amount, EndOf, ProcessingZone, Sequence, Zone};
use howdah_words::model::time::Timestamp;

/// Returns the instant of a UTC datetime.
pub fn instant(text: &str) -> Timestamp {
    ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the test")
}

/// Instances written as UTC datetimes, in a list.
pub fn list(times: &[Timestamp]) -> String {
    times.iter().map(|time| ProcessingZone::UTC.format(*time)).collect::<Vec<_>>().join(" ")
}

/// Returns a dataset of `/d/<instance>`, complete when the folder exists.
pub fn dataset(initial: &str, frequency: Amount, end_of: EndOf, zone: &str) -> Dataset {
    let zone = Zone::parse(zone).expect("a zone of the test");
    Dataset {
        name: "d".to_owned(),
        sequence: Sequence::new(instant(initial), frequency, end_of, zone).expect("a sequence of the test"),
        uri_template: UriTemplate::parse("/d/${YEAR}-${MONTH}-${DAY}T${HOUR}:${MINUTE}").expect("a template"),
        done_flag: DoneFlag::Directory,
    }
}

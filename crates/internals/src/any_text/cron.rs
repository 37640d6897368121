//! Cron frequencies, and frequencies that are numbers.

use howdah_calendar::{Cron, EndOf, Frequency, ProcessingZone, Unit};
use howdah_words::model::time::{MINUTE, Timestamp};

/// How many firing times are computed.
const ASKED: usize = 8;

/// Reads the text as a frequency and computes the next times of a cron frequency, which must rise by whole minutes.
pub(super) fn holds(text: &str) {
    let frequency = Frequency::parse(text, Unit::Minute, EndOf::None);
    match Cron::parse(text) {
        Err(error) => {
            assert!(!error.message.is_empty());
            assert!(text.get(error.span.start..error.span.end).is_some(), "{:?} is no part of the text", error.span);
        }
        Ok(cron) => {
            assert_eq!(cron.text(), text);
            assert!(frequency.is_ok_and(|frequency| frequency == Frequency::Cron(cron.clone())));
            for zone in ["UTC", "GMT+0530", "GMT-1200"] {
                let zone = ProcessingZone::parse(zone).expect("a zone of the list");
                times_rise(&cron, zone);
            }
        }
    }
}

fn times_rise(cron: &Cron, zone: ProcessingZone) {
    let mut at = Timestamp::from_seconds(1_709_164_799);
    for _ in 0..ASKED {
        let Some(next) = cron.next(at, zone) else { break };
        assert!(next > at && (next.seconds() % MINUTE) == 0, "{next:?} after {at:?}");
        assert_eq!(cron.next(next - 1, zone), Some(next), "asked a second before it fires");
        at = next;
    }
}

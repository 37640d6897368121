//! Every zone of the tz database, every kind of frequency, and schedules of them.

use std::sync::LazyLock;

use chrono_tz::TZ_VARIANTS;
use howdah_calendar::cron::Cron;
use howdah_calendar::{CronZone, EndOf, Frequency, ProcessingZone, Schedule, Unit, Zone};
use howdah_words::model::time::Timestamp;

/// Every zone that is accepted, by its identifier in the tz database.
pub static EVERY_ZONE: LazyLock<Vec<Zone>> = LazyLock::new(|| {
    let zones: Vec<Zone> = TZ_VARIANTS.iter().filter_map(|tz| Zone::parse(tz.name()).ok()).collect();
    assert!(zones.len() > 590, "{} of {} zones are accepted", zones.len(), TZ_VARIANTS.len());
    zones
});

/// Returns every kind of frequency, of `count` units or at a time of day computed from it.
pub fn every_frequency(count: i64) -> Vec<Frequency> {
    let fixed = |(unit, end_of)| Frequency::Fixed { count, unit, end_of };
    let by_unit = Unit::ALL.iter().map(|unit| (*unit, EndOf::None));
    let by_end = [(Unit::Day, EndOf::Day), (Unit::Week, EndOf::Week), (Unit::Month, EndOf::Month)];
    let (minute, hour) = (count % 60, count % 24);
    let crons = [
        format!("{minute} {hour} * * *"),
        format!("*/{} * * * ?", minute + 1),
        format!("{minute} 2 ? * MON-FRI"),
        format!("0 {hour} L * ?"),
        "30 1 29 2 ?".to_owned(),
        format!("{minute} {hour} 13 * FRI"),
    ];
    let crons = crons.map(|text| Frequency::Cron(Cron::parse(&text).expect("a frequency of the list")));
    by_unit.chain(by_end).map(fixed).chain(crons).collect()
}

/// Returns a schedule from `start` to `end`.
pub fn schedule(zone: &Zone, frequency: Frequency, (start, end): (Timestamp, Timestamp)) -> Schedule {
    let (processing, cron_zone) = (ProcessingZone::UTC, CronZone::Processing);
    Schedule { frequency, start, end, zone: zone.clone(), processing, cron_zone }
}

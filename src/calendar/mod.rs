//! Zones, frequencies, nominal times, cron, datetimes. Values in, values out; reads no clock.
//!
//! Follows coordinator specification 4; as in Oozie, Java's calendar decides what "a day later" means. Instants are in
//! the years 1 to 9999.

mod add;
mod boundary;
mod built_in;
mod civil;
mod clock_change;
mod clock_effect;
pub(crate) mod cron;
mod datetime;
mod digits;
#[cfg(test)]
pub(crate) mod every_zone;
mod frequency;
mod local_time;
mod names;
pub(crate) mod notation;
mod pattern;
mod reading;
mod schedule;
mod sequence;
mod setting;
mod tzif;
mod words;
mod yearly_rule;
mod zone;
pub(crate) mod zone_data;
mod zone_table;

pub(crate) use add::{Amount, Unit, add};
pub(crate) use boundary::{
    EndOf, days_in_month, hours_in_day, move_to_end, start_of_local_day, start_of_local_month, start_of_local_week,
};
pub(crate) use civil::{first_weekday, month_length};
pub(crate) use clock_change::ClockChange;
pub(crate) use clock_effect::ClockEffect;
pub(crate) use cron::Cron;
pub(crate) use datetime::{Fields, ProcessingZone};
pub(crate) use digits::push_two_digits;
pub(crate) use frequency::{Frequency, FrequencyError, whole_number};
pub(crate) use local_time::{LocalTime, offset_text};
pub(crate) use pattern::format_pattern;
pub(crate) use reading::Reading;
pub(crate) use schedule::{CronZone, Schedule};
pub(crate) use sequence::Sequence;
pub(crate) use zone::{Zone, ZoneError};
pub(crate) use zone_table::ZoneTable;

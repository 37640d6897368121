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
pub mod cron;
mod datetime;
mod digits;
mod frequency;
mod local_time;
mod names;
pub mod notation;
mod pattern;
mod reading;
mod schedule;
mod sequence;
mod setting;
mod tzif;
mod words;
mod yearly_rule;
mod zone;
mod zone_advice;
pub mod zone_data;
mod zone_table;

pub use add::{Amount, Unit, add};
pub use boundary::{
    EndOf, days_in_month, hours_in_day, move_to_end, start_of_local_day, start_of_local_month, start_of_local_week,
};
pub use civil::{DAY_SECONDS, first_weekday, month_length};
pub use clock_change::ClockChange;
pub use clock_effect::ClockEffect;
pub use cron::Cron;
pub use datetime::{DatetimeError, Fields, ProcessingZone};
pub use digits::push_two_digits;
pub use frequency::{Frequency, FrequencyError, whole_number};
pub use local_time::{LocalTime, offset_text};
pub use pattern::format_pattern;
pub use reading::Reading;
pub use schedule::{CronZone, Schedule};
pub use sequence::Sequence;
pub use zone::{Zone, ZoneError};
pub use zone_table::ZoneTable;

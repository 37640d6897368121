//! The five fields of a cron expression: what each counts and which values it has.
//!
//! Follows coordinator specification 4.4.3 (Quartz, without seconds and years). Must not depend on the notation of a
//! field.

use crate::names::{MONTHS, WEEKDAYS, short};

/// A field of a cron expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Minute,
    Hour,
    DayOfMonth,
    Month,
    DayOfWeek,
}

impl Field {
    /// The fields in the order in which they are written.
    pub(super) const ALL: [Self; 5] = [Self::Minute, Self::Hour, Self::DayOfMonth, Self::Month, Self::DayOfWeek];

    /// Returns the name of the field in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::DayOfMonth => "day of month",
            Self::Month => "month",
            Self::DayOfWeek => "day of week",
        }
    }

    /// Returns the least and the greatest value.
    pub(super) const fn range(self) -> (u32, u32) {
        match self {
            Self::Minute => (0, 59),
            Self::Hour => (0, 23),
            Self::DayOfMonth => (1, 31),
            Self::Month => (1, 12),
            Self::DayOfWeek => (1, 7),
        }
    }

    /// Returns the number of a short name of this field, in any case.
    pub(super) fn number_of(self, name: &str) -> Option<u32> {
        let names: &[&'static str] = match self {
            Self::Month => &MONTHS,
            Self::DayOfWeek => &WEEKDAYS,
            Self::Minute | Self::Hour | Self::DayOfMonth => &[],
        };
        let index = names.iter().position(|known| short(known).eq_ignore_ascii_case(name))?;
        u32::try_from(index + 1).ok()
    }
}

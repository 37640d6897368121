//! How often a coordinator creates actions: every number of units, or by cron.
//!
//! Decides what the evaluated text of a `frequency` means (coordinator specification 4.4). Must not depend on
//! expressions: the caller, which evaluated the text, states the unit that its functions chose.

use super::add::Unit;
use super::boundary::EndOf;
use super::cron::{Cron, CronError};

/// The frequency of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// Every `count` units, the first time at the end of a period.
    Fixed {
        /// Greater than zero.
        count: i64,
        unit: Unit,
        end_of: EndOf,
    },
    /// Whenever the expression fires.
    Cron(Cron),
}

/// The error for a text that is not a frequency.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrequencyError {
    /// Zero or less, which would never advance.
    #[error("must be greater than zero")]
    NotPositive,
    /// Neither a number nor cron.
    #[error("must be an integer or a cron expression: {0}")]
    Cron(#[from] CronError),
}

impl Frequency {
    /// Reads an evaluated text: a 32 bit integer (`60`, also `60.0`) in the unit its functions chose, or cron.
    pub fn parse(text: &str, unit: Unit, end_of: EndOf) -> Result<Self, FrequencyError> {
        match whole_number(text) {
            Some(count) if count > 0 => Ok(Self::Fixed { count, unit, end_of }),
            Some(_) => Err(FrequencyError::NotPositive),
            None => Ok(Self::Cron(Cron::parse(text)?)),
        }
    }

    /// Returns the word of the unit as Oozie stores it, `CRON` for cron.
    pub fn unit_word(&self) -> &'static str {
        match self {
            Self::Fixed { unit, .. } => unit.as_str(),
            Self::Cron(_) => "CRON",
        }
    }

    /// Returns the word of the end of period as Oozie stores it, `NONE` for cron.
    pub fn end_of_word(&self) -> &'static str {
        match self {
            Self::Fixed { end_of, .. } => end_of.as_str(),
            Self::Cron(_) => EndOf::None.as_str(),
        }
    }

    /// Returns the number of units, or the cron expression, as text.
    pub fn value(&self) -> String {
        match self {
            Self::Fixed { count, .. } => count.to_string(),
            Self::Cron(cron) => cron.text().to_owned(),
        }
    }
}

/// Reads a 32 bit integer, or a division with a whole result (`60.0`).
pub fn whole_number(text: &str) -> Option<i64> {
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => digits,
        _ => text,
    };
    digits.parse::<i32>().ok().map(i64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(&str, &str)>) {
        let frequency = Frequency::parse(text, Unit::Day, EndOf::Day).ok();
        let found = frequency.as_ref().map(|frequency| (frequency.value(), frequency.unit_word()));
        assert_eq!(found, expect.map(|(value, unit)| (value.to_owned(), unit)), "{text}");
    }

    #[test]
    fn distinguishes_numbers_from_cron() {
        check("60", Some(("60", "DAY")));
        check("+60", Some(("60", "DAY")));
        check("060", Some(("60", "DAY")));
        check("60.0", Some(("60", "DAY")));
        check("0 10 * * *", Some(("0 10 * * *", "CRON")));
        for text in ["", "0", "-1", "1.5", "60.", "1e2", "2147483648", "abc", "0 0 * *"] {
            check(text, None);
        }
    }

    #[test]
    fn cron_has_no_end_of_period() {
        let word = |text| Frequency::parse(text, Unit::Day, EndOf::Day).map(|frequency| frequency.end_of_word());
        assert_eq!(word("1"), Ok("END_OF_DAY"));
        assert_eq!(word("0 0 * * *"), Ok("NONE"));
    }
}

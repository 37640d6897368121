//! Lists of action numbers as an operator writes them: `1,3-4,7-40` (coordinator specification 14).

use std::ops::RangeInclusive;

/// A set of action numbers, or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActionNumbers {
    /// Ascending, never empty, apart from each other.
    ranges: Vec<RangeInclusive<u32>>,
}

/// A text that is no list of action numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ActionNumbersError {
    #[error("[{0}] is no action number: they count from 1")]
    NoNumber(String),
    #[error("the range [{0}] ends before it starts")]
    Reversed(String),
}

impl ActionNumbers {
    /// Every action.
    pub(crate) fn all() -> Self {
        Self { ranges: vec![1..=u32::MAX] }
    }

    /// Reads numbers and ranges (`3-4`, both ends included) separated by commas, in any order; blanks do not count.
    ///
    /// # Errors
    /// The part that is no number from 1 on, or a range whose end lies before its start.
    pub(crate) fn parse(text: &str) -> Result<Self, ActionNumbersError> {
        let mut ranges = text.split(',').map(|part| range(part.trim())).collect::<Result<Vec<_>, _>>()?;
        ranges.sort_by_key(|range| *range.start());
        let mut merged: Vec<RangeInclusive<u32>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => merged.push(range),
            }
        }
        Ok(Self { ranges: merged })
    }

    /// Whether the number is in the set.
    pub(crate) fn contains(&self, number: u32) -> bool {
        let next = self.ranges.partition_point(|range| *range.end() < number);
        self.ranges.get(next).is_some_and(|range| range.contains(&number))
    }

    /// The smallest number of the set.
    pub(crate) fn first(&self) -> u32 {
        self.ranges.first().map_or(1, |range| *range.start())
    }

    /// The largest number of the set.
    pub(crate) fn last(&self) -> u32 {
        self.ranges.last().map_or(u32::MAX, |range| *range.end())
    }
}

fn range(part: &str) -> Result<RangeInclusive<u32>, ActionNumbersError> {
    let number = |text: &str| {
        let text = text.trim();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| digits && *number > 0);
        number.ok_or_else(|| ActionNumbersError::NoNumber(text.to_owned()))
    };
    let (start, end) = match part.split_once('-') {
        Some((start, end)) => (number(start)?, number(end)?),
        None => (number(part)?, number(part)?),
    };
    if start > end { Err(ActionNumbersError::Reversed(part.to_owned())) } else { Ok(start..=end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranges as they are kept, or what is wrong.
    fn check(text: &str, expect: Result<&str, &str>) {
        let shown = |numbers: ActionNumbers| {
            let ranges = numbers.ranges.iter().map(|range| format!("{}-{}", range.start(), range.end()));
            ranges.collect::<Vec<_>>().join(" ")
        };
        let got = ActionNumbers::parse(text).map(shown).map_err(|error| error.to_string());
        assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned), "{text}");
    }

    #[test]
    fn reads_numbers_and_ranges() {
        check("1", Ok("1-1"));
        check("1, 3-4, 7-40", Ok("1-1 3-4 7-40"));
        check("7 - 40,1,41,2-3,10-20", Ok("1-3 7-41"));
        check("4294967295,4294967294", Ok("4294967294-4294967295"));
    }

    #[test]
    fn refuses_the_rest() {
        for (text, part) in [
            ("", ""),
            ("0", "0"),
            ("1,", ""),
            ("-3", ""),
            ("3-", ""),
            ("+1", "+1"),
            ("1-2-3", "2-3"),
            ("4294967296", "4294967296"),
            ("x", "x"),
        ] {
            check(text, Err(&format!("[{part}] is no action number: they count from 1")));
        }
        check("1,4-3", Err("the range [4-3] ends before it starts"));
    }

    #[test]
    fn knows_its_members() {
        let numbers = ActionNumbers::parse("3-4,7").unwrap();
        let members: Vec<u32> = (0..10).filter(|number| numbers.contains(*number)).collect();
        assert_eq!((members, numbers.first(), numbers.last()), (vec![3, 4, 7], 3, 7));
        assert!(ActionNumbers::all().contains(u32::MAX));
    }
}

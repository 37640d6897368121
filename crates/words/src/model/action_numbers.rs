//! Lists of action numbers as an operator writes them: `1,3-4,7-40` (coordinator specification 14).
//!
//! Kept as ranges, so that `1-4000000000` costs as much as `1`. Must not depend on which actions exist.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Action numbers without duplicates, in the order of their first mention; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionNumbers {
    /// In the order of first mention, without overlap.
    mentioned: Vec<RangeInclusive<u32>>,
    /// The same numbers ascending: the last number of each range by its first.
    ascending: BTreeMap<u32, u32>,
}

/// The error for a text that is not a list of action numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionNumbersError {
    #[error("[{0}] is not an action number")]
    NoNumber(String),
    #[error("[{0}] is not a range of action numbers")]
    NoRange(String),
    #[error("the range [{0}] ends before it starts")]
    Reversed(String),
}

impl ActionNumbers {
    /// Returns every action.
    pub fn all() -> Self {
        Self { mentioned: vec![1..=u32::MAX], ascending: BTreeMap::from([(1, u32::MAX)]) }
    }

    /// Returns some actions.
    pub fn of(numbers: &[u32]) -> Self {
        let mut all = Self { mentioned: Vec::new(), ascending: BTreeMap::new() };
        for number in numbers {
            all.add(*number..=*number);
        }
        all
    }

    /// Returns one action.
    pub fn one(number: u32) -> Self {
        Self { mentioned: vec![number..=number], ascending: BTreeMap::from([(number, number)]) }
    }

    /// Reads numbers and ranges (`3-4`, both ends included) separated by commas, in any order; blanks around them and
    /// commas at the end are ignored.
    ///
    /// # Errors
    /// The part that is not a number, not a range, or a range whose end is before its start.
    pub fn parse(text: &str) -> Result<Self, ActionNumbersError> {
        let mut numbers = Self { mentioned: Vec::new(), ascending: BTreeMap::new() };
        for part in text.trim_end_matches(',').split(',') {
            numbers.add(range(part.trim())?);
        }
        Ok(numbers)
    }

    /// Adds the new numbers of a range; each merged range costs one search, so a whole list is read quickly.
    fn add(&mut self, range: RangeInclusive<u32>) {
        let (first, last) = range.into_inner();
        let (mut joined_first, mut joined_last) = (first, last);
        let mut new_from = Some(first);
        let reach = last.saturating_add(1);
        let before = self.ascending.range(..first).next_back().filter(|(_, end)| end.saturating_add(1) >= first);
        let touching: Vec<(u32, u32)> =
            before.into_iter().chain(self.ascending.range(first..=reach)).map(|(start, end)| (*start, *end)).collect();
        for (start, end) in touching {
            if let Some(from) = new_from.filter(|from| *from < start) {
                self.mentioned.push(from..=(start - 1).min(last));
            }
            new_from = new_from.filter(|from| *from > end).or_else(|| end.checked_add(1));
            (joined_first, joined_last) = (joined_first.min(start), joined_last.max(end));
            self.ascending.remove(&start);
        }
        if let Some(from) = new_from.filter(|from| *from <= last) {
            self.mentioned.push(from..=last);
        }
        self.ascending.insert(joined_first, joined_last);
    }

    /// Returns the numbers as ranges that do not overlap, in the order of first mention.
    pub fn ranges(&self) -> impl Iterator<Item = RangeInclusive<u32>> {
        self.mentioned.iter().cloned()
    }

    /// Returns which of the ranges has a number, in the order of first mention.
    pub fn place(&self, number: u32) -> Option<usize> {
        self.mentioned.iter().position(|range| range.contains(&number))
    }

    /// Returns whether the number is among them.
    pub fn contains(&self, number: u32) -> bool {
        self.ascending.range(..=number).next_back().is_some_and(|(_, last)| number <= *last)
    }

    /// Returns the smallest number.
    pub fn first(&self) -> u32 {
        self.ascending.first_key_value().map_or(1, |(first, _)| *first)
    }

    /// Returns the largest number.
    pub fn last(&self) -> u32 {
        self.ascending.last_key_value().map_or(u32::MAX, |(_, last)| *last)
    }
}

fn range(part: &str) -> Result<RangeInclusive<u32>, ActionNumbersError> {
    let Some((start, end)) = part.split_once('-') else {
        let number = number(part)?;
        return Ok(number..=number);
    };
    let whole = |_| ActionNumbersError::NoRange(part.to_owned());
    let (start, end) = (number(start).map_err(whole)?, number(end).map_err(whole)?);
    if start > end { Err(ActionNumbersError::Reversed(part.to_owned())) } else { Ok(start..=end) }
}

/// Reads a number within Oozie's limits; zero is allowed, though no action has it.
fn number(text: &str) -> Result<u32, ActionNumbersError> {
    let number = text.trim().parse().ok().filter(|number| i32::try_from(*number).is_ok());
    number.ok_or_else(|| ActionNumbersError::NoNumber(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranges in the order of mention, or what is wrong.
    fn check(text: &str, expect: Result<&str, &str>) {
        let shown = |numbers: ActionNumbers| {
            let ranges = numbers.ranges().map(|range| format!("{}-{}", range.start(), range.end()));
            ranges.collect::<Vec<_>>().join(" ")
        };
        let got = ActionNumbers::parse(text).map(shown).map_err(|error| error.to_string());
        assert_eq!(got, expect.map(str::to_owned).map_err(str::to_owned), "{text}");
    }

    #[test]
    fn reads_numbers_and_ranges() {
        check("1", Ok("1-1"));
        check(" 1, 3-4 ,7 - 40,", Ok("1-1 3-4 7-40"));
        check("0-2147483647", Ok("0-2147483647"));
    }

    #[test]
    fn keeps_the_order_of_first_mention_without_duplicates() {
        check("4,2,3,4", Ok("4-4 2-2 3-3"));
        check("3,23-24,12,1-6,1-5", Ok("3-3 23-24 12-12 1-2 4-6"));
        check("10-20,5-25", Ok("10-20 5-9 21-25"));
        check("2,4,6,1-7,3", Ok("2-2 4-4 6-6 1-1 3-3 5-5 7-7"));
        check("5-9,1-4,1-9", Ok("5-9 1-4"));
        check("1-2147483647,2147483647", Ok("1-2147483647"));
    }

    #[test]
    fn refuses_the_rest() {
        for (text, part) in [("", ""), (",1", ""), ("1,,2", ""), ("1, ", ""), ("x", "x"), ("2147483648", "2147483648")]
        {
            check(text, Err(&format!("[{part}] is not an action number")));
        }
        for text in ["-3", "3-", "-", "1--3", "1-2-3", "1-x"] {
            check(text, Err(&format!("[{text}] is not a range of action numbers")));
        }
        check("1,4-3", Err("the range [4-3] ends before it starts"));
    }

    #[test]
    fn contains_its_members() {
        let numbers = ActionNumbers::parse("7,3-4").unwrap();
        let members: Vec<u32> = (0..10).filter(|number| numbers.contains(*number)).collect();
        assert_eq!((members, numbers.first(), numbers.last()), (vec![3, 4, 7], 3, 7));
        assert!(ActionNumbers::all().contains(u32::MAX));
        assert!(!ActionNumbers::one(7).contains(8));
    }
}

//! Names that are close to a given one: "did you mean ...?".

/// The most characters of a name that are compared.
const MOST_CHARACTERS: usize = 80;
/// The most names that are compared, so that many mistakes with many names stay cheap.
const MOST_CANDIDATES: usize = 1_000;

/// Returns the candidate closest to `name`, if it is close enough to be a typing error.
///
/// Case differences do not count; otherwise at most one edit per three characters (Damerau-Levenshtein). Compares the
/// first thousand candidates.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = letters(name);
    let length = wanted.chars().count();
    let own_letters = letter_counts(name);
    let mut limit = (length / 3).max(1);
    let mut nearest = None;
    for candidate in candidates.into_iter().take(MOST_CANDIDATES).filter(|candidate| *candidate != name) {
        // Most names differ so much in length that no further comparison is needed.
        let differs = |other: usize| other.min(MOST_CHARACTERS).abs_diff(length) > limit;
        if candidate.is_ascii() && differs(candidate.len()) {
            continue;
        }
        // Nor do the letters need a closer look when too many of one name are not in the other.
        if fewest_edits(&own_letters, &letter_counts(candidate)) > limit {
            continue;
        }
        let edits = strsim::osa_distance(&wanted, &letters(candidate));
        if edits > limit {
            continue;
        }
        nearest = Some(candidate);
        // Only a closer candidate can replace it.
        match edits.checked_sub(1) {
            Some(fewer) => limit = fewer,
            None => break,
        }
    }
    nearest
}

/// Returns the part of a name that is compared.
fn letters(name: &str) -> String {
    if name.is_ascii() {
        return name[..name.len().min(MOST_CHARACTERS)].to_ascii_lowercase();
    }
    name.chars().flat_map(char::to_lowercase).take(MOST_CHARACTERS).collect()
}

/// How often each letter is in a name; letters of different alphabets share a number.
type LetterCounts = [u8; 64];

/// Counts the letters of a name that are compared.
fn letter_counts(name: &str) -> LetterCounts {
    let mut counts = [0; 64];
    let mut count = |letter: u32| counts[letter as usize % 64] += 1;
    if name.is_ascii() {
        name.bytes().take(MOST_CHARACTERS).for_each(|letter| count(letter.to_ascii_lowercase().into()));
    } else {
        letters(name).chars().for_each(|letter| count(letter.into()));
    }
    counts
}

/// Returns how many edits two names with these letters need at least: an edit takes at most one letter from those that
/// one of the names has more often than the other.
fn fewest_edits(one: &LetterCounts, other: &LetterCounts) -> usize {
    let surplus = |of: &LetterCounts, over: &LetterCounts| -> usize {
        of.iter().zip(over).map(|(more, fewer)| usize::from(more.saturating_sub(*fewer))).sum()
    };
    surplus(one, other).max(surplus(other, one))
}

/// Returns whether two names differ in only one place, in at most four characters, in any case: among long names that
/// share most of their letters, even the closest may have another meaning.
pub fn is_slip(name: &str, near: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.to_lowercase().chars().collect(), near.to_lowercase().chars().collect());
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let shorter = a.len().min(b.len()) - start;
    let end = a.iter().rev().zip(b.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    a.len().max(b.len()) - start - end <= 4
}

/// The number of searches for near names left for one file: each search compares all names, and a file with many
/// mistakes and many names would take minutes.
#[derive(Debug)]
pub struct Suggestions {
    left: usize,
}

/// The number of searches for one file.
const MOST_SEARCHES: usize = 20;

impl Default for Suggestions {
    fn default() -> Self {
        Self { left: MOST_SEARCHES }
    }
}

impl Suggestions {
    /// Returns the candidate closest to `name`, as [`did_you_mean`] finds it; also `None` when no search is left.
    pub fn near<'a>(&mut self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        self.left = self.left.checked_sub(1)?;
        did_you_mean(name, candidates)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_only_typing_errors() {
        let names = ["America/Los_Angeles", "America/New_York", "timezone"];
        for (given, expect) in [
            ("Americas/Los_Angeles", Some("America/Los_Angeles")),
            ("america/new_york", Some("America/New_York")),
            // Two neighbours in exchanged places are one edit.
            ("tiemzone", Some("timezone")),
            ("tiemznoe", Some("timezone")),
            ("itemznoe", None),
            ("frequency", None),
            ("", None),
        ] {
            assert_eq!(did_you_mean(given, names), expect, "{given}");
        }
        let many = std::iter::repeat_n("name", MOST_CANDIDATES).chain(["timezone"]);
        assert_eq!(did_you_mean("timezon", many), None);
    }

    proptest! {
        #[test]
        fn letters_that_differ_are_edits(one in "[a-dC-Eé~]{0,8}", other in "[a-dC-EÉ!]{0,8}") {
            let fewest = fewest_edits(&letter_counts(&one), &letter_counts(&other));
            prop_assert!(fewest <= strsim::osa_distance(&letters(&one), &letters(&other)));
        }
    }

    #[test]
    fn the_closest_wins_and_among_equals_the_first() {
        for (names, expect) in [
            (["frequenz", "frequence", "frequencY"], "frequencY"),
            (["frequance", "frequenzy", "frequencies"], "frequenzy"),
            (["fréquency", "frequencx", "frequencz"], "fréquency"),
        ] {
            assert_eq!(did_you_mean("frequency", names), Some(expect), "{names:?}");
        }
    }

    #[test]
    fn a_file_has_a_limited_number_of_searches() {
        let mut suggestions = Suggestions::default();
        let found = (0..3 * MOST_SEARCHES).filter(|_| suggestions.near("timezon", ["timezone"]).is_some()).count();
        assert_eq!(found, MOST_SEARCHES);
    }
}

//! Near-miss names: "did you mean ...?".

/// Characters of a name that are compared.
const MOST_CHARACTERS: usize = 80;
/// Names that are compared, so that many mistakes beside many names stay cheap.
const MOST_CANDIDATES: usize = 1_000;

/// The candidate closest to `name`, if it is close enough to be a slip of the keyboard.
///
/// Case differences are free; otherwise at most one edit per three characters (Damerau-Levenshtein). Looks at the first
/// thousand candidates.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |name: &str, letters: &mut Vec<char>| {
        letters.clear();
        letters.extend(name.chars().flat_map(char::to_lowercase).take(MOST_CHARACTERS));
    };
    let (mut wanted, mut other) = (Vec::new(), Vec::new());
    letters(name, &mut wanted);
    let mut limit = (wanted.len() / 3).max(1);
    let mut nearest = None;
    for candidate in candidates.into_iter().take(MOST_CANDIDATES).filter(|candidate| *candidate != name) {
        // Most names differ so much in length that nothing more of them has to be looked at.
        if candidate.is_ascii() && candidate.len().min(MOST_CHARACTERS).abs_diff(wanted.len()) > limit {
            continue;
        }
        letters(candidate, &mut other);
        let Some(edits) = distance(&wanted, &other, limit) else { continue };
        nearest = Some(candidate);
        // Only what is nearer still can take its place.
        match edits.checked_sub(1) {
            Some(fewer) => limit = fewer,
            None => break,
        }
    }
    nearest
}

/// Whether two names differ in one place alone, in at most four characters, whatever their case: among long names that
/// share most of their letters, the nearest one may well mean something else.
pub(crate) fn is_slip(name: &str, near: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.to_lowercase().chars().collect(), near.to_lowercase().chars().collect());
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let shorter = a.len().min(b.len()) - start;
    let end = a.iter().rev().zip(b.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    a.len().max(b.len()) - start - end <= 4
}

/// How often near names may still be looked for in one file: each search costs a look at all names, and a file with
/// many mistakes beside many names would take minutes.
#[derive(Debug)]
pub(crate) struct Suggestions {
    left: usize,
}

/// Searches that one file is worth.
const MOST_SEARCHES: usize = 20;

impl Default for Suggestions {
    fn default() -> Self {
        Self { left: MOST_SEARCHES }
    }
}

impl Suggestions {
    /// The candidate closest to `name`, as [`did_you_mean`] finds it; `None` as well when no search is left.
    pub(crate) fn near<'a>(&mut self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        self.left = self.left.checked_sub(1)?;
        did_you_mean(name, candidates)
    }
}

/// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`; `None` when there are more than `limit`.
fn distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        // No later row can be less than the least of the two above it.
        if row.iter().chain(&last).all(|edits| *edits > limit) {
            return None;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    Some(last[b.len()]).filter(|edits| *edits <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_else() {
        assert_eq!(distance(&['a', 'b', 'c'], &['b', 'a', 'c', 'd'], 2), Some(2));
        assert_eq!(distance(&['a', 'b', 'c'], &['b', 'a', 'c', 'd'], 1), None);
        let names = ["America/Los_Angeles", "America/New_York", "timezone"];
        for (given, expect) in [
            ("Americas/Los_Angeles", Some("America/Los_Angeles")),
            ("america/new_york", Some("America/New_York")),
            ("tiemzone", Some("timezone")),
            ("frequency", None),
            ("", None),
        ] {
            assert_eq!(did_you_mean(given, names), expect, "{given}");
        }
        let many = std::iter::repeat_n("name", MOST_CANDIDATES).chain(["timezone"]);
        assert_eq!(did_you_mean("timezon", many), None);
    }

    #[test]
    fn the_nearest_wins_and_of_equals_the_first() {
        for (names, expect) in [
            (["frequenz", "frequence", "frequencY"], "frequencY"),
            (["frequance", "frequenzy", "frequencies"], "frequenzy"),
            (["fréquency", "frequencx", "frequencz"], "fréquency"),
        ] {
            assert_eq!(did_you_mean("frequency", names), Some(expect), "{names:?}");
        }
    }

    #[test]
    fn a_file_is_worth_so_many_searches() {
        let mut suggestions = Suggestions::default();
        let found = (0..3 * MOST_SEARCHES).filter(|_| suggestions.near("timezon", ["timezone"]).is_some()).count();
        assert_eq!(found, MOST_SEARCHES);
    }
}

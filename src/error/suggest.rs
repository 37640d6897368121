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
    let letters =
        |name: &str| -> Vec<char> { name.chars().flat_map(char::to_lowercase).take(MOST_CHARACTERS).collect() };
    let wanted = letters(name);
    let limit = (wanted.len() / 3).max(1);
    candidates
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| Some((distance(&wanted, &letters(candidate), limit)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
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
}

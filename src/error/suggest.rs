//! Near-miss names: "did you mean ...?".

/// The candidate closest to `name`, if it is close enough to be a slip of the keyboard.
///
/// Case differences are free; otherwise at most one edit per three characters (Damerau-Levenshtein).
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().take(80).collect();
    let limit = (wanted.len() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(&wanted, &candidate.to_lowercase().chars().take(80).collect::<Vec<_>>()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
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
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_else() {
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
    }
}

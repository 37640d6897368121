//! Compares two texts, or two sets of properties, line by line.
//!
//! Must not depend on jobs or files.

use std::time::Duration;

use similar::TextDiff;

use howdah_words::model::Properties;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;
/// After this time the differences are still correct, but not minimal.
const DIFF_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the changes from one text to another as hunks of a unified diff; empty when there are none.
pub(super) fn hunks(old: &str, new: &str) -> String {
    let difference = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old, new);
    difference.unified_diff().context_radius(CONTEXT).missing_newline_hint(false).to_string()
}

/// Returns the same for properties, each a line `name=value`.
pub(super) fn property_hunks(old: &Properties, new: &Properties) -> String {
    hunks(&lines(old), &lines(new))
}

fn lines(properties: &Properties) -> String {
    // A value of several lines stays one line, so that the lines stay in the order of the names.
    let lines: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={}\n", value.escape_debug())).collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expect: &str) {
        assert_eq!(hunks(old, new), expect);
    }

    #[test]
    fn changes_are_shown_with_what_is_around_them() {
        check("a\n", "a\n", "");
        check("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        check("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n6\n", "@@ -3,3 +3,4 @@\n 3\n 4\n 5\n+6\n");
        check("", "a", "@@ -0,0 +1 @@\n+a\n");
    }

    #[test]
    fn a_property_is_a_line() {
        let properties = |value: &str| Properties::from([("p".to_owned(), value.to_owned())]);
        assert_eq!(property_hunks(&properties("x"), &properties("x\ny")), "@@ -1 +1 @@\n-p=x\n+p=x\\ny\n");
        assert_eq!(property_hunks(&properties("x"), &Properties::new()), "@@ -1 +0,0 @@\n-p=x\n");
    }
}

//! The names of months and days of the week, in English.
//!
//! Decides only spelling. Must not depend on which day a name means to the caller.

/// The months, January first.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The days of the week, Sunday first.
pub(super) const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The number of letters of a short name.
pub(super) const SHORT: usize = 3;

/// Returns the first three letters of a name.
pub(super) fn short(name: &'static str) -> &'static str {
    &name[..SHORT]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_differ() {
        for names in [&MONTHS[..], &WEEKDAYS[..]] {
            let short: std::collections::BTreeSet<&str> = names.iter().map(|name| short(name)).collect();
            assert_eq!(short.len(), names.len());
        }
        assert_eq!(short(WEEKDAYS[3]), "Wed");
    }
}

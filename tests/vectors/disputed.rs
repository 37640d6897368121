//! Single records that no result can match, each with the reason.
//!
//! They are computed like all others; only the difference does not count. A record that no longer differs must be
//! removed from the table.

/// Why the records are disputed, and their ids.
const DISPUTED: &[(&str, &[&str])] = &[(
    "the input does not hold all that the answer needs: variables and a unit left over from an earlier evaluation",
    &["fn-ddc9ea28cb2e", "fn-56bfac1d0461", "fn-86ac251b2814"],
)];

/// Why the record is disputed; `None` when it is not.
pub(crate) fn reason(id: &str) -> Option<&'static str> {
    DISPUTED.iter().find(|(_, ids)| ids.contains(&id)).map(|(reason, _)| *reason)
}

/// Returns whether the table contains this reason.
pub(crate) fn is_reason(text: &str) -> bool {
    DISPUTED.iter().any(|(reason, _)| *reason == text)
}

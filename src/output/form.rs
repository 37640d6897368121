//! How a command answers: what the flags `--json` and `--quiet` come to.

/// How a command answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines for people.
    Text,
    /// Lines for people, and nothing about what was not refused.
    Quiet,
    /// One JSON document.
    Json,
}

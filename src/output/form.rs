//! The form of a command's output, from the flags `--json` and `--quiet`.

/// The form of a command's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines for people.
    Text,
    /// Lines for people, without warnings and notes.
    Quiet,
    /// One JSON document.
    Json,
}

//! The state of a path of a definition at a tick. Must not depend on who answers.

/// The state of a path at this tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It exists.
    Present,
    /// It does not exist.
    Missing,
    /// The system refuses to say; the text is its reason.
    Unreadable(String),
    /// The machine cannot say at present, so nothing may be decided; the text is its reason.
    Unknown(String),
    /// No mount covers the URI; the text is its `scheme://authority`.
    Unmapped(String),
}

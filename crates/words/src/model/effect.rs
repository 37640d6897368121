//! Whether what a verb does is stored.

/// The fate of the changes of a write transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// They are stored.
    Stored,
    /// They are rolled back: only a preview is wanted (`--dry-run`).
    DryRun,
}

//! The error of a store: what it means, and the store's own words.

use std::io;

/// The meaning of an error of a query about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing exists there.
    Absent,
    /// The system refuses access, and will refuse again until a user changes something.
    Refused,
    /// The system could not answer; it is not known what exists.
    Unknown,
}

/// Why a store did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub(crate) struct StoreError {
    pub verdict: Verdict,
    /// Whether it is about the path alone: the server answers, and may tell about other paths.
    pub(crate) is_of_path: bool,
    text: String,
}

impl StoreError {
    /// The store cannot tell at present: it did not answer, or with a failure of its own.
    pub(crate) fn unknown(text: impl Into<String>) -> io::Error {
        Self::of(Verdict::Unknown, io::ErrorKind::TimedOut, text)
    }

    /// The store answers, and what it says about the path is not understood.
    pub(crate) fn unclear(text: impl Into<String>) -> io::Error {
        let told = Self { verdict: Verdict::Unknown, is_of_path: true, text: text.into() };
        io::Error::new(io::ErrorKind::TimedOut, told)
    }

    /// The store refuses, for a reason that stays until somebody changes something.
    pub(crate) fn refused(kind: io::ErrorKind, text: impl Into<String>) -> io::Error {
        Self::of(Verdict::Refused, kind, text)
    }

    /// A call needs what is not there for certain.
    pub(crate) fn absent(text: impl Into<String>) -> io::Error {
        Self::of(Verdict::Absent, io::ErrorKind::NotFound, text)
    }

    fn of(verdict: Verdict, kind: io::ErrorKind, text: impl Into<String>) -> io::Error {
        let is_of_path = verdict != Verdict::Unknown;
        io::Error::new(kind, Self { verdict, is_of_path, text: text.into() })
    }

    /// The error of a store in an error of the system, if it is one.
    pub(crate) fn in_error(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

//! The answer of the machine to a query: present, absent, or unknown.
//!
//! Unknown is never treated as one of the other two: it changes nothing, and the query is repeated. Only this module
//! decides which system error is a definite answer, and which one is temporary.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use super::file_store::StoreError;
pub use super::file_store::Verdict;
use howdah_words::error::{Error, ErrorCode};

/// An answer of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// It is there.
    Present(T),
    /// It does not exist, for certain.
    Absent,
    /// The machine cannot say.
    Unknown(Unknown),
}

/// What was queried, and the system's own message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    asked: String,
    why: String,
    /// Whether the system refused access, and did not fail.
    is_refused: bool,
}

impl<T> Found<T> {
    /// Converts the result of a system call about `path`: only a name that does not exist is absent.
    pub fn of(path: &Path, answer: io::Result<T>) -> Self {
        match answer {
            Ok(found) => Self::Present(found),
            Err(error) if is_absence(&error) => Self::Absent,
            Err(error) => Self::unknown(path, &error),
        }
    }

    /// The answer "unknown", about `path`.
    pub fn unknown(path: &Path, error: &io::Error) -> Self {
        Self::Unknown(Unknown::about(path, error))
    }

    /// What exists, if anything does.
    ///
    /// # Errors
    /// Fails when the machine cannot say.
    pub fn known(self) -> Result<Option<T>, Unknown> {
        match self {
            Self::Present(found) => Ok(Some(found)),
            Self::Absent => Ok(None),
            Self::Unknown(unknown) => Err(unknown),
        }
    }

    /// Converts what is present; the other answers stay.
    pub fn map<U>(self, follow: impl FnOnce(T) -> U) -> Found<U> {
        match self {
            Self::Present(found) => Found::Present(follow(found)),
            Self::Absent => Found::Absent,
            Self::Unknown(unknown) => Found::Unknown(unknown),
        }
    }
}

impl Unknown {
    /// What the machine cannot say about `path`, and why.
    pub fn about(path: &Path, error: &io::Error) -> Self {
        let is_refused = verdict(error) == Verdict::Refused;
        Self { asked: path.display().to_string(), why: error.to_string(), is_refused }
    }

    /// What cannot be found out about `asked`, and why.
    pub fn of(asked: &str, why: &str) -> Self {
        Self { asked: asked.to_owned(), why: why.to_owned(), is_refused: false }
    }

    /// Whether the system refused access, and did not fail.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }
}

/// The codes are those of [`cannot_read`]. A refusal is repeated here too: for howdah's own files it is no definite
/// answer.
impl From<Unknown> for Error {
    fn from(told: Unknown) -> Self {
        if told.is_refused {
            Self::with(ErrorCode::H0110, &[&told.asked, &told.why]).passing(true)
        } else {
            unknown(&told.asked, &told.why)
        }
    }
}

/// Whether an error says for certain that the name does not exist.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    verdict(error) == Verdict::Absent
}

/// Whether an error is about the present state of the machine and not about what was asked for: too little memory, too
/// few processes, descriptors or blocks, a disk or a server that does not answer. The same call may succeed later.
pub fn may_pass(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    // Errors without a kind in the standard library.
    const PASSING: [Errno; 4] = [Errno::IO, Errno::MFILE, Errno::NFILE, Errno::NOBUFS];
    let passes = |code: i32| PASSING.iter().any(|passing| passing.raw_os_error() == code);
    matches!(
        error.kind(),
        K::StorageFull
            | K::QuotaExceeded
            | K::ReadOnlyFilesystem
            | K::OutOfMemory
            | K::WouldBlock
            | K::TimedOut
            | K::Interrupted
            | K::ResourceBusy
            | K::ExecutableFileBusy
            | K::StaleNetworkFileHandle
            | K::HostUnreachable
            | K::NetworkUnreachable
            | K::NetworkDown
    ) || error.raw_os_error().is_some_and(passes)
}

/// The errors that mean that nothing exists.
const ABSENCE: [Errno; 2] = [Errno::NOENT, Errno::NOTDIR];

/// The errors that mean a refusal: permissions, or a path that the system can never follow.
const REFUSALS: [Errno; 10] = [
    Errno::ACCESS,
    Errno::PERM,
    Errno::LOOP,
    Errno::NAMETOOLONG,
    Errno::INVAL,
    Errno::ISDIR,
    Errno::NXIO,
    Errno::OVERFLOW,
    Errno::OPNOTSUPP,
    Errno::ILSEQ,
];

/// The meaning of an error of a query about a file, or of reading it. An error without a number comes from this program
/// or from the standard library, for example for a path that contains a zero byte. The error of a store has its own
/// meaning.
pub fn verdict(error: &io::Error) -> Verdict {
    if let Some(told) = StoreError::in_error(error) {
        return told.verdict;
    }
    let Some(number) = error.raw_os_error() else { return Verdict::Refused };
    let is = |known: &Errno| known.raw_os_error() == number;
    if ABSENCE.iter().any(is) {
        Verdict::Absent
    } else if REFUSALS.iter().any(is) {
        Verdict::Refused
    } else {
        Verdict::Unknown
    }
}

/// The error for a file that could not be queried or read: H0113 when the machine cannot say, otherwise H0110.
pub fn cannot_read(path: &Path, error: &io::Error) -> Error {
    match verdict(error) {
        Verdict::Absent | Verdict::Refused => Error::with(ErrorCode::H0110, &[&path.display(), error]).passing(false),
        Verdict::Unknown => unknown(&path.display().to_string(), error),
    }
}

/// H0113 for what the machine cannot say at present.
pub fn unknown(what: &str, why: &dyn std::fmt::Display) -> Error {
    Error::with(ErrorCode::H0113, &[&what, why]).help("this decides nothing: the next step tries again").passing(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(error: Errno) -> Found<()> {
        Found::of(Path::new("/x"), Err(error.into()))
    }

    #[test]
    fn only_a_name_that_leads_nowhere_is_absent() {
        assert_eq!(Found::of(Path::new("/x"), Ok(1)).known(), Ok(Some(1)));
        for absent in [Errno::NOENT, Errno::NOTDIR] {
            assert_eq!(answer(absent), Found::Absent);
        }
        for (error, code) in [
            (Errno::IO, ErrorCode::H0113),
            (Errno::ACCESS, ErrorCode::H0110),
            (Errno::MFILE, ErrorCode::H0113),
            (Errno::NOMEM, ErrorCode::H0113),
            (Errno::TIMEDOUT, ErrorCode::H0113),
            (Errno::LOOP, ErrorCode::H0110),
            (Errno::STALE, ErrorCode::H0113),
        ] {
            let told = Error::from(answer(error).known().unwrap_err());
            // The code of a failure does not depend on the call.
            assert_eq!((told.code(), cannot_read(Path::new("/x"), &error.into()).code()), (code, code), "{error}");
            assert!(told.to_string().contains("[/x]") && told.may_pass(), "{told}");
        }
    }

    #[test]
    fn what_is_wrong_with_the_name_does_not_pass() {
        for (error, expect) in [
            (Errno::AGAIN, true),
            (Errno::NOMEM, true),
            (Errno::MFILE, true),
            (Errno::NOSPC, true),
            (Errno::IO, true),
            (Errno::NOENT, false),
            (Errno::ACCESS, false),
            (Errno::TOOBIG, false),
            (Errno::NOEXEC, false),
            (Errno::NAMETOOLONG, false),
        ] {
            assert_eq!(may_pass(&error.into()), expect, "{error}");
        }
        assert!(!may_pass(&io::Error::other("no number of the system")));
    }

    #[test]
    fn only_known_errors_are_answers() {
        for (number, expect) in [
            (Errno::NOENT, Verdict::Absent),
            (Errno::NOTDIR, Verdict::Absent),
            (Errno::ACCESS, Verdict::Refused),
            (Errno::LOOP, Verdict::Refused),
            (Errno::NAMETOOLONG, Verdict::Refused),
            (Errno::IO, Verdict::Unknown),
            (Errno::TIMEDOUT, Verdict::Unknown),
            (Errno::STALE, Verdict::Unknown),
            (Errno::MFILE, Verdict::Unknown),
            (Errno::NOMEM, Verdict::Unknown),
            (Errno::AGAIN, Verdict::Unknown),
            (Errno::NOTCONN, Verdict::Unknown),
        ] {
            assert_eq!(verdict(&number.into()), expect, "{number}");
        }
        assert_eq!(verdict(&io::Error::other("it is no regular file")), Verdict::Refused);
    }
}

//! What a failed look at a file says: that nothing is there, that it may not be looked at, or nothing at all.
//!
//! The three must never be mixed up: what the machine cannot tell moves no job, and is asked again by the next step. Only
//! errors that are known to be answers count as answers; every other one says nothing.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::error::{Error, ErrorCode};

/// What a failed look at a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// There is nothing.
    Absent,
    /// The system refuses to look, and will refuse again: somebody has to change something.
    Refused,
    /// The system could not look; what is there is not known.
    Unknown,
}

/// The errors by which a system says that there is nothing.
const ABSENCE: [Errno; 2] = [Errno::NOENT, Errno::NOTDIR];

/// The errors by which a system refuses: its permissions, or a path that it can never follow.
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

/// What an error of a look at a file, or of reading it, says. One without a number is a word of this program or of the
/// standard library, such as on a path with a zero in it.
pub(crate) fn verdict(error: &io::Error) -> Verdict {
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

/// What is told of a file that could not be looked at or read: H0113 when the machine cannot tell, otherwise H0110.
pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> Error {
    match verdict(error) {
        Verdict::Absent | Verdict::Refused => Error::with(ErrorCode::H0110, &[&path.display(), error]),
        Verdict::Unknown => unknown(&path.display().to_string(), error),
    }
}

/// H0113 for what the machine cannot tell at present.
pub(crate) fn unknown(what: &str, why: &dyn std::fmt::Display) -> Error {
    Error::with(ErrorCode::H0113, &[&what, why])
        .help("nothing is decided by this: whatever needs it is tried again by the next step")
}

#[cfg(test)]
mod tests {
    use super::*;

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

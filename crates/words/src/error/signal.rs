//! What a problem means to the code that receives it: a code and a message are for people.
//!
//! The one table that leads from a code to its meaning; no other place decides anything by a code. What a code does not
//! tell (an E1100 is a conflict or a refusal) is the answer of a function, never an error.

use super::code::ErrorCode;

/// What a problem means to the code that receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// It is about what was asked for: the same is refused again.
    Request,
    /// The document is not what its schema says.
    OffSchema,
    /// The file holds no text.
    NotText,
    /// A variable has no value.
    VariableWithoutValue,
    /// There is nothing at the path of an application.
    NoApplication,
    /// The store of a path has no mount here.
    Unmounted,
    /// Another process, on another machine or of another user, may be able to do it.
    NotHere,
    /// The machine failed to read, to write or to start a process.
    Machine,
    /// The database cannot be used at present.
    Unavailable(Unavailable),
    /// The database cannot be used: it is none, damaged, of another version or being purged.
    Database,
}

/// Why a database cannot be used at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// Another process holds it.
    Busy,
    /// It cannot be written.
    ReadOnly,
    /// There is no room for more.
    Full,
}

impl Signal {
    /// The meaning of a code.
    pub(super) const fn of(code: ErrorCode) -> Self {
        use ErrorCode as E;
        match code {
            E::E0700 | E::E0701 => Self::OffSchema,
            E::H0112 => Self::NotText,
            E::W0118 => Self::VariableWithoutValue,
            E::E0504 => Self::NoApplication,
            E::H0122 => Self::Unmounted,
            E::E1005 | E::H0113 | E::H0150 | E::H0151 | E::H0152 => Self::NotHere,
            E::H0110 | E::H0111 | E::H0140 => Self::Machine,
            E::H0103 => Self::Unavailable(Unavailable::Full),
            E::H0104 => Self::Unavailable(Unavailable::ReadOnly),
            E::H0105 => Self::Unavailable(Unavailable::Busy),
            E::E0603 | E::H0100 | E::H0101 | E::H0102 | E::H0106 | E::H0107 | E::H0108 | E::H0109 => Self::Database,
            _ => Self::Request,
        }
    }

    /// Whether it is about this process, its machine or its database, and not about what was asked for.
    pub const fn is_of_this_process(self) -> bool {
        match self {
            Self::Unmounted | Self::NotHere | Self::Machine | Self::Unavailable(_) | Self::Database => true,
            Self::Request | Self::OffSchema | Self::NotText | Self::VariableWithoutValue | Self::NoApplication => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Error, Verdict};
    use super::*;

    #[test]
    fn a_failure_of_the_machine_or_of_the_database_is_no_answer() {
        use Verdict::{Answer, Broken, Passes};
        for (code, of_this_process, verdict) in [
            (ErrorCode::E0504, false, Answer),
            (ErrorCode::E0701, false, Answer),
            (ErrorCode::E1100, false, Answer),
            (ErrorCode::H0112, false, Answer),
            (ErrorCode::H0131, false, Answer),
            (ErrorCode::H0141, false, Answer),
            (ErrorCode::E0603, true, Broken),
            (ErrorCode::E1005, true, Answer),
            (ErrorCode::H0100, true, Broken),
            (ErrorCode::H0107, true, Broken),
            (ErrorCode::H0113, true, Answer),
            (ErrorCode::H0122, true, Answer),
            (ErrorCode::H0152, true, Answer),
            (ErrorCode::H0103, true, Passes),
            (ErrorCode::H0104, true, Passes),
            (ErrorCode::H0105, true, Passes),
            (ErrorCode::H0110, true, Passes),
            (ErrorCode::H0111, true, Passes),
            (ErrorCode::H0140, true, Passes),
        ] {
            assert_eq!(Signal::of(code).is_of_this_process(), of_this_process, "{code}");
            assert_eq!(Error::new(code, "x").verdict(), verdict, "{code}");
        }
        for code in [ErrorCode::E0907, ErrorCode::H0109, ErrorCode::H0111] {
            assert_eq!(Error::new(code, "x").passing(false).verdict(), Answer, "{code}");
            assert_eq!(Error::new(code, "x").passing(true).verdict(), Passes, "{code}");
        }
    }
}

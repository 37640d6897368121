//! How an error becomes an answer: a status, and Oozie's two headers with the code and the message.

use crate::cli::exit::Failure;
use howdah_host::web::Answer;
use howdah_words::error::{Class, Error, ErrorCode};
use howdah_words::model::secret::masked;

/// How many characters of a message are in the header.
const LONGEST_HEADER: usize = 4000;

/// A request that is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    status: u16,
    code: String,
    message: String,
}

impl Refusal {
    /// Returns the refusal with another status.
    pub(super) fn with_status(error: &Error, status: u16) -> Self {
        let code = error.oozie_code().unwrap_or_else(|| error.code()).to_string();
        Self { status, code, message: masked(&error.to_string()).into_owned() }
    }

    /// Returns the refusal of a path that does not exist.
    pub(super) fn not_found(path: &str) -> Self {
        Self::with_status(&Error::new(ErrorCode::E0301, path), 404)
    }

    /// Returns the refusal of a method that a path does not have.
    pub(super) fn no_method(method: &str) -> Self {
        Self::with_status(&Error::new(ErrorCode::E0301, method), 405)
    }

    /// Returns the refusal of the value of a parameter.
    pub(super) fn parameter(name: &str, value: &str) -> Self {
        Self::from(Error::with(ErrorCode::E0303, &[&name, &value]))
    }

    /// Returns the answer. The header has the start of a long message: clients limit the length of a header.
    pub(super) fn answer(&self) -> Answer {
        let body = format!("{}\n", self.message);
        let start: String = self.message.chars().take(LONGEST_HEADER).collect();
        Answer::new(self.status, "text/plain;charset=UTF-8", body)
            .with("oozie-error-code", &self.code)
            .with("oozie-error-message", &start)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match error.code().class() {
            Class::Internal => 500,
            Class::Busy => 503,
            // The machine failed, not the client.
            _ if error.may_pass() => 503,
            _ => 400,
        };
        Self::with_status(&error, status)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let mut errors = failure.errors.into_iter();
        let first = errors.find(|error| !error.is_warning());
        first.unwrap_or_else(|| Error::new(ErrorCode::H0001, "a verb failed without an error")).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_in_the_headers() {
        let answer = Refusal::from(Error::new(ErrorCode::E0604, "x\ny")).answer();
        let headers: Vec<_> = answer.headers.iter().map(|(name, value)| (name.as_ref(), value.as_str())).collect();
        assert_eq!(answer.status, 400);
        assert!(headers.contains(&("oozie-error-code", "E0604")), "{headers:?}");
        assert!(headers.contains(&("oozie-error-message", "E0604: Job does not exist [x y]")), "{headers:?}");
        for (error, status) in [(ErrorCode::H0105, 503), (ErrorCode::H0001, 500), (ErrorCode::E0420, 400)] {
            assert_eq!(Refusal::from(Error::new(error, "x")).answer().status, status, "{error}");
        }
    }

    #[test]
    fn a_long_message_is_whole_in_the_body_alone_and_has_no_password() {
        let answer =
            Refusal::parameter("filter", &format!("{} http://ann:secret@h/", "\u{e4}".repeat(70_000))).answer();
        let header =
            answer.headers.iter().find(|(name, _)| *name == "oozie-error-message").map(|(_, value)| value.len());
        assert_eq!(header, Some(LONGEST_HEADER));
        let body = String::from_utf8(answer.body).unwrap();
        assert!(body.len() > 140_000 && body.contains("http://ann:******@h/"), "{}", body.len());
    }
}

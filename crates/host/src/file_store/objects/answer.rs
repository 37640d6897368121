//! What an error of an object store means. Its text holds no address of a request, because that may be signed.

use std::error::Error as StdError;
use std::io::{self, ErrorKind};

use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};

use super::super::StoreError;

/// The longest text of a server, in characters.
const LONGEST: usize = 200;
/// The codes of a refusal that is about a path. Any other is about the keys, the clock or the account, or comes from
/// something between: it says nothing about a path.
const OF_PATH: [&str; 5] = [
    "AccessDenied",
    "AllAccessDisabled",
    "AuthorizationPermissionMismatch",
    "InsufficientAccountPermissions",
    "MethodNotAllowed",
];

/// What a server answered, as far as it did.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    status: Option<u16>,
    /// The code of the error in the answer, such as `SlowDown`.
    code: Option<String>,
}

/// The error of a call. Nothing here is "absent": callers decide that by listings. Only a refusal of a path is one:
/// wrong keys, or a bucket that does not exist, say nothing about what is there.
pub(super) fn meaning(server: &str, error: &Error) -> io::Error {
    if let Some(why) = no_answer(error) {
        return StoreError::unknown(format!("{server}: {why}"));
    }
    let told = told(&chain(error));
    let code = told.code.as_deref();
    let why = match (told.status, code) {
        (Some(status), Some(code)) => format!("{server} answers {status} ({code})"),
        (Some(status), None) => format!("{server} answers {status}"),
        (None, Some(code)) => format!("{server} answers {code}"),
        (None, None) => format!("{server} gives no answer that can be used"),
    };
    let of_store = |help: &str| StoreError::unknown(format!("{why}{help}"));
    match error {
        _ if matches!(code, Some("NoSuchBucket" | "ContainerNotFound")) => of_store(": there is no such bucket"),
        _ if told.status.is_some_and(|status| (300..400).contains(&status)) => {
            of_store(": another region or endpoint has this bucket")
        }
        Error::PermissionDenied { .. } if code.is_some_and(|code| OF_PATH.contains(&code)) => {
            StoreError::refused(ErrorKind::PermissionDenied, why)
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => of_store(": the keys may not be accepted"),
        Error::NotSupported { .. } | Error::NotImplemented { .. } => StoreError::refused(ErrorKind::Unsupported, why),
        _ => of_store(""),
    }
}

/// Whether the server does not know what it was asked for: a condition of a write, for instance.
pub(super) fn is_not_known(error: &Error) -> bool {
    matches!(error, Error::NotImplemented { .. } | Error::NotSupported { .. })
        || told(&chain(error)).status == Some(501)
}

/// Why there was no answer of the server, if there was none.
fn no_answer(error: &Error) -> Option<String> {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(at) = cause {
        if let Some(http) = at.downcast_ref::<HttpError>() {
            let start = if http.kind() == HttpErrorKind::Decode { "" } else { "no answer: " };
            return Some(format!("{start}{}", http.source().map(ToString::to_string).unwrap_or_default()));
        }
        cause = at.source();
    }
    None
}

/// The texts of an error and of its causes.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(at) = cause {
        text.push('\n');
        text.push_str(&at.to_string());
        cause = at.source();
    }
    text
}

/// Reads the status and the code out of the library's text, which has the answer's body in it.
fn told(text: &str) -> Told {
    let after = |start: &str| text.split_once(start).map(|(_, rest)| rest);
    let status = after("non-2xx status code: ").and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.or_else(|| after("redirect without LOCATION").map(|_| 301));
    let code = after("<Code>").and_then(|rest| Some(rest.split_once("</Code>")?.0));
    let is_word = |code: &&str| code.len() <= LONGEST && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    Told { status, code: code.filter(is_word).map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::{Verdict, verdict};

    fn generic(text: &str) -> Error {
        Error::Generic { store: "S3", source: text.into() }
    }

    #[test]
    fn an_error_is_refused_or_unknown() {
        let status = |status: &str, code: &str| {
            generic(&format!(
                "Error performing GET https://h/b?X-Amz-Signature=secret in 1s - Server returned non-2xx status code: \
                 {status}: <Error><Code>{code}</Code></Error>"
            ))
        };
        for (error, expect, text) in [
            (
                status("404 Not Found", "NoSuchBucket"),
                Verdict::Unknown,
                "s3a://b answers 404 (NoSuchBucket): there is no",
            ),
            (status("404 Not Found", "NoSuchKey"), Verdict::Unknown, "s3a://b answers 404 (NoSuchKey)"),
            (status("503 Slow", "SlowDown"), Verdict::Unknown, "s3a://b answers 503 (SlowDown)"),
            (status("500 Internal", "InternalError"), Verdict::Unknown, "s3a://b answers 500"),
            (status("400 Bad", "ExpiredToken"), Verdict::Unknown, "s3a://b answers 400 (ExpiredToken)"),
            (status("400 Bad", "RequestTimeout"), Verdict::Unknown, "s3a://b answers 400 (RequestTimeout)"),
            (status("403 No", "x<y"), Verdict::Unknown, "s3a://b answers 403"),
            (status("301 Moved", "PermanentRedirect"), Verdict::Unknown, "another region"),
            (generic("something else"), Verdict::Unknown, "s3a://b gives no answer"),
        ] {
            let read = meaning("s3a://b", &error);
            assert_eq!(verdict(&read), expect, "{read}");
            assert!(read.to_string().contains(text) && !read.to_string().contains("secret"), "{read}");
        }
        for (code, expect) in [
            ("<Code>AccessDenied</Code>", Verdict::Refused),
            ("<Code>SignatureDoesNotMatch</Code>", Verdict::Unknown),
            ("<Code>AccountProblem</Code>", Verdict::Unknown),
            ("<html>403</html>", Verdict::Unknown),
        ] {
            let denied = Error::PermissionDenied { path: "x".to_owned(), source: code.into() };
            assert_eq!(verdict(&meaning("s", &denied)), expect, "{code}");
        }
    }
}

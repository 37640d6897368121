//! How a stored error is printed in one line.

/// Code and message in one text.
pub fn error_text(code: Option<&str>, message: Option<&str>) -> Option<String> {
    match (code.filter(|code| !code.is_empty()), message.filter(|message| !message.is_empty())) {
        // The messages of some actions begin with their code already.
        (Some(code), Some(message)) if message.strip_prefix(code).is_some_and(|rest| rest.starts_with(':')) => {
            Some(message.to_owned())
        }
        (Some(code), Some(message)) => Some(format!("{code}: {message}")),
        (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
        (None, None) => None,
    }
}

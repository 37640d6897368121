//! What a function of a phase answers.

use crate::el::{CallError, Value};

/// The answer of a phase to a call.
pub(crate) type CallResult = Result<Value, CallError>;

/// A text as a value.
#[expect(clippy::unnecessary_wraps, reason = "it is what a phase answers")]
pub(crate) fn text(text: impl Into<String>) -> CallResult {
    Ok(Value::from(text.into()))
}

/// A refusal in words.
pub(crate) fn failed<T>(message: impl Into<String>) -> Result<T, CallError> {
    Err(CallError::Failed(message.into()))
}

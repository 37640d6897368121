//! The results of a phase's functions.

use howdah_el::{CallError, Value};

/// The result of a call.
pub(crate) type CallResult = Result<Value, CallError>;

/// Returns a text as a value.
#[expect(clippy::unnecessary_wraps, reason = "it is the result type of a phase")]
pub fn text(text: impl Into<String>) -> CallResult {
    Ok(Value::from(text.into()))
}

/// Returns a refusal with a message.
pub fn failed<T>(message: impl Into<String>) -> Result<T, CallError> {
    Err(CallError::Failed(message.into()))
}

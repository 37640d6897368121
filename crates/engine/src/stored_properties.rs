//! The properties of a job as the database stores them.

use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;

/// Returns the properties of a job as stored: the text of a JSON object.
pub fn properties_text(properties: &Properties) -> String {
    serde_json::to_string(properties).expect("texts become JSON")
}

/// Reads back [`properties_text`].
///
/// # Errors
/// H0107 for a text that howdah did not write.
pub fn read_properties(text: &str) -> Result<Properties> {
    serde_json::from_str(text).map_err(|error| Error::with(ErrorCode::H0107, &[&"stored properties", &error]))
}

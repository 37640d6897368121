//! Turns problems into what is missing, each once.

use super::Missing;
use howdah_words::error::Error;

impl From<&Error> for Missing {
    fn from(error: &Error) -> Self {
        Self {
            what: error.to_string(),
            fix: error.help_text().or_else(|| error.code().advice()).unwrap_or_default().to_owned(),
        }
    }
}

/// Returns each missing thing once, in the order of their texts.
pub(super) fn once(mut missing: Vec<Missing>) -> Vec<Missing> {
    missing.sort_unstable();
    missing.dedup();
    missing
}

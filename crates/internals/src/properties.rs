//! The set `properties`: the text of a properties file to a map.

use serde_json::{Value, json};

use super::judge::Answer;
use howdah_oozie::configuration::parse_properties;
use howdah_words::error::SourceText;

pub(super) fn answer(input: &Value) -> Answer {
    let source = SourceText::new("job.properties", input["text"].as_str().unwrap_or_default());
    parse_properties(&source).map(|parsed| json!({ "properties": parsed.values })).into()
}

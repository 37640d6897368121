//! Values whose names say that they are secret: never shown.

use std::collections::BTreeMap;

use howdah_words::model::delivery::authority;
use howdah_words::model::secret_name::HIDDEN;
pub use howdah_words::model::secret_name::shown;

/// Returns the value of a setting as it is shown: also only the scheme and the host of a URL that lets a program in.
pub fn shown_setting(name: &str, value: String) -> String {
    let is_url =
        name == "howdah.tick.ping" || name.starts_with("howdah.alert.") && name.rsplit('.').next() == Some("url");
    if !is_url || value.is_empty() {
        return shown(name, value);
    }
    let start = authority(&value);
    match start.split_once("://") {
        Some((scheme, host)) => format!("{scheme}://{}/{HIDDEN}", host.rsplit('@').next().unwrap_or_default()),
        None => HIDDEN.to_owned(),
    }
}

/// Returns the values as they are shown.
pub(crate) fn without_secrets(values: BTreeMap<String, String>) -> BTreeMap<String, String> {
    values
        .into_iter()
        .map(|(name, value)| {
            let value = shown(&name, value);
            (name, value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_value_is_hidden() {
        let values = [("A", "1"), ("A_TOKEN", "x"), ("B_TOKEN", "")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let shown: Vec<(String, String)> = without_secrets(values.into()).into_iter().collect();
        let expect = [("A", "1"), ("A_TOKEN", HIDDEN), ("B_TOKEN", "")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(shown, expect);
    }
}

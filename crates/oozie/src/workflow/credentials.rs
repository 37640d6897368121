//! The credentials that an action names: their properties become part of its configuration.
//!
//! No token is fetched, because nothing on one machine issues one. As with Oozie, a program finds in its configuration
//! what it needs to log in.

use super::submission::evaluate_over_properties;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_xml::Element;

/// Why an action gets no credentials.
#[derive(Debug)]
pub enum CredentialError {
    /// The section has none of that name (JA021).
    Unknown { name: String },
    /// An expression has no value.
    Expression(Error),
}

/// Returns the properties of the credentials `named` (a list with commas; upper and lower case are equal) in `section`,
/// their expressions evaluated over the job's properties alone. In a workflow without the section there are none, which
/// is not an error.
pub fn properties(section: Option<&Element>, named: &str, conf: &Properties) -> Result<Properties, CredentialError> {
    let mut properties = Properties::new();
    let Some(section) = section else { return Ok(properties) };
    for name in named.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let is_meant = |credential: &&Element| {
            credential.attribute("name").is_some_and(|text| text.value.trim().eq_ignore_ascii_case(name))
        };
        let credential = section.children_named("credential").find(is_meant);
        let credential = credential.ok_or_else(|| CredentialError::Unknown { name: name.to_owned() })?;
        for property in credential.children_named("property") {
            let text = |child: &str| {
                let text = property.child(child).map(|child| child.text().value).unwrap_or_default();
                evaluate_over_properties(&text, conf)
                    .map_err(|fault| CredentialError::Expression(Error::new(ErrorCode::E1004, fault.message)))
            };
            properties.insert(text("name")?, text("value")?);
        }
    }
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml as xml;

    const SECTION: &str = "<credentials><credential name='Hive' type='hcat'><property><name>uri</name>\
        <value>thrift://${host}</value></property></credential><credential name='b' type='t'/></credentials>";

    fn check(named: &str, expect: Result<&[(&str, &str)], &str>) {
        let root = xml::read(&SourceText::new("w.xml", SECTION)).unwrap().root;
        let conf = [("host".to_owned(), "h:1".to_owned())].into();
        let got = match properties(Some(&root), named, &conf) {
            Ok(properties) => Ok(properties),
            Err(CredentialError::Unknown { name }) => Err(name),
            Err(CredentialError::Expression(error)) => Err(error.message().to_owned()),
        };
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        assert_eq!(got, expect.map(|pairs| pairs.iter().map(pair).collect()).map_err(str::to_owned), "{named}");
    }

    #[test]
    fn names_match_in_upper_and_lower_case() {
        check("hive", Ok(&[("uri", "thrift://h:1")]));
        check(" b , HIVE,", Ok(&[("uri", "thrift://h:1")]));
        check("", Ok(&[]));
        check("hive,c", Err("c"));
    }

    #[test]
    fn names_have_no_effect_without_a_section() {
        assert!(properties(None, "x", &Properties::new()).unwrap().is_empty());
    }
}

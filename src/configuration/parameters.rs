//! The formal parameters of a definition: every `<parameters>` property must be given or have a default.
//!
//! Follows `ParameterVerifier`, with versions compared part by
//! part: parameters count in workflow 0.4.5 too, as the specification says. Defaults are literal; nothing in them is
//! replaced or evaluated here.

use crate::error::{Error, ErrorCode, Result};
use crate::model::Properties;
use crate::xml::{Document, Element, SchemaVersion, split_namespace};

/// Adds the defaults of a definition's parameters to the job properties where these lack them.
///
/// # Errors
///
/// E0739 for an empty name, E0738 naming all parameters that have neither value nor default, each at the first
/// `<property>` concerned.
pub(crate) fn apply_parameters(document: &Document, job: &mut Properties) -> Result<()> {
    if !supports_parameters(&document.root) {
        return Ok(());
    }
    let Some(parameters) = document.root.child("parameters") else { return Ok(()) };
    let mut missing: Vec<(String, &Element)> = Vec::new();
    for property in parameters.children_named("property") {
        let name = property.child("name").map(|name| name.text().value).unwrap_or_default();
        if name.is_empty() {
            return Err(Error::with(ErrorCode::E0739, &[])
                .at(document.locate(property.span))
                .help("give the parameter a name, or remove it"));
        }
        if job.contains_key(&name) {
            continue;
        }
        match property.child("value") {
            Some(value) => drop(job.insert(name, value.text().value)),
            None => missing.push((name, property)),
        }
    }
    match missing.first() {
        None => Ok(()),
        Some((_, first)) => Err(missing_parameters(&missing).at(document.locate(first.span))),
    }
}

fn missing_parameters(missing: &[(String, &Element)]) -> Error {
    let names: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
    Error::with(ErrorCode::E0738, &[&names.len(), &names.join(", ")])
        .help(format!("add `{}=...` to the job properties, or a <value> to the parameter", names[0]))
}

/// Whether the root's schema version has parameters.
fn supports_parameters(root: &Element) -> bool {
    let namespace = root.namespace.as_deref().and_then(split_namespace);
    namespace.is_some_and(|(family, version)| match family {
        "workflow" | "coordinator" => version >= SchemaVersion::new(0, 4),
        "bundle" => version >= SchemaVersion::new(0, 2),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::error::SourceText;
    use crate::xml::read;

    use super::*;

    fn check(namespace: &str, properties: &str, expect: Result<&[(&str, &str)], &str>) {
        let xml = format!("<app xmlns=\"uri:oozie:{namespace}\"><parameters>{properties}</parameters></app>");
        let document = read(&SourceText::new("f.xml", xml)).unwrap();
        let mut job = Properties::from([("given".to_owned(), "1".to_owned())]);
        let got = apply_parameters(&document, &mut job).map_err(|error| error.to_string());
        job.remove("given");
        let added = job.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>();
        assert_eq!(got.map(|()| added), expect.map(<[_]>::to_vec).map_err(str::to_owned), "{namespace} {properties}");
    }

    const DEFAULT: &str = "<property><name> a </name><value> ${x} </value></property>";
    const BARE: &str = "<property><name>given</name></property><property><name>b</name></property>";

    #[test]
    fn adds_defaults_where_the_schema_has_parameters() {
        for namespace in ["workflow:0.4", "workflow:0.4.5", "workflow:1.0", "coordinator:0.4", "bundle:0.2"] {
            check(namespace, DEFAULT, Ok(&[("a", "${x}")]));
        }
        for namespace in ["workflow:0.3", "coordinator:0.2", "bundle:0.1", "sla:0.4"] {
            check(namespace, DEFAULT, Ok(&[]));
        }
        check("workflow:0.5", "<property><name>a</name><value/></property>", Ok(&[("a", "")]));
    }

    #[test]
    fn refuses_missing_values_and_empty_names() {
        let missing = "E0738: The following 1 parameters are required but were not defined and no default values are \
                       available: b";
        check("workflow:0.5", BARE, Err(missing));
        let unnamed = format!("{BARE}<property><name> </name></property>");
        check("workflow:0.5", &unnamed, Err("E0739: Parameter name cannot be empty"));
    }
}

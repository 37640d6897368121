//! The formal parameters of a definition: every `<parameters>` property must be given or have a default.
//!
//! Follows `ParameterVerifier`, with versions compared part by part: parameters count in workflow 0.4.5 too, as the
//! specification says. Expressions in defaults are not evaluated here.

use howdah_words::error::{Error, ErrorCode, Location, Result, did_you_mean};
use howdah_words::model::Properties;
use howdah_xml::{Document, Element, SchemaVersion, split_namespace};

/// A formal parameter of a definition.
#[derive(Clone, Debug)]
pub struct Parameter<'d> {
    pub name: String,
    /// Its value where the job gives none.
    pub default: Option<String>,
    property: &'d Element,
}

/// Returns the formal parameters of a definition in document order; `None` when it has no `parameters`, or a schema
/// without.
///
/// # Errors
///
/// E0739 for an empty name.
pub fn parameters(document: &Document) -> Result<Option<Vec<Parameter<'_>>>> {
    let Some(parameters) = document.root.child("parameters").filter(|_| supports_parameters(&document.root)) else {
        return Ok(None);
    };
    let parameter = |property| {
        let name = Element::child(property, "name").map(|name| name.text().value).unwrap_or_default();
        if name.is_empty() {
            return Err(Error::with(ErrorCode::E0739, &[])
                .at(document.locate(property.span))
                .help("give the parameter a name, or remove it"));
        }
        Ok(Parameter { name, default: property.child("value").map(|value| value.text().value), property })
    };
    parameters.children_named("property").map(parameter).collect::<Result<_>>().map(Some)
}

impl Parameter<'_> {
    /// Returns the place of the parameter.
    pub(super) fn place(&self, document: &Document) -> Location {
        document.locate(self.property.span)
    }
}

/// Adds the defaults of a definition's parameters to the job properties where these lack them.
///
/// # Errors
///
/// E0739 for an empty name, E0738 naming all parameters that have neither value nor default, each at the first
/// `<property>` concerned.
pub fn apply_parameters(document: &Document, job: &mut Properties) -> Result<()> {
    let Some(parameters) = parameters(document)? else { return Ok(()) };
    let given: Vec<String> = job.keys().cloned().collect();
    let mut missing: Vec<&Parameter<'_>> = Vec::new();
    for parameter in &parameters {
        match &parameter.default {
            _ if job.contains_key(&parameter.name) => {}
            Some(default) => drop(job.insert(parameter.name.clone(), default.clone())),
            None => missing.push(parameter),
        }
    }
    match missing.first() {
        None => Ok(()),
        Some(first) => Err(missing_parameters(&missing, &given).at(document.locate(first.property.span))),
    }
}

/// Returns the error for missing parameters. `given`: the names of the job's properties; one of them may be a
/// misspelling of the first missing parameter.
fn missing_parameters(missing: &[&Parameter<'_>], given: &[String]) -> Error {
    let names: Vec<&str> = missing.iter().map(|parameter| parameter.name.as_str()).collect();
    let error = Error::with(ErrorCode::E0738, &[&names.len(), &names.join(", ")]);
    match did_you_mean(names[0], given.iter().map(String::as_str)) {
        Some(near) => {
            error.help(format!("the job has a property [{near}]: rename it if it is meant for [{}]", names[0]))
        }
        None => error.help(format!("add `{}=...` to the job properties, or a <value> to the parameter", names[0])),
    }
}

/// Returns whether the root's schema version has parameters.
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
    use howdah_words::error::SourceText;
    use howdah_xml::read;

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
    fn a_property_of_a_near_name_is_pointed_at() {
        let xml = "<app xmlns='uri:oozie:workflow:0.5'>\
                   <parameters><property><name>input</name></property></parameters></app>";
        let document = read(&SourceText::new("f.xml", xml)).unwrap();
        for (given, expect) in [
            ("inptu", "the job has a property [inptu]: rename it if it is meant for [input]"),
            ("other", "add `input=...` to the job properties, or a <value> to the parameter"),
        ] {
            let mut job = Properties::from([(given.to_owned(), "1".to_owned())]);
            let error = apply_parameters(&document, &mut job).unwrap_err();
            assert_eq!(error.help_text(), Some(expect), "{given}");
        }
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

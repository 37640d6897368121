//! The configuration of a job at submission: its own properties over those of the default files.
//!
//! First those files, then the formal parameters of the definition ([`complete`]).

use super::document::with_user_names;
use super::parameters::{Parameter, apply_parameters, parameters};
use super::properties::ParsedProperties;
use super::reserved;
use super::substitute::{resolve, resolve_parsed};
use howdah_words::error::{Error, ErrorCode, Location, Result};
use howdah_words::model::Properties;
use howdah_words::model::secret_text;
use howdah_xml::{Document, DocumentKind, illegal_character};

/// Returns the properties of a job of this kind, submitted with `job`, when `defaults` are the default files in the
/// order they are read: the first value of a property counts.
///
/// # Errors
///
/// E0808 for a reserved name, E0303 for a value that refers to itself, E0700 for a character that XML does not allow,
/// H0198 for stars in place of a value.
pub fn job_configuration(
    kind: DocumentKind,
    job: &ParsedProperties,
    defaults: &[ParsedProperties],
) -> Result<Properties> {
    reserved::check_job(kind, job)?;
    check_storable(job)?;
    for file in defaults {
        reserved::check_default_file(kind, file)?;
    }
    let mut merged = job.clone();
    merged.values = with_user_names(job.values.iter().map(|(name, value)| (trim(name), trim(value))).collect());
    merged.values = resolve_parsed(&merged)?;
    for file in defaults {
        for (name, value) in &file.values {
            merged.values.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    resolve_parsed(&merged)
}

/// Completes the configuration of a job with the defaults of its definition's parameters.
///
/// A value may refer to other values. Those of a workflow job are then resolved once more, together with the defaults,
/// as Oozie does last (decision W42). A coordinator and a bundle keep the text: their definitions are evaluated again
/// later.
///
/// # Errors
///
/// E0739 and E0738 as [`apply_parameters`]; E0303 for a value that refers to itself.
pub fn complete(kind: DocumentKind, document: &Document, job: &mut Properties) -> Result<()> {
    apply_parameters(document, job)?;
    if kind == DocumentKind::Workflow {
        *job = resolve(job).map_err(|error| match default_in(document, &error) {
            Some(place) => error.at(place),
            None => error,
        })?;
    }
    Ok(())
}

/// Returns the place of the first parameter whose default the message names.
fn default_in(document: &Document, error: &Error) -> Option<Location> {
    let named = |parameter: &Parameter<'_>| error.message().contains(&format!("[{}] = ", parameter.name));
    parameters(document).ok()??.iter().find(|parameter| named(parameter)).map(|found| found.place(document))
}

/// Checks a default file alone, without the job that uses its defaults.
///
/// Circular references are allowed here: the job's properties, which count first, may break the circle.
///
/// # Errors
///
/// E0808, at the property.
pub fn check_default_file(kind: DocumentKind, file: &ParsedProperties) -> Result<()> {
    reserved::check_default_file(kind, file)
}

/// Checks that the properties of the user can be stored. Other properties were accepted before and are not checked
/// again.
///
/// As XML: Oozie's client sends properties to the server, and a job passes them to its actions, as a configuration
/// document. Without the stars that other users are shown: they would replace the true value.
///
/// # Errors
///
/// E0700 and H0198, at the name or the value of the first such property.
pub fn check_storable(properties: &ParsedProperties) -> Result<()> {
    let has_stars = |(name, value): (&String, &String)| secret_text::has_stars(name, value).then(|| name.clone());
    if let Some(name) = properties.values.iter().find_map(has_stars) {
        return Err(properties.place(&name, Error::new(ErrorCode::H0198, &name)));
    }
    check_characters(properties)
}

fn check_characters(properties: &ParsedProperties) -> Result<()> {
    for (name, value) in &properties.values {
        let in_name = illegal_character(name.trim_matches(is_blank)).zip(properties.locate(name));
        let in_value = || illegal_character(value.trim_matches(is_blank)).zip(properties.locate_value(name));
        let (part, ((_, character), place)) = match in_name {
            Some(found) => ("name", found),
            None => match in_value() {
                Some(found) => ("value", found),
                None => continue,
            },
        };
        let what = format!("the {part} of the property [{name}] contains the character U+{:04X}", u32::from(character));
        let error = Error::new(ErrorCode::E0700, what).at(place);
        return Err(error.help("remove it: a configuration cannot contain it, not even as an escape or a reference"));
    }
    Ok(())
}

/// Returns whether Java trims the character; it trims every control character too.
const fn is_blank(character: char) -> bool {
    character <= ' '
}

/// Trims as Oozie does on the way to its server; like Java, it counts every control character as blank.
fn trim(text: &str) -> String {
    text.trim_matches(is_blank).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::properties::parse_properties;
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    fn properties(pairs: &[(&str, &str)]) -> ParsedProperties {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Properties>().into()
    }

    fn check(job: &[(&str, &str)], defaults: &[&[(&str, &str)]], expect: &[(&str, &str)]) {
        let defaults: Vec<_> = defaults.iter().map(|file| properties(file)).collect();
        let got = job_configuration(DocumentKind::Workflow, &properties(job), &defaults).unwrap();
        assert_eq!(got, properties(expect).values, "{job:?}");
    }

    /// `expect`: the configuration that a job of this kind has in the end, without `base`.
    fn check_complete(kind: DocumentKind, defaults: &[(&str, &str)], given: &[(&str, &str)], expect: &str) {
        let family = if kind == DocumentKind::Bundle { "bundle:0.2" } else { "workflow:0.5" };
        let property =
            |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value>{value}</value></property>");
        let properties: String = defaults.iter().map(property).collect();
        let xml = format!("<app xmlns=\"uri:oozie:{family}\"><parameters>{properties}</parameters></app>");
        let document = read(&SourceText::new("f.xml", xml)).unwrap();
        let given = given.iter().chain(&[("base", "/b")]);
        let mut job: Properties = given.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let got = match complete(kind, &document, &mut job) {
            Ok(()) => {
                job.remove("base");
                job.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            }
            Err(error) => format!("{} {:?}", error.code(), error.location().unwrap().line_column()),
        };
        assert_eq!(got, expect, "{kind:?} {defaults:?}");
    }

    #[test]
    fn the_values_of_a_workflow_are_resolved_after_the_defaults() {
        use DocumentKind::{Bundle, Coordinator, Workflow};
        let out = [("out", "${base}/daily")];
        check_complete(Workflow, &out, &[], "out=/b/daily");
        check_complete(Coordinator, &out, &[], "out=${base}/daily");
        check_complete(Bundle, &out, &[], "out=${base}/daily");
        check_complete(Workflow, &out, &[("out", "x")], "out=x");
        // A default refers to another one, and a given property to a default.
        check_complete(Workflow, &[("a", "${z}/a"), ("z", "${base}/z")], &[], "a=/b/z/a z=/b/z");
        check_complete(Workflow, &out, &[("log", "${out}/log")], "log=/b/daily/log out=/b/daily");
        check_complete(Workflow, &[("a", "${none}/${base}")], &[], "a=${none}/${base}");
        check_complete(Workflow, &[("a", "${wf:user()}")], &[], "a=${wf:user()}");
        check_complete(Workflow, &[("b", "1"), ("a", "x${a}")], &[], "E0303 (1, 100)");
        check_complete(Workflow, &[], &[("a", "${base}")], "a=/b");
    }

    #[test]
    fn the_first_to_give_a_property_wins() {
        check(
            &[("a", " 1 ")],
            &[&[("a", "2"), ("b", " 3 ")], &[("b", "4"), ("c", "")]],
            &[("a", "1"), ("b", " 3 "), ("c", "")],
        );
    }

    #[test]
    fn what_xml_does_not_allow_is_refused_at_its_place() {
        let check = |text: &str, place: Option<(usize, usize)>| {
            let written = parse_properties(&SourceText::new("f", text)).unwrap();
            let refused = job_configuration(DocumentKind::Workflow, &written, &[]).err();
            let at = refused.map(|error| (error.code(), error.location().unwrap().line_column()));
            assert_eq!(at, place.map(|place| (ErrorCode::E0700, place)), "{text:?}");
            // What was accepted before is still accepted.
            let stored: ParsedProperties = written.values.into();
            assert!(job_configuration(DocumentKind::Workflow, &stored, &[]).is_ok(), "{text:?}");
        };
        check("b=1\na=x\\u0001y", Some((2, 3)));
        check("a=x\u{1b}y", Some((1, 3)));
        check("a=x\\uffffy", Some((1, 3)));
        check("a\u{7}b=1", Some((1, 1)));
        for fine in ["a=\\u0001x\\u0002", "a=x\\ty\\nz\\r", "a=\u{7f}\u{85}\u{fffd}\u{1f600}"] {
            check(fine, None);
        }
    }

    #[test]
    fn references_reach_over_files() {
        check(&[("a", "${b}")], &[&[("b", "${c}")], &[("c", "1")]], &[("a", "1"), ("b", "1"), ("c", "1")]);
        check(&[("a", "${a1}${b}"), ("a1", "x")], &[&[("b", "1")]], &[("a", "x1"), ("a1", "x"), ("b", "1")]);
    }

    #[test]
    fn refuses_reserved_names_and_circles() {
        let defaults = [properties(&[("MB", "1")])];
        let error = job_configuration(DocumentKind::Workflow, &properties(&[]), &defaults).unwrap_err();
        assert_eq!(error.to_string(), "E0808: Disallowed user property [MB]");
        let circle = properties(&[("a", "${b}"), ("b", "${a}")]);
        assert!(job_configuration(DocumentKind::Workflow, &circle, &[]).is_err());
    }
}

//! The configuration of a job at submission: its own properties over those of the default files.
//!
//! The formal parameters of the definition come
//! after this, by [`apply_parameters`](super::apply_parameters).

use super::document::with_user_names;
use super::properties::ParsedProperties;
use super::reserved;
use super::substitute::resolve_parsed;
use crate::error::Result;
use crate::model::Properties;
use crate::xml::DocumentKind;

/// The properties of a job of this kind, submitted with `job`, when `defaults` are the default files in the order
/// they are read: a property counts where it is met first.
///
/// # Errors
///
/// E0808 for a reserved name, E0303 for a value that refers back to itself.
pub(crate) fn job_configuration(
    kind: DocumentKind,
    job: &ParsedProperties,
    defaults: &[ParsedProperties],
) -> Result<Properties> {
    reserved::check_job(kind, job)?;
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

/// Checks a default file by itself, without the job that it gives defaults to.
///
/// References that go in a circle are fine here: the job's properties, which count first, may break it.
///
/// # Errors
///
/// E0808, at the property.
pub(crate) fn check_default_file(kind: DocumentKind, file: &ParsedProperties) -> Result<()> {
    reserved::check_default_file(kind, file)
}

/// Oozie trims on the way to its server, and like Java it counts every control character as blank.
fn trim(text: &str) -> String {
    text.trim_matches(|character| character <= ' ').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(pairs: &[(&str, &str)]) -> ParsedProperties {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Properties>().into()
    }

    fn check(job: &[(&str, &str)], defaults: &[&[(&str, &str)]], expect: &[(&str, &str)]) {
        let defaults: Vec<_> = defaults.iter().map(|file| properties(file)).collect();
        let got = job_configuration(DocumentKind::Workflow, &properties(job), &defaults).unwrap();
        assert_eq!(got, properties(expect).values, "{job:?}");
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

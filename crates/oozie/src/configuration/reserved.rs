//! The names that job properties must not have, because expressions give them a meaning (E0808).

use super::properties::ParsedProperties;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_xml::DocumentKind;

/// Reserved in every job.
const EVERYWHERE: &[&str] = &[
    "DAYS",
    "HOURS",
    "MINUTES",
    "KB",
    "MB",
    "GB",
    "TB",
    "PB",
    "RECORDS",
    "MAP_IN",
    "MAP_OUT",
    "REDUCE_IN",
    "REDUCE_OUT",
    "GROUPS",
];

/// Also reserved where dataset paths may occur: in all jobs but workflows.
const OF_DATASETS: &[&str] = &["YEAR", "MONTH", "DAY", "HOUR", "MINUTE"];

/// Also reserved in default files: a file must not set the submitting user.
const IN_DEFAULT_FILES: &[&str] = &["user.name", "mapreduce.job.user.name"];

/// Returns whether expressions give the name a meaning.
pub(super) fn has_meaning(name: &str) -> bool {
    EVERYWHERE.contains(&name) || OF_DATASETS.contains(&name)
}

/// Checks the properties of a submission.
pub(super) fn check_job(kind: DocumentKind, job: &ParsedProperties) -> Result<()> {
    check(job, |name| is_reserved(kind, name))
}

/// Checks the properties of a default file.
pub(super) fn check_default_file(kind: DocumentKind, file: &ParsedProperties) -> Result<()> {
    check(file, |name| is_reserved(kind, name) || IN_DEFAULT_FILES.contains(&name))
}

/// Returns whether the name is reserved in jobs of this kind.
pub fn is_reserved(kind: DocumentKind, name: &str) -> bool {
    if kind == DocumentKind::Workflow { EVERYWHERE.contains(&name) } else { has_meaning(name) }
}

fn check(properties: &ParsedProperties, is_reserved: impl Fn(&str) -> bool) -> Result<()> {
    let Some(name) = properties.values.keys().find(|name| is_reserved(name)) else { return Ok(()) };
    let error = Error::new(ErrorCode::E0808, name)
        .reported_by_oozie_as(ErrorCode::E0803)
        .help("the name is reserved; rename the property or remove it");
    Err(match properties.locate(name) {
        Some(location) => error.at(location),
        None => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_name(kind: DocumentKind, name: &str, in_job: bool, in_file: bool) {
        let properties =
            ParsedProperties::from(howdah_words::model::Properties::from([(name.to_owned(), "1".to_owned())]));
        assert_eq!(check_job(kind, &properties).is_err(), in_job, "{name} in the job");
        assert_eq!(check_default_file(kind, &properties).is_err(), in_file, "{name} in a file");
    }

    #[test]
    fn refuses_the_names_of_constants() {
        for kind in [DocumentKind::Workflow, DocumentKind::Coordinator, DocumentKind::Bundle] {
            check_name(kind, "DAYS", true, true);
            check_name(kind, "user.name", false, true);
            check_name(kind, "days", false, false);
            let dated = kind != DocumentKind::Workflow;
            check_name(kind, "YEAR", dated, dated);
        }
    }
}

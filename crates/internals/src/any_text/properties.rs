//! Properties files: reading, substitution, writing as a configuration.

use super::assert_shown;
use howdah_oozie::configuration::{
    job_configuration, parse_properties, read_configuration, resolve_parsed, unresolved, write_configuration,
};
use howdah_words::error::SourceText;
use howdah_words::model::Properties;
use howdah_xml::{self as xml, DocumentKind};

/// Reads the text as a properties file, resolves the values, writes them as a configuration and reads that back.
pub(super) fn holds(text: &str) {
    let parsed = match parse_properties(&SourceText::new("job.properties", text)) {
        Ok(parsed) => parsed,
        Err(problem) => return assert_shown(&problem),
    };
    for problem in parsed.repetitions() {
        assert_shown(&problem);
    }
    for kind in [DocumentKind::Coordinator, DocumentKind::Workflow] {
        if let Err(problem) = job_configuration(kind, &parsed, &[]) {
            assert_shown(&problem);
        }
    }
    match resolve_parsed(&parsed) {
        Ok(resolved) => {
            unresolved(DocumentKind::Workflow, None, &parsed, &resolved).iter().for_each(assert_shown);
            assert_reads_back(&resolved);
        }
        Err(problem) => assert_shown(&problem),
    }
}

/// A configuration contains trimmed names and characters that XML allows.
fn assert_reads_back(properties: &Properties) {
    let written = write_configuration(properties);
    let document = xml::read(&SourceText::new("configuration", written.as_str())).expect("what is written is XML");
    let read = read_configuration(&document.root, &document.source).expect("what is written is a configuration").values;
    if properties.keys().all(|name| !name.is_empty() && name.trim() == name) && !written.contains('\u{FFFD}') {
        assert_eq!(&read, properties);
    }
}

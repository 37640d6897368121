//! The definition of a bundle job, as its submission reads and checks it (`BundleSubmitXCommand`).
//!
//! Must not depend on the database: `bundle` stores the job, `verbs::bundle` changes it.

use crate::application_path::BUNDLE_PATH;
use crate::default_configuration;
use crate::definition_file::ApplicationFile;
use crate::submit::given_values::at_given_values;
use crate::submit::request::{Submission, read_document};
use howdah_el::Knowledge;
use howdah_oozie::bundle::{self, Bundle};
use howdah_oozie::configuration::{complete, job_configuration, unresolved};
use howdah_words::error::{Error, ErrorCode, Location, Result};
use howdah_words::model::Properties;
use howdah_xml::{self as xml, DocumentKind};

/// The default file beside a bundle.
const DEFAULT_FILE: &str = "bundle-config-default.xml";

/// A bundle that can be submitted.
pub struct PreparedBundle {
    pub bundle: Bundle,
    /// The bundle job's configuration.
    pub configuration: Properties,
}

/// Checks a bundle application that was read already, up to the coordinators that it names.
pub fn examine(submission: Submission<'_>, file: &ApplicationFile) -> (Option<PreparedBundle>, Vec<Error>) {
    let (mut configuration, document) = match read(submission, file) {
        Ok(read) => read,
        Err(errors) => return (None, errors),
    };
    let mut problems = xml::check(&document, DocumentKind::Bundle);
    if let Err(error) = complete(DocumentKind::Bundle, &document, &mut configuration) {
        problems.push(error);
        return (None, problems);
    }
    problems.extend(unresolved(DocumentKind::Bundle, Some(&document), submission.properties, &configuration));
    let (bundle, found) =
        bundle::parse(&document, (Knowledge::Complete, &configuration), submission.settings.submit.processing);
    problems.extend(found);
    let problems = at_given_values(problems, submission.properties);
    let refused = problems.iter().any(|problem| !problem.is_warning());
    (bundle.filter(|_| !refused).map(|bundle| PreparedBundle { bundle, configuration }), problems)
}

/// Returns the job configuration with the default file, and the definition.
fn read(submission: Submission<'_>, file: &ApplicationFile) -> Result<(Properties, xml::Document), Vec<Error>> {
    let defaults = default_configuration::default_configuration(file.folder.as_ref(), DEFAULT_FILE)?;
    let configuration = job_configuration(DocumentKind::Bundle, submission.properties, &defaults);
    let configuration = configuration.map_err(|error| vec![error])?;
    Ok((configuration, read_document(file, DocumentKind::Bundle, BUNDLE_PATH)?))
}

/// Returns the refusal of a coordinator that is of the first version of the schema, at the place where the bundle names
/// it.
pub fn too_old(place: &Location) -> Error {
    Error::new(ErrorCode::E1319, "uri:oozie:coordinator:0.1")
        .at(place.clone())
        .help("a bundle starts coordinators from version 0.2 of their schema on")
}

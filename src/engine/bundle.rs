//! What submission of a bundle would say (`BundleSubmitXCommand`, `BundleStartXCommand`), up to the coordinators that it
//! names.
//!
//! Bundles are judged only; there is no bundle job yet.

use crate::bundle::{self, Bundle, Knowledge};
use crate::configuration::{apply_parameters, job_configuration, unresolved};
use crate::engine::source::ApplicationFile;
use crate::engine::submit::{self, BUNDLE_PATH, Submission};
use crate::engine::workflow::create;
use crate::error::{Error, Result};
use crate::model::Properties;
use crate::xml::{self, DocumentKind};

/// The default file beside a bundle.
const DEFAULT_FILE: &str = "bundle-config-default.xml";

/// A bundle that could be submitted.
pub(crate) struct PreparedBundle {
    pub(crate) bundle: Bundle,
    /// The bundle job's configuration.
    pub(crate) configuration: Properties,
}

/// Checks a bundle application that was read already.
pub(crate) fn examine(submission: Submission<'_>, file: &ApplicationFile) -> (Option<PreparedBundle>, Vec<Error>) {
    let (mut configuration, document) = match read(submission, file) {
        Ok(read) => read,
        Err(errors) => return (None, errors),
    };
    let mut problems = xml::check(&document, DocumentKind::Bundle);
    if let Err(error) = apply_parameters(&document, &mut configuration) {
        problems.push(error);
        return (None, problems);
    }
    problems.extend(unresolved(submission.properties, &configuration));
    let (bundle, found) =
        bundle::parse(&document, Knowledge::All(&configuration), submission.settings.submit.processing);
    problems.extend(found);
    let refused = problems.iter().any(|problem| !problem.is_warning());
    (bundle.filter(|_| !refused).map(|bundle| PreparedBundle { bundle, configuration }), problems)
}

/// The job configuration with the default file, and the definition.
fn read(submission: Submission<'_>, file: &ApplicationFile) -> Result<(Properties, xml::Document), Vec<Error>> {
    let defaults = create::default_configuration(file.folder.as_deref(), DEFAULT_FILE)?;
    let configuration = job_configuration(DocumentKind::Bundle, submission.properties, &defaults);
    let configuration = configuration.map_err(|error| vec![error])?;
    Ok((configuration, submit::read_document(file, DocumentKind::Bundle, BUNDLE_PATH)?))
}

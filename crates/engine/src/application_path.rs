//! The properties that name an application, and which of them a job gives.

use howdah_oozie::configuration::{ParsedProperties, resolve_parsed};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobKind;

/// The property that names a coordinator application.
pub const COORDINATOR_PATH: &str = "oozie.coord.application.path";

/// The property that names a workflow application.
pub const WORKFLOW_PATH: &str = "oozie.wf.application.path";

/// The property that names a bundle application.
pub const BUNDLE_PATH: &str = "oozie.bundle.application.path";

/// The property with the id of the bundle to which a coordinator belongs.
pub const BUNDLE_ID: &str = "oozie.bundle.id";

/// Returns which of the application path properties is given. A coordinator of a bundle has the bundle's properties
/// too.
pub fn application_kind(properties: &ParsedProperties) -> Result<JobKind> {
    let given: Vec<&str> = [COORDINATOR_PATH, WORKFLOW_PATH, BUNDLE_PATH]
        .into_iter()
        .filter(|name| properties.values.get(*name).is_some_and(|value| !value.trim().is_empty()))
        .collect();
    match given.as_slice() {
        [COORDINATOR_PATH] => Ok(JobKind::Coordinator),
        [COORDINATOR_PATH, BUNDLE_PATH] if properties.values.contains_key(BUNDLE_ID) => Ok(JobKind::Coordinator),
        [WORKFLOW_PATH] => Ok(JobKind::Workflow),
        [BUNDLE_PATH] => Ok(JobKind::Bundle),
        [] => Err(Error::new(ErrorCode::E0401, COORDINATOR_PATH).help(format!(
            "set {COORDINATOR_PATH}, {WORKFLOW_PATH} or {BUNDLE_PATH} in the properties file or with -D"
        ))),
        [.., last] => Err(properties
            .place(last, Error::new(ErrorCode::E0302, given.join(", ")))
            .help("a job has one application: give exactly one of these properties")),
    }
}

/// Returns the value of an application path property, its references to other properties filled in.
///
/// # Errors
/// E0303 for properties that refer to themselves, E0401 when there is no such property.
pub fn application_path(properties: &ParsedProperties, name: &str) -> Result<String> {
    let path = resolve_parsed(properties)?.remove(name).map(|path| path.trim().to_owned());
    path.filter(|path| !path.is_empty()).ok_or_else(|| Error::new(ErrorCode::E0401, name))
}

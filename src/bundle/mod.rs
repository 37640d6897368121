//! Bundle applications: the coordinators that a `bundle-app` names, and what is wrong with it.
//!
//! Every text of the document is evaluated at submission, with the job's properties and one function, `bundle:conf`.
//! Decides which coordinators there are, which properties override theirs, and how their statuses determine the
//! bundle's. Must not depend on files: the caller reads the applications of the coordinators.

pub(crate) mod job_state;
mod parse;
mod scope;

use crate::error::Location;
use crate::model::Properties;
use crate::model::time::Timestamp;

pub(crate) use parse::parse;

/// A bundle application with everything evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    pub(crate) name: String,
    /// The time at which its coordinators are submitted; `None`: at once.
    pub(crate) kick_off: Option<Timestamp>,
    /// In document order, disabled ones included.
    pub(crate) coordinators: Vec<BundleCoordinator>,
}

/// A coordinator that a bundle names.
#[derive(Clone, Debug)]
pub(crate) struct BundleCoordinator {
    pub(crate) name: String,
    /// Whether the bundle starts it.
    pub(crate) enabled: bool,
    /// The URI of its application.
    pub(crate) app_path: String,
    /// Where the URI is written.
    pub(crate) place: Location,
    /// The properties that override those of the bundle.
    pub(crate) configuration: Properties,
}

impl BundleCoordinator {
    /// Returns the properties that the coordinator is submitted with, when `job` are those of the bundle.
    pub(crate) fn properties(&self, job: &Properties) -> Properties {
        let mut properties = job.clone();
        properties.extend(self.configuration.iter().map(|(name, value)| (name.clone(), value.clone())));
        properties.insert("oozie.coord.application.path".to_owned(), self.app_path.clone());
        properties
    }
}

//! Bundle applications: the coordinators that a `bundle-app` names, and what is wrong with it.
//!
//! Every text of the document is evaluated at submission, with the job's properties and one function, `bundle:conf`.
//! Decides which coordinators there are, which properties override theirs, and how their statuses determine the
//! bundle's. Must not depend on files: the caller reads the applications of the coordinators.

pub mod job_state;
mod parse;
mod scope;

use howdah_words::error::Location;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

pub use parse::parse;

/// A bundle application with everything evaluated.
#[derive(Clone, Debug)]
pub struct Bundle {
    pub name: String,
    /// The time at which its coordinators are submitted; `None`: at once.
    pub kick_off: Option<Timestamp>,
    /// In document order, disabled ones included.
    pub coordinators: Vec<BundleCoordinator>,
}

/// A coordinator that a bundle names.
#[derive(Clone, Debug)]
pub struct BundleCoordinator {
    pub name: String,
    /// Whether the bundle starts it.
    pub enabled: bool,
    /// The URI of its application.
    pub app_path: String,
    /// Where the URI is written.
    pub place: Location,
    /// The properties that override those of the bundle.
    pub configuration: Properties,
}

impl BundleCoordinator {
    /// Returns the properties that the coordinator is submitted with, when `job` are those of the bundle.
    pub fn properties(&self, job: &Properties) -> Properties {
        let mut properties = job.clone();
        properties.extend(self.configuration.iter().map(|(name, value)| (name.clone(), value.clone())));
        properties.insert("oozie.coord.application.path".to_owned(), self.app_path.clone());
        properties
    }
}

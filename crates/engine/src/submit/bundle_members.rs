//! The coordinators of a bundle, each examined as it would be submitted, with the bundle's configuration below its own.
//!
//! Reads files. Must not depend on the database.

use crate::application_path::{BUNDLE_ID, BUNDLE_PATH, COORDINATOR_PATH};
use crate::definition_file::{self, ApplicationFile};
use crate::run_as;
use crate::settings::Settings;
use crate::submit::bundle_definition::too_old;
use crate::submit::coordinator::{PreparedCoordinator, examine_coordinator};
use crate::submit::request::Submission;
use crate::submit::warnings::DataCheck;
use howdah_host::mounts::Mounts;
use howdah_oozie::bundle::{Bundle, BundleCoordinator};
use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode, Location};
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_xml::{self as xml, DocumentKind, SchemaVersion};

/// The machine for the coordinators.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    pub mounts: &'a Mounts,
    pub settings: &'a Settings,
    /// Whether missing data and programs of the machine are reported.
    pub data: DataCheck,
}

/// A coordinator of a bundle, examined.
pub struct PreparedMember {
    /// Its name in the bundle.
    pub name: String,
    /// Where the bundle names its application.
    place: Location,
    /// `None` when it is refused.
    pub coordinator: Option<PreparedCoordinator>,
    /// Everything that was found, including warnings.
    problems: Vec<Error>,
}

impl PreparedMember {
    /// Returns why it is refused: the code of the first reason, and its message with its place and the number of
    /// further reasons; `None` when it is not refused.
    pub fn reason(&self) -> Option<(ErrorCode, String)> {
        let mut reasons = self.problems.iter().filter(|problem| !problem.is_warning());
        let first = reasons.next()?;
        let place = first.location().filter(|place| place.source != self.place.source);
        let place = place.map(|place| {
            let (line, column) = place.line_column();
            format!(" ({}:{line}:{column})", place.source.name)
        });
        let more = match reasons.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        Some((first.code(), format!("{}{}{more}", first.message(), place.unwrap_or_default())))
    }

    /// Returns what the machine cannot tell about it at present (H0113).
    pub fn unknown(&self) -> Option<Error> {
        self.problems.iter().find(|problem| problem.may_pass()).cloned()
    }

    /// Its refusal as one problem of the bundle, E1310.
    pub fn refusal(&self) -> Option<Error> {
        Some(Error::new(ErrorCode::E1310, self.refusal_text()?).at(self.place.clone()))
    }

    /// Its refusal in words.
    pub(crate) fn refusal_text(&self) -> Option<String> {
        let (code, message) = self.reason()?;
        Some(format!("coordinator [{}] cannot be submitted: {code}: {message}", self.name))
    }

    /// Returns everything that was found, and its refusal when the errors are in files that do not name the
    /// coordinator.
    pub fn all_problems(&self) -> impl Iterator<Item = Error> {
        let elsewhere = |problem: &Error| problem.location().is_none_or(|place| place.source != self.place.source);
        let is_elsewhere = self.problems.iter().any(|problem| !problem.is_warning() && elsewhere(problem));
        self.problems.iter().cloned().chain(self.refusal().filter(|_| is_elsewhere))
    }

    /// Returns its refusal as a warning of the bundle, W0119.
    pub fn warning(&self) -> Option<Error> {
        let (code, message) = self.reason()?;
        let reason = format!("{code}: {message}");
        Some(Error::with(ErrorCode::W0119, &[&self.name, &reason]).at(self.place.clone()))
    }
}

/// Examines every enabled coordinator of a bundle, in document order.
pub(crate) fn examine_all(
    machine: Machine<'_>,
    bundle: &Bundle,
    (id, configuration): (&JobId, &Properties),
) -> Vec<PreparedMember> {
    let user = run_as::user(configuration);
    let enabled = bundle.coordinators.iter().filter(|coordinator| coordinator.enabled);
    let prepared = enabled.map(|coordinator| {
        let mut properties = coordinator.properties(configuration);
        let path = app_path(coordinator, configuration);
        properties.insert(COORDINATOR_PATH.to_owned(), path);
        properties.insert(BUNDLE_ID.to_owned(), id.to_string());
        let kept = run_as::keep_user(&mut properties, &user, machine.settings);
        let properties = ParsedProperties::from(properties);
        let (prepared, problems) = match kept {
            Ok(()) => run_as::reader(&user)
                .act(|| examine_one(machine, coordinator, &properties))
                .unwrap_or_else(|refused| (None, vec![refused.at(coordinator.place.clone())])),
            Err(refused) => (None, vec![refused.at(coordinator.place.clone())]),
        };
        PreparedMember {
            name: coordinator.name.clone(),
            place: coordinator.place.clone(),
            coordinator: prepared,
            problems,
        }
    });
    prepared.collect()
}

/// Returns the application path of a coordinator: without scheme it is in the store of the bundle's (decision W30).
pub fn app_path(coordinator: &BundleCoordinator, bundle: &Properties) -> String {
    let own = bundle.get(BUNDLE_PATH).map(String::as_str).unwrap_or_default();
    definition_file::in_store_of(own, &coordinator.app_path)
}

fn examine_one(
    machine: Machine<'_>,
    coordinator: &BundleCoordinator,
    properties: &ParsedProperties,
) -> (Option<PreparedCoordinator>, Vec<Error>) {
    let Machine { mounts, settings, data } = machine;
    let path = properties.values.get(COORDINATOR_PATH).map_or(coordinator.app_path.as_str(), String::as_str);
    match definition_file::read_application(mounts, path, "coordinator.xml") {
        Ok(file) if is_too_old(&file) => (None, vec![too_old(&coordinator.place)]),
        Ok(file) => examine_coordinator(Submission { mounts, settings, properties, data }, file),
        Err(error) => (None, vec![error.at(coordinator.place.clone())]),
    }
}

/// Checks whether the file holds a coordinator of the first version of the schema.
fn is_too_old(file: &ApplicationFile) -> bool {
    xml::read(&file.source).is_ok_and(|document| {
        let namespace = document.root.namespace.as_deref().and_then(xml::split_namespace);
        let version = namespace.map(|(_, version)| version);
        xml::kind_of(&document) == Some(DocumentKind::Coordinator) && version == Some(SchemaVersion::new(0, 1))
    })
}

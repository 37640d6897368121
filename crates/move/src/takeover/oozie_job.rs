//! A job of Oozie as an import wrote it, and what would be submitted of it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::oozie_export::JobState;
use howdah_el::Knowledge;
use howdah_engine::compiled::Application;
use howdah_engine::submit::bundle_definition::PreparedBundle;
use howdah_engine::submit::coordinator::PreparedCoordinator;
use howdah_oozie::bundle;
use howdah_oozie::configuration::{ParsedProperties, complete, resolve, with_user_names};
use howdah_oozie::coordinator::parse::{self, Includes};
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::id::JobKind;
use howdah_xml::{self as xml, DocumentKind};

/// The states of jobs, by their ids in Oozie.
pub type States = BTreeMap<String, JobState>;

/// A job of Oozie with its files.
pub struct OozieJob {
    /// Where its files are, for messages.
    pub place: String,
    pub kind: JobKind,
    pub state: JobState,
    pub definition: String,
    /// The datasets of the included files.
    pub datasets: Option<String>,
    pub properties: ParsedProperties,
}

impl OozieJob {
    /// Returns the coordinator as it would be submitted: with the definition that Oozie has, not the one that the
    /// application has now.
    ///
    /// # Errors
    /// What submission reports.
    pub(super) fn prepare(&self, settings: &SubmitSettings) -> Result<PreparedCoordinator, Vec<Error>> {
        let source = SourceText::new(format!("{}/coordinator.xml", self.place), self.definition.clone());
        let (document, configuration) = self.read(DocumentKind::Coordinator, &source)?;
        // The limit of the frequency applies only at submission, and Oozie has accepted it.
        let settings = SubmitSettings { check_maximum_frequency: false, ..settings.clone() };
        let includes = ImportedIncludes { datasets: self.datasets.as_deref(), read: RefCell::default() };
        let (coordinator, problems) = parse::parse(&document, &configuration, &includes, &settings);
        let coordinator = coordinator.ok_or_else(|| refusals(problems))?;
        let written_end = coordinator.schedule.end;
        Ok(PreparedCoordinator {
            application: Application { coordinator, configuration, written_end },
            app_path: self.state.application.clone(),
            source,
            includes: includes.read.into_inner(),
        })
    }

    /// Returns the bundle as it would be submitted, with the definition that Oozie has.
    ///
    /// # Errors
    /// What submission reports.
    pub(super) fn prepare_bundle(&self, settings: &SubmitSettings) -> Result<PreparedBundle, Vec<Error>> {
        let source = SourceText::new(format!("{}/bundle.xml", self.place), self.definition.clone());
        let (document, configuration) = self.read(DocumentKind::Bundle, &source)?;
        let known = (Knowledge::Complete, &configuration);
        let (bundle, problems) = bundle::parse(&document, known, settings.processing);
        Ok(PreparedBundle { bundle: bundle.ok_or_else(|| refusals(problems))?, configuration })
    }

    /// Returns the definition and the configuration of the job.
    fn read(&self, kind: DocumentKind, source: &Arc<SourceText>) -> Result<(xml::Document, Properties), Vec<Error>> {
        let one = |error| vec![error];
        let document = xml::read(source)?;
        let mut values = self.properties.values.clone();
        values.entry("user.name".to_owned()).or_insert_with(|| self.state.user.clone());
        let mut configuration = resolve(&with_user_names(values)).map_err(one)?;
        complete(kind, &document, &mut configuration).map_err(one)?;
        Ok((document, configuration))
    }
}

fn refusals(problems: Vec<Error>) -> Vec<Error> {
    problems.into_iter().filter(|problem| !problem.is_warning()).collect()
}

/// The included files of an imported job: the first has all datasets, the others none.
struct ImportedIncludes<'a> {
    datasets: Option<&'a str>,
    read: RefCell<BTreeMap<String, Arc<SourceText>>>,
}

impl Includes for ImportedIncludes<'_> {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        let mut read = self.read.borrow_mut();
        if let Some(text) = read.get(uri) {
            return Ok(Arc::clone(text));
        }
        let absent = || Error::with(ErrorCode::E1002, &[&uri, &"the import has no datasets.xml"]);
        let datasets = self.datasets.ok_or_else(absent)?;
        let text = if read.is_empty() { datasets } else { "<datasets/>" };
        let text = SourceText::new(uri.to_owned(), text.to_owned());
        read.insert(uri.to_owned(), Arc::clone(&text));
        Ok(text)
    }
}

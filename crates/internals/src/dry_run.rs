//! The dry run of a workflow definition alone: whether it would be accepted, and what its plan refuses.

use std::collections::BTreeMap;

use howdah_answers::check::dryrun::{self, Setup};
use howdah_engine::settings::Settings;
use howdah_engine::submit::warnings::DataCheck;
use howdah_engine::submit::workflow::{self, PreparedWorkflow};
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::complete;
use howdah_words::error::{Error, SourceText};
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, DocumentKind};

/// Returns the codes with which a workflow definition with these job properties is refused, in their order; none when
/// it has a plan. It does not matter which types of actions this build can run.
#[must_use]
pub fn workflow_refusals(text: &str, properties: &BTreeMap<String, String>) -> Vec<&'static str> {
    let refused = plan(text, properties).err().unwrap_or_default();
    refused.iter().filter(|problem| !problem.is_warning()).map(|problem| problem.code().as_str()).collect()
}

fn plan(text: &str, properties: &BTreeMap<String, String>) -> Result<(), Vec<Error>> {
    let (source, settings) = (SourceText::new("workflow.xml", text), Settings::default());
    let document = xml::read(&source)?;
    workflow::check_length(&source).map_err(|error| vec![error])?;
    let mut configuration = properties.clone();
    complete(DocumentKind::Workflow, &document, &mut configuration).map_err(|error| vec![error])?;
    let (graph, problems) = workflow::check(&document, &configuration, &settings);
    if graph.is_none() {
        return Err(problems);
    }
    let (name, app_path) = ("w".to_owned(), "/w".to_owned());
    let prepared = PreparedWorkflow { name, app_path, source, configuration, promises: Vec::new() };
    let mounts = Mounts::default();
    let setup = Setup { mounts: &mounts, settings: &settings, now: Timestamp::EPOCH, data: DataCheck::Skip };
    dryrun::workflow(&prepared, setup, &[]).map(drop)
}

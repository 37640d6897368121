//! Workflow applications whose files were read shortly before, for a step that starts many jobs of one application.
//!
//! What belongs to one job alone, its configuration, is computed and checked for each. Must not outlive the step: a
//! file that changes counts from the next step on.

use std::collections::HashMap;

use crate::application_path::WORKFLOW_PATH;
use crate::run_as;
use crate::settings::Settings;
use crate::submit::request::Submission;
use crate::submit::warnings::DataCheck;
use crate::submit::workflow::{self, DEFAULT_FILES, PreparedWorkflow, WorkflowFiles};
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::{ParsedProperties, resolve_parsed};
use howdah_words::error::Result;
use howdah_words::model::Properties;

/// The most applications that are kept: their texts may be long.
const MOST: usize = 16;

/// The applications, by what decides which files are read.
#[derive(Debug, Default)]
pub(crate) struct KnownWorkflows(HashMap<Files, WorkflowFiles>);

/// Which files are read, and with whose rights.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Files {
    user: String,
    application: Option<String>,
    defaults: Option<String>,
}

impl Files {
    fn of(properties: &ParsedProperties) -> Option<Self> {
        let mut resolved = resolve_parsed(properties).ok()?;
        let user = run_as::user(&resolved);
        Some(Self { user, application: resolved.remove(WORKFLOW_PATH), defaults: resolved.remove(DEFAULT_FILES) })
    }
}

impl KnownWorkflows {
    /// As [`workflow::prepare`], from files that were read before: looks at no file. `None` when they were not read.
    pub(crate) fn prepare(
        &self,
        (mounts, settings): (&Mounts, &Settings),
        configuration: &Properties,
    ) -> Option<Result<PreparedWorkflow>> {
        let properties = configuration.clone().into();
        let files = self.0.get(&Files::of(&properties)?)?;
        let submission = Submission { mounts, settings, properties: &properties, data: DataCheck::Skip };
        Some(workflow::accepted(workflow::examine_files(submission, files)))
    }

    /// As [`workflow::prepare`]; keeps the files when they can be read.
    pub(crate) fn read_and_prepare(
        &mut self,
        (mounts, settings): (&Mounts, &Settings),
        configuration: &Properties,
    ) -> Result<PreparedWorkflow> {
        let properties = configuration.clone().into();
        let submission = Submission { mounts, settings, properties: &properties, data: DataCheck::Skip };
        let files = match workflow::read(submission) {
            Ok(files) => files,
            Err(problems) => return workflow::accepted((None, problems)),
        };
        let prepared = workflow::accepted(workflow::examine_files(submission, &files));
        if self.0.len() >= MOST {
            self.0.clear();
        }
        self.0.extend(Files::of(&properties).map(|read| (read, files)));
        prepared
    }
}

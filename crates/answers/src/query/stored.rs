//! `info --definition` and `info --configuration`: what of a job is stored, as it was submitted.

use crate::query::context::Query;
use howdah_engine::lookup::Job;
use howdah_engine::stored_properties::read_properties;
use howdah_oozie::configuration::write_configuration;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::id::{JobId, Target};
use howdah_words::model::row::DocumentKey;

/// What `info` shows instead of the job itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The text of the definition.
    Definition,
    /// The properties of the job.
    Configuration,
}

impl Query<'_> {
    /// The definition of a job, the latest one of a coordinator job; as every part of a job without the secret values
    /// that the reader may not see.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn definition(&self, id: &JobId) -> Result<String> {
        Ok(self.veil(id)?.xml(self.snapshot.document(self.documents(id)?.0)?))
    }

    /// The definition of a job, for Oozie's clients: actions and nodes have none.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn definition_of(&self, target: &Target) -> Result<String> {
        match target {
            Target::Job(id) => self.definition(id),
            Target::CoordinatorAction(..) | Target::Node(..) => Err(Error::new(ErrorCode::E0604, target)),
        }
    }

    /// The configuration of a job.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn configuration(&self, id: &JobId) -> Result<Properties> {
        let properties = read_properties(&self.snapshot.document(self.documents(id)?.1)?)?;
        Ok(self.veil(id)?.properties(properties))
    }

    /// Where definition and configuration of a job are.
    pub(super) fn documents(&self, id: &JobId) -> Result<(DocumentKey, DocumentKey)> {
        let job = match Job::of(self.snapshot, id)? {
            Job::Workflow(job) => return Ok((job.definition, job.configuration)),
            Job::Bundle(job) => return Ok((job.definition, job.configuration)),
            Job::Coordinator(job) => job,
        };
        let stored = self.snapshot.coordinator_definition(job.job, job.definition_version)?;
        let missing = || Error::with(ErrorCode::H0107, &[&id, &"the job has no definition"]);
        stored.map(|stored| (stored.definition, stored.configuration)).ok_or_else(missing)
    }
}

/// A configuration as a Hadoop configuration in XML.
pub fn as_xml(configuration: &Properties) -> String {
    write_configuration(configuration)
}

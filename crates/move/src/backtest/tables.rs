//! The tables of an export that are kept while its actions are compared.

use std::collections::HashMap;

use super::job::Job;
use crate::oozie_export::{BundleRow, LocalSeconds, WorkflowRow};

/// The coordinator jobs, in the order of the table, and by id.
pub(super) struct Jobs {
    list: Vec<Job>,
    by_id: HashMap<String, usize>,
}

impl Jobs {
    pub(super) fn new(list: Vec<Job>) -> Self {
        let by_id = list.iter().zip(0..).map(|(job, index)| (job.row.id.clone(), index)).collect();
        Self { list, by_id }
    }

    /// Returns a job and its index.
    pub(super) fn find(&self, id: &str) -> Option<(usize, &Job)> {
        let index = *self.by_id.get(id)?;
        Some((index, &self.list[index]))
    }

    pub(super) fn at(&self, index: usize) -> &Job {
        &self.list[index]
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

/// What is known of a workflow job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    pub(super) created: LocalSeconds,
    /// Whether it was run again: then its creation is not the start of its last run.
    pub(super) is_rerun: bool,
}

/// The kept tables.
pub(super) struct Tables {
    pub(super) jobs: Jobs,
    bundles: HashMap<String, String>,
    workflows: HashMap<String, Started>,
}

impl Tables {
    /// The tables without the workflow jobs.
    pub(super) fn new(jobs: Jobs, bundles: Vec<BundleRow>) -> Self {
        let bundles = bundles.into_iter().map(|bundle| (bundle.id, bundle.name)).collect();
        Self { jobs, bundles, workflows: HashMap::new() }
    }

    /// Adds the workflow jobs.
    pub(super) fn set_workflows(&mut self, workflows: Vec<WorkflowRow>) {
        let started = |row: WorkflowRow| Some((row.id, Started { created: row.created?, is_rerun: row.run > 0 }));
        self.workflows = workflows.into_iter().filter_map(started).collect();
    }

    /// Returns the name of a bundle.
    pub(super) fn bundle(&self, id: &str) -> Option<&str> {
        self.bundles.get(id).map(String::as_str)
    }

    /// Returns what is known of a workflow job.
    pub(super) fn workflow(&self, id: &str) -> Option<Started> {
        self.workflows.get(id).copied()
    }
}

//! The starts of actions that an export shows.

use std::collections::BTreeMap;

use super::compared::Compared;
use crate::oozie_export::LocalSeconds;
use howdah_words::model::time::Timestamp;

/// A start that an export shows.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) number: u32,
    pub(super) nominal: Timestamp,
    pub(super) created: LocalSeconds,
    pub(super) workflow: String,
}

/// The starts of each job, by its index.
#[derive(Default)]
pub(super) struct Starts {
    pub(super) by_job: BTreeMap<usize, Vec<Start>>,
    /// How many pairs of starts were compared.
    pub(super) compared: u64,
}

impl Starts {
    /// Adds the start of an action, if it can be compared: the action has no inputs, and was not run again.
    pub(super) fn add(&mut self, compared: &Compared) {
        if !compared.is_without_inputs || compared.row.rerun.is_some() {
            return;
        }
        let Some((created, workflow)) = compared.row.created.zip(compared.row.external_id.clone()) else { return };
        let start = Start { number: compared.number, nominal: compared.nominal, created, workflow };
        self.by_job.entry(compared.job).or_default().push(start);
    }
}

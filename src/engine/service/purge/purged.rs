//! What a purge deleted.

use serde::Serialize;

use crate::error::Error;
use crate::store::{Counts, Kind};

/// What was deleted or would be deleted.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Purged {
    pub(crate) bundles: u64,
    pub(crate) coordinators: u64,
    pub(crate) actions: u64,
    pub(crate) workflows: u64,
    pub(crate) nodes: u64,
    pub(crate) attempts: u64,
    pub(crate) events: u64,
    pub(crate) deliveries: u64,
    pub(crate) sla_registrations: u64,
    /// Texts that are no longer used; `None` in a dry run, which does not look for them.
    pub(crate) texts: Option<u64>,
    /// Folders of workflow jobs.
    pub(crate) folders: u64,
    /// Bytes of the disk that the folders occupied.
    pub(crate) folder_bytes: u64,
    /// Free bytes in the database's file, which are used again.
    pub(crate) free_bytes: u64,
    /// Folders that could not be deleted; the next purge tries again.
    #[serde(skip)]
    pub(crate) faults: Vec<Error>,
}

impl Purged {
    /// Checks whether nothing was old enough.
    pub(crate) fn is_empty(&self) -> bool {
        self.bundles + self.coordinators + self.workflows + self.folders + self.texts.unwrap_or_default() == 0
            && self.faults.is_empty()
    }

    pub(crate) fn count(&mut self, rows: &Counts) {
        let of = |kind: Kind| rows.get(&kind).copied().unwrap_or_default();
        self.bundles = of(Kind::Bundles);
        self.coordinators = of(Kind::Coordinators);
        self.actions = of(Kind::Actions);
        self.workflows = of(Kind::Workflows);
        self.nodes = of(Kind::Nodes);
        self.attempts = of(Kind::Attempts);
        self.events = of(Kind::Events);
        self.deliveries = of(Kind::Deliveries);
        self.sla_registrations = of(Kind::Sla);
    }
}

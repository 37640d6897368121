//! What a purge deleted.

use serde::Serialize;

use howdah_store::{Counts, Kind};
use howdah_words::error::Error;

/// What was deleted or would be deleted.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Purged {
    pub bundles: u64,
    pub coordinators: u64,
    pub actions: u64,
    pub workflows: u64,
    pub nodes: u64,
    pub attempts: u64,
    pub events: u64,
    pub deliveries: u64,
    pub sla_registrations: u64,
    /// Texts that are no longer used; `None` in a dry run, which does not look for them.
    pub texts: Option<u64>,
    /// Folders of workflow jobs.
    pub folders: u64,
    /// Bytes of the disk that the folders occupied.
    pub folder_bytes: u64,
    /// Free bytes in the database's file, which are used again.
    pub free_bytes: u64,
    /// Folders that could not be deleted; the next purge tries again.
    #[serde(skip)]
    pub faults: Vec<Error>,
}

impl Purged {
    /// Checks whether nothing was old enough.
    pub fn is_empty(&self) -> bool {
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

//! One comparison of a recorded action with its computation, as far as it has come.

use super::difference::{Difference, Field, Ruling};
use super::job::{Compiled, Job};
use super::presence::Recorded;
use crate::oozie_export::{ActionRow, Missing, RecordedAction};
use howdah_calendar::ProcessingZone;
use howdah_words::model::time::Timestamp;

/// An action of an export, decoded.
pub(super) struct Action<'a> {
    pub(super) row: &'a ActionRow,
    pub(super) number: u32,
    pub(super) nominal: Timestamp,
    pub(super) recorded: &'a RecordedAction,
    pub(super) missing: &'a [Missing],
    /// The last instant at which Oozie can have looked for instances, if it is known.
    pub(super) modified: Option<Timestamp>,
}

/// One comparison.
pub(super) struct Comparison<'a> {
    pub(super) job: &'a Job,
    pub(super) compiled: &'a Compiled,
    pub(super) action: &'a Action<'a>,
    pub(super) differences: Vec<Difference>,
}

impl Comparison<'_> {
    /// Reports a field that differs.
    pub(super) fn differs(&mut self, field: Field, (recorded, computed): (String, String), ruling: Option<Ruling>) {
        self.differences.push(Difference { field, name: None, recorded, computed, ruling });
    }

    /// Reports a field of an event or a property that differs.
    pub(super) fn named(
        &mut self,
        (field, name): (Field, &str),
        (recorded, computed): (String, String),
        ruling: Option<Ruling>,
    ) {
        self.differences.push(Difference { field, name: Some(name.to_owned()), recorded, computed, ruling });
    }

    pub(super) fn processing(&self) -> ProcessingZone {
        self.compiled.application.coordinator.schedule.processing
    }

    /// Returns the dependencies of which the record says whether they were there.
    pub(super) fn presence(&self) -> Recorded {
        let mut found = Recorded::default();
        for missing in self.action.missing {
            if let Missing::Logic(events) = missing {
                for (dependency, was_there) in events.iter().flat_map(|event| &event.instances) {
                    *found.0.entry(dependency.clone()).or_default() |= was_there;
                }
            }
        }
        found
    }
}

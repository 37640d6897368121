//! Recomputes one action from its job's definition, and compares it with what Oozie recorded.

use super::difference::{Difference, Field, Ruling};
use super::instances;
use super::job::{Compiled, Job};
use super::presence::Recorded;
use super::{configuration, dependencies};
use crate::calendar::ProcessingZone;
use crate::coordinator::action::ResolvedAction;
use crate::model::time::Timestamp;
use crate::oozie_export::{ActionRow, Missing, RecordedAction};

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

impl<'a> Comparison<'a> {
    /// Compares an action; returns what differs.
    pub(super) fn run(job: &'a Job, compiled: &'a Compiled, action: &'a Action<'a>) -> Vec<Difference> {
        let mut comparison = Self { job, compiled, action, differences: Vec::new() };
        comparison.number();
        comparison.nominal_time();
        comparison.timeout();
        comparison.app_path();
        comparison.instances();
        comparison.differences
    }

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

    fn number(&mut self) {
        let Action { row, number, recorded, .. } = self.action;
        let computed = format!("{}@{number}", row.job);
        if row.id != computed {
            self.differs(Field::Number, (row.id.clone(), computed), None);
        }
        if let Some(written) = recorded.number.as_ref().filter(|written| **written != number.to_string()) {
            self.differs(Field::Number, (written.clone(), number.to_string()), None);
        }
    }

    fn nominal_time(&mut self) {
        let Action { number, nominal, .. } = *self.action;
        let computed = self.compiled.times.at(number);
        if computed == Some(nominal) {
            return;
        }
        let shifted = self.compiled.shifted_times.as_ref().and_then(|times| times.at(number));
        let ruling = (shifted == Some(nominal)).then_some(Ruling::C25);
        let show = |at: Timestamp| self.processing().format(at);
        let texts = (show(nominal), computed.map_or_else(|| "no such action".to_owned(), show));
        self.differs(Field::NominalTime, texts, ruling);
    }

    fn timeout(&mut self) {
        let recorded = self.action.row.timeout_minutes;
        let computed = self.compiled.application.coordinator.controls.timeout_minutes;
        if recorded == computed {
            return;
        }
        let is_of_job = recorded == self.job.row.timeout_minutes;
        let is_capped = computed < 0 || computed > recorded;
        let ruling = match self.compiled.has_timeout {
            false if is_of_job => Some(Ruling::C2),
            true if is_of_job && is_capped => Some(Ruling::C3),
            _ => None,
        };
        self.differs(Field::Timeout, (recorded.to_string(), computed.to_string()), ruling);
    }

    fn app_path(&mut self) {
        let (recorded, computed) = (&self.action.recorded.app_path, &self.compiled.application.coordinator.app_path);
        if recorded != computed {
            self.differs(Field::AppPath, (recorded.clone(), computed.clone()), None);
        }
    }

    /// Compares what depends on the instances of the action.
    fn instances(&mut self) {
        let application = &self.compiled.application;
        let resolved = match application.coordinator.resolve(application.scope(), self.action.nominal) {
            Ok(resolved) => resolved,
            Err(error) => return self.differs(Field::Creation, ("created".to_owned(), error.to_string()), None),
        };
        dependencies::compare(self, &resolved);
        let resolved = instances::compare(self, resolved);
        configuration::compare(self, resolved);
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

/// What an action's events resolve to, in howdah's order and in Oozie's.
pub(super) struct BothOrders {
    pub(super) computed: ResolvedAction,
    /// `None` when all lists have the same order.
    pub(super) recorded: Option<ResolvedAction>,
}

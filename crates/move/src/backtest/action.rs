//! Recomputes one action from its job's definition, and compares it with what Oozie recorded.

use super::comparison::{Action, Comparison};
use super::difference::{Difference, Field, Ruling};
use super::job::{Compiled, Job};
use super::{configuration, dependencies, instances};
use howdah_words::model::time::Timestamp;

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
        configuration::compare(self, &resolved);
    }
}

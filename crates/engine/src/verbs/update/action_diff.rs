//! Which future actions an update changes: a preview of each is created from the old definition and from the new one.
//!
//! Reads no data: a search stays an expression. Must not store anything.

use crate::compiled::Application;
use crate::preview::Trial;
use howdah_oozie::configuration::resolve;
use howdah_oozie::coordinator::action::{ResolvedEvent, Slot};
use howdah_words::error::Result;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::Timestamp;

/// The differences of one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionChange {
    pub number: u32,
    /// Its nominal time by the new definition, or by the old one when the new one has no such action.
    pub nominal: String,
    pub changes: Vec<Change>,
}

/// One value before and after; `None` where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub aspect: Aspect,
    /// The name of the event, the property or the attribute; empty where there is only one.
    pub name: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

/// The kind of a changed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    NominalTime,
    Input,
    Output,
    Workflow,
    Property,
}

impl Aspect {
    /// Returns the word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NominalTime => "nominal time",
            Self::Input => "input",
            Self::Output => "output",
            Self::Workflow => "workflow",
            Self::Property => "property",
        }
    }
}

/// The values of one action, in the order in which they are shown.
type Values = Vec<(Aspect, String, String)>;

/// Two versions of a job's definition.
pub(crate) struct Versions<'a> {
    pub job: &'a CoordinatorJob,
    /// `None` when it can no longer be read: then nothing is compared.
    pub old: Option<&'a Application>,
    pub new: &'a Application,
    pub now: Timestamp,
}

impl Versions<'_> {
    /// Returns how many of the next `most` actions there are, and those that differ.
    ///
    /// # Errors
    /// E1004, E1010 and E0303 when the new definition cannot create one of them.
    pub(super) fn compare(&self, most: u32) -> Result<(u32, Vec<ActionChange>)> {
        if self.job.done_materialization {
            return Ok((0, Vec::new()));
        }
        let before: Vec<_> = self.old.map_or_else(Vec::new, |old| self.next(old, most));
        self.compare_lists(&before, &self.next(self.new, most))
    }

    /// Compares the next actions of the job with those of the new definition from a position on, for another job.
    ///
    /// # Errors
    /// As [`Self::compare`].
    pub(crate) fn compare_from(
        &self,
        (number, nominal): (u32, Timestamp),
        most: u32,
    ) -> Result<(u32, Vec<ActionChange>)> {
        let is_over = self.job.done_materialization;
        let before: Vec<_> = self.old.filter(|_| !is_over).map_or_else(Vec::new, |old| self.next(old, most));
        let after = self.new.coordinator.schedule.actions_from(number, nominal).take(most as usize);
        self.compare_lists(&before, &after.collect::<Vec<_>>())
    }

    fn compare_lists(
        &self,
        before: &[(u32, Timestamp)],
        after: &[(u32, Timestamp)],
    ) -> Result<(u32, Vec<ActionChange>)> {
        let processing = self.new.coordinator.schedule.processing;
        let mut changed = Vec::new();
        let count = before.len().max(after.len());
        for place in 0..count {
            let (old, new) = (before.get(place).copied(), after.get(place).copied());
            let Some((number, nominal)) = new.or(old) else { break };
            // An action that the old definition cannot create has no values to compare.
            let old = self.old.zip(old).and_then(|(old, action)| self.values(old, action).ok()).unwrap_or_default();
            let new = new.map(|action| self.values(self.new, action)).transpose();
            let nominal = processing.format(nominal);
            let new = new.map_err(|error| error.help(format!("action {number} at {nominal} could not be created")))?;
            let changes = changes(&old, &new.unwrap_or_default());
            if self.old.is_some() && !changes.is_empty() {
                changed.push(ActionChange { number, nominal, changes });
            }
        }
        let compared = if self.old.is_some() { count } else { 0 };
        Ok((u32::try_from(compared).unwrap_or(u32::MAX), changed))
    }

    /// Number and nominal time of the next actions; the end is the job's, which may have been changed since.
    fn next(&self, application: &Application, most: u32) -> Vec<(u32, Timestamp)> {
        let mut schedule = application.coordinator.schedule.clone();
        schedule.end = self.job.end_at;
        let first = self.job.last_action_number.saturating_add(1);
        schedule.actions_from(first, schedule.start).take(most as usize).collect()
    }

    fn values(&self, application: &Application, (number, nominal): (u32, Timestamp)) -> Result<Values> {
        let trial = Trial::new(application, (number, nominal), self.now);
        let (resolved, _) = trial.resolve(None)?;
        let coordinator = &application.coordinator;
        let mut values = vec![(Aspect::NominalTime, String::new(), coordinator.schedule.processing.format(nominal))];
        let of_event = |aspect, event: &ResolvedEvent| (aspect, event.name.clone(), instances(event));
        values.extend(resolved.inputs.iter().map(|event| of_event(Aspect::Input, event)));
        values.extend(resolved.outputs.iter().map(|event| of_event(Aspect::Output, event)));
        values.push((Aspect::Workflow, String::new(), coordinator.app_path.clone()));
        let own = trial.own_configuration(&resolved)?;
        let given = resolve(&trial.workflow_configuration(&own))?;
        values.extend(given.into_iter().map(|(name, value)| (Aspect::Property, name, value)));
        Ok(values)
    }
}

fn instances(event: &ResolvedEvent) -> String {
    let text = |slot: &Slot| match slot {
        Slot::Instance(instance) => instance.uri.clone(),
        Slot::Search(search) => search.text(),
    };
    event.slots.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Returns what differs, in the order of the new values; removed values come last.
fn changes(old: &Values, new: &Values) -> Vec<Change> {
    let find = |values: &Values, (aspect, name): (Aspect, &str)| {
        values.iter().find(|(other, of, _)| (*other, of.as_str()) == (aspect, name)).map(|(_, _, value)| value.clone())
    };
    let mut changes = Vec::new();
    for (aspect, name, value) in new {
        let before = find(old, (*aspect, name));
        if before.as_ref() != Some(value) {
            changes.push(Change { aspect: *aspect, name: name.clone(), old: before, new: Some(value.clone()) });
        }
    }
    for (aspect, name, value) in old {
        if find(new, (*aspect, name)).is_none() {
            changes.push(Change { aspect: *aspect, name: name.clone(), old: Some(value.clone()), new: None });
        }
    }
    changes.sort_by_key(|change| change.aspect);
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values are written `name=value`; `expect` as `name: old -> new`.
    fn check(old: &[&str], new: &[&str], expect: &[&str]) {
        let values = |texts: &[&str]| -> Values {
            let parts = texts.iter().map(|text| text.split_once('=').unwrap());
            parts.map(|(name, value)| (Aspect::Property, name.to_owned(), value.to_owned())).collect()
        };
        let got: Vec<String> = changes(&values(old), &values(new))
            .into_iter()
            .map(|change| {
                let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
                format!("{}: {} -> {}", change.name, text(change.old), text(change.new))
            })
            .collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn values_that_differ_come_and_go() {
        check(&["a=1"], &["a=1"], &[]);
        check(&["a=1", "b=2"], &["b=3", "c=4"], &["b: 2 -> 3", "c: - -> 4", "a: 1 -> -"]);
        check(&[], &["a="], &["a: - -> "]);
    }
}

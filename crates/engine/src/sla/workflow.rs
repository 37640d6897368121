//! Registrations of workflow jobs and of their actions: created together when the job is submitted, and restarted when
//! it runs again (`SubmitXCommand`, `ReRunXCommand`; coordinator specification 12).
//!
//! An action is registered before it is reached, so an action that never starts is late as well. Alerts can be disabled
//! only for coordinators, so these registrations always have alerts, as in Oozie.

use howdah_oozie::sla::machine::SlaMachine as _;
use std::collections::BTreeSet;

use crate::sla::registration::{row, unreachable_contacts};
use howdah_calendar::ProcessingZone;
use howdah_oozie::sla::registration::{Registration, check_value};
use howdah_oozie::workflow::sla::{SlaElement, SlaValue, elements};
use howdah_store::{DeliverySubject, Transaction};
use howdah_words::error::{Error, ErrorCode, Location, Result};
use howdah_words::model::Properties;
use howdah_words::model::row::{SlaRegistration, WorkflowJob};
use howdah_words::model::time::Timestamp;
use howdah_xml::Document;

/// What an SLA element of a workflow application promises.
#[derive(Clone, Debug)]
pub struct Promise {
    /// The action that it is about; `None`: the whole job.
    node: Option<String>,
    promised: Registration,
}

impl Promise {
    fn row(&self, job: &WorkflowJob, now: Timestamp) -> SlaRegistration {
        let subject = self
            .node
            .as_deref()
            .map_or(DeliverySubject::Workflow(job.job), |node| DeliverySubject::Node(job.job, node));
        row(subject, (&job.name, &job.user), self.promised.clone(), now)
    }
}

/// Returns what a workflow application promises with these job properties, and what is wrong with that: E1004 for a
/// text that cannot be evaluated, E1007 for one that is no time or span, W0160 for a contact to whom no mail can be
/// sent.
pub fn read(document: &Document, configuration: &Properties, processing: ProcessingZone) -> (Vec<Promise>, Vec<Error>) {
    let (mut promises, mut problems) = (Vec::new(), Vec::new());
    for element in elements(document) {
        let (values, mut errors) = element.evaluated(configuration);
        errors.extend(refused_values(&element, &values, processing));
        if errors.is_empty() {
            let given = values.iter().map(|value| (value.name.clone(), value.value.clone())).collect();
            match Registration::read(&given, processing) {
                Ok(promised) => promises.push(Promise { node: element.node.map(str::to_owned), promised }),
                Err(error) => errors.push(refusal(&element, &error, element.place())),
            }
        }
        problems.extend(errors);
        let contacts = values.iter().filter(|value| value.name == "alert-contact");
        problems.extend(
            contacts.flat_map(|list| unreachable_contacts(&list.value).map(|warning| warning.at(list.place.clone()))),
        );
    }
    (promises, problems)
}

/// Returns what is wrong with the SLA elements of a workflow application whatever the properties of its job are: E1007.
pub fn check_literals(document: &Document, processing: ProcessingZone) -> Vec<Error> {
    elements(document).flat_map(|element| refused_values(&element, &element.literals(), processing)).collect()
}

fn refused_values(element: &SlaElement<'_>, values: &[SlaValue], processing: ProcessingZone) -> Vec<Error> {
    let refused = |value: &SlaValue| {
        let error = check_value(&value.name, &value.value, processing).err()?;
        Some(refusal(element, &error, value.place.clone()))
    };
    values.iter().filter_map(refused).collect()
}

fn refusal(element: &SlaElement<'_>, error: &Error, place: Location) -> Error {
    let refused = Error::with(ErrorCode::E1007, &[&element.subject(), &error.message()]).at(place);
    error.help_text().map(str::to_owned).into_iter().fold(refused, Error::help)
}

/// Registers a new workflow job and its actions.
///
/// # Errors
/// A failure of the database.
pub fn register(transaction: &Transaction<'_>, job: &WorkflowJob, promises: &[Promise], now: Timestamp) -> Result<()> {
    promises.iter().try_for_each(|promise| transaction.insert_sla(&promise.row(job, now)))
}

/// Restarts the registrations of a workflow job that runs again, with what its definition promises now; their earlier
/// events stay recorded. Those of the `kept` nodes stay unchanged; promises that the definition does not have any more
/// are not checked.
///
/// # Errors
/// A failure of the database.
pub(crate) fn register_again(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    (promises, kept): (&[Promise], &BTreeSet<String>),
    now: Timestamp,
) -> Result<()> {
    let is_kept = |node: &Option<String>| node.as_ref().is_some_and(|node| kept.contains(node));
    let before = transaction.sla_of_workflow(job.job)?;
    for promise in promises.iter().filter(|promise| !is_kept(&promise.node)) {
        match before.iter().find(|registration| registration.node == promise.node) {
            None => transaction.insert_sla(&promise.row(job, now))?,
            Some(SlaRegistration { sla, run, created_at, .. }) => transaction.update_sla(&SlaRegistration {
                sla: *sla,
                run: run + 1,
                created_at: *created_at,
                ..promise.row(job, now)
            })?,
        }
    }
    let is_promised = |node: &Option<String>| promises.iter().any(|promise| promise.node == *node);
    for mut registration in before.into_iter().filter(|before| !is_kept(&before.node) && !is_promised(&before.node)) {
        registration.close();
        registration.modified_at = now;
        transaction.update_sla(&registration)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml as xml;

    /// Returns a workflow with two promises: of the action `load`, then of the job with the children `own`.
    fn document(own: &str) -> Document {
        let text = format!(
            "<workflow-app><action name='load'><fs/><info><nominal-time>${{at}}</nominal-time>\
             <should-end>${{1 * HOURS}}</should-end></info></action><info>{own}</info></workflow-app>"
        );
        xml::read(&SourceText::new("w.xml", text)).unwrap()
    }

    /// The promises, and the codes of what is wrong.
    fn check(own: &str, promised: &[&str], problems: &[&str]) {
        let properties = Properties::from([("at".to_owned(), "2026-03-01T00:00Z".to_owned())]);
        let (promises, found) = read(&document(own), &properties, ProcessingZone::UTC);
        let read_promises = promises.iter().map(|promise| {
            let end = promise.promised.expected_end - promise.promised.nominal;
            format!("{} {end}", promise.node.as_deref().unwrap_or("-"))
        });
        assert_eq!(read_promises.collect::<Vec<_>>(), promised, "{own}");
        assert_eq!(found.iter().map(|problem| problem.code().as_str()).collect::<Vec<_>>(), problems, "{own}");
    }

    #[test]
    fn promises_are_read_with_the_properties_of_the_job() {
        let nominal = "<nominal-time>${at}</nominal-time>";
        let with = |rest: &str| format!("{nominal}{rest}");
        check(&with("<should-end>30</should-end>"), &["- 1800", "load 3600"], &[]);
        check(&with("<should-end>${-30}</should-end>"), &["load 3600"], &["E1007"]);
        check(&with("<should-end>${none}</should-end>"), &["load 3600"], &["E1004"]);
        check(&with(""), &["load 3600"], &["E1007"]);
        check(
            &with("<should-end>1</should-end><alert-contact>a@example.com, nobody</alert-contact>"),
            &["- 60", "load 3600"],
            &["W0160"],
        );
    }

    #[test]
    fn invalid_literals_are_found_without_properties() {
        let of = |own: &str| check_literals(&document(own), ProcessingZone::UTC).len();
        assert_eq!(of("<nominal-time>now</nominal-time><should-end>${end}</should-end>"), 1);
        assert_eq!(of("<nominal-time>${now}</nominal-time><should-end>soon</should-end>"), 1);
        assert_eq!(of("<nominal-time>2026-03-01T00:00Z</nominal-time><should-end>9</should-end>"), 0);
    }
}

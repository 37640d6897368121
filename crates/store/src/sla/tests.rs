//! Registrations of every kind, the due ones among them, and their events.

use super::super::Store;
use super::super::testing::{NOW, actions, coordinator, fresh, node, workflow};
use super::*;
use howdah_testing::rows::sla_registration;
use howdah_words::model::row::{ActionKey, SlaRegistration};
use howdah_words::model::status::SlaSubject;

fn registration(subject: SlaSubject) -> SlaRegistration {
    SlaRegistration {
        subject,
        created_at: NOW,
        modified_at: NOW,
        nominal_at: NOW,
        expected_start_at: Some(NOW + 60),
        expected_end_at: NOW + 600,
        expected_seconds: Some(540),
        alert_events: Some("START_MISS,END_MISS".to_owned()),
        alert_contact: Some("ops@example.com".to_owned()),
        notification_message: Some("late".to_owned()),
        upstream_apps: Some("other".to_owned()),
        due_at: Some(NOW),
        ..sla_registration()
    }
}

/// Registrations of two actions, a workflow job and a node of it.
fn stored() -> (tempfile::TempDir, Store, ActionKey) {
    let (folder, mut store) = fresh();
    let first = store
        .transact(|transaction| {
            let first = ActionKey { job: coordinator(transaction)?.job, number: 1 };
            actions(transaction, first, 2)?;
            let flow = workflow(transaction)?.job;
            transaction.insert_workflow_node(&node(flow, "load", 1))?;
            for number in [1, 2] {
                transaction.insert_sla(&SlaRegistration {
                    coordinator_job: Some(first.job),
                    action_number: Some(number),
                    due_at: Some(NOW + i64::from(number)),
                    ..registration(SlaSubject::CoordinatorAction)
                })?;
            }
            let of_job = registration(SlaSubject::WorkflowJob);
            transaction.insert_sla(&SlaRegistration { workflow_job: Some(flow), due_at: None, ..of_job })?;
            transaction.insert_sla(&SlaRegistration {
                workflow_job: Some(flow),
                node: Some("load".to_owned()),
                due_at: None,
                app_name: "load".to_owned(),
                ..registration(SlaSubject::WorkflowAction)
            })?;
            Ok(first)
        })
        .unwrap();
    (folder, store, first)
}

/// The ids of the matches, without the database's stamp.
fn check(store: &Store, filter: &SlaFilter, expect: &[&str]) {
    let (rows, total) = store.read(|snapshot| snapshot.sla_page(filter, Page { offset: 0, len: 10 })).unwrap();
    let ids: Vec<String> = rows.iter().map(|row| row.id.replace("-261120093000123-oozie-oozi", "")).collect();
    assert_eq!(
        (ids.as_slice(), total as usize),
        (expect.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>().as_slice(), expect.len()),
        "{filter:?}"
    );
}

#[test]
fn registrations_of_every_kind_are_listed() {
    let (_folder, store, _) = stored();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let all = ["0000000-C@1", "0000000-C@2", "0000001-W", "0000001-W@load"];
    check(&store, &SlaFilter::default(), &all);
    check(
        &store,
        &SlaFilter { ids: words(&["0000000-261120093000123-oozie-oozi-C"]), ..SlaFilter::default() },
        &all[..2],
    );
    check(
        &store,
        &SlaFilter { parents: words(&["0000001-261120093000123-oozie-oozi-W"]), ..SlaFilter::default() },
        &all[3..],
    );
    check(&store, &SlaFilter { app_names: words(&["l*", "x"]), ..SlaFilter::default() }, &all[3..]);
    check(&store, &SlaFilter { subjects: words(&["WORKFLOW_*"]), ..SlaFilter::default() }, &all[2..]);
    check(&store, &SlaFilter { events: words(&["END_MISS"]), ..SlaFilter::default() }, &[]);
    let bounds = Bounds { from: Some(NOW.seconds() + 1), until: None };
    check(&store, &SlaFilter { nominal: bounds, ..SlaFilter::default() }, &[]);
    let bounds = Bounds { from: None, until: Some(540_000) };
    check(&store, &SlaFilter { expected_duration: bounds, ..SlaFilter::default() }, &all);
}

#[test]
fn tick_reads_what_is_due_and_what_was_touched() {
    let (_folder, mut store, first) = stored();
    let numbers = |store: &Store, at| -> Vec<Option<u32>> {
        let due = store.read(|snapshot| snapshot.due_sla(at, 10)).unwrap();
        due.iter().map(|row| row.action_number).collect()
    };
    assert_eq!(numbers(&store, NOW), []);
    assert_eq!(numbers(&store, NOW + 2), [Some(1), Some(2)]);
    let mut row = store.read(|snapshot| snapshot.sla_of_action(first)).unwrap().unwrap();
    row.due_at = None;
    store.transact(|transaction| transaction.update_sla(&row)).unwrap();
    assert_eq!(numbers(&store, NOW + 2), [Some(2)]);
    store.transact(|transaction| transaction.touch_sla(first, NOW)).unwrap();
    assert_eq!(numbers(&store, NOW), [Some(1)]);
    (row.processed, row.due_at) = (8, None);
    store.transact(|transaction| transaction.update_sla(&row)).unwrap();
    store.transact(|transaction| transaction.touch_sla(first, NOW)).unwrap();
    assert_eq!(numbers(&store, NOW), []);
}

#[test]
fn a_workflow_job_and_its_nodes_are_found_and_touched_together() {
    let (_folder, mut store, _) = stored();
    let job = store.read(super::super::Snapshot::active_workflow_jobs).unwrap()[0].job;
    let of_job = |store: &Store| store.read(|snapshot| snapshot.sla_of_workflow(job)).unwrap();
    let due = |store: &Store| -> Vec<(Option<String>, Option<Timestamp>)> {
        of_job(store).into_iter().map(|row| (row.node, row.due_at)).collect()
    };
    let node = Some("load".to_owned());
    assert_eq!(due(&store), [(None, None), (node.clone(), None)]);
    let over = SlaRegistration { processed: 8, app_name: "other".to_owned(), ..of_job(&store).remove(0) };
    store.transact(|transaction| transaction.update_sla(&over)).unwrap();
    store.transact(|transaction| transaction.touch_workflow_sla(job, NOW)).unwrap();
    assert_eq!(due(&store), [(None, None), (node, Some(NOW))]);
    assert_eq!(of_job(&store)[0], over);
}

#[test]
fn an_event_is_recorded_once_in_a_run() {
    let (_folder, mut store, first) = stored();
    let mut row = store.read(|snapshot| snapshot.sla_of_action(first)).unwrap().unwrap();
    let record = |store: &mut Store, row: &SlaRegistration| {
        store.transact(|transaction| {
            transaction.update_sla(row)?;
            transaction.insert_sla_event(row, SlaEvent::EndMiss, NOW, Alert::Told)
        })
    };
    record(&mut store, &row).unwrap();
    assert!(record(&mut store, &row).is_err());
    row.run += 1;
    record(&mut store, &row).unwrap();
    let summary = store.read(|snapshot| snapshot.sla_summary(row.sla)).unwrap();
    assert_eq!(summary.events, [SlaEvent::EndMiss]);
}

#[test]
fn a_registration_disappears_with_its_action() {
    let (_folder, mut store, first) = stored();
    let row = store.read(|snapshot| snapshot.sla_of_action(first)).unwrap().unwrap();
    store.transact(|transaction| transaction.insert_sla_event(&row, SlaEvent::EndMiss, NOW, Alert::Silent)).unwrap();
    store.file.connection.execute("DELETE FROM coordinator_action WHERE number = 1", []).unwrap();
    assert_eq!(store.read(|snapshot| snapshot.sla_of_action(first)).unwrap(), None);
}

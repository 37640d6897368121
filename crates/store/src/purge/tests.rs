//! Families that are over, families that are not, and a check that a purge covers every table of the schema.

use std::collections::BTreeSet;

use super::super::testing::{NOW, actions, bundle, coordinator, fresh, node, workflow};
use super::super::{Birth, OpenMode};
use super::*;
use crate::column::{Columns as _, params};
use howdah_words::error::ErrorCode;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::ActionKey;
use howdah_words::model::row::WorkflowKey;
use howdah_words::model::status::WorkflowStatus;

const ENDED: EndedBefore = EndedBefore { workflow: NOW, coordinator: NOW, bundle: NOW };

/// Every column that refers to another table, as `table.column -> table`.
fn references(store: &Store) -> BTreeSet<String> {
    let sql = "SELECT format('%s.%s -> %s', m.name, k.\"from\", k.\"table\")
        FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS k WHERE m.type = 'table'";
    let rows =
        |connection: &rusqlite::Connection| connection.prepare(sql)?.query_map([], |row| row.column(0))?.collect();
    store.file.run(rows).unwrap()
}

/// A new table of a job, or a new column that refers to a text, must be added here, or a purge fails or deletes too
/// much.
#[test]
fn every_reference_of_the_schema_is_known() {
    let (_folder, store) = fresh();
    let tables = tables();
    for reference in references(&store) {
        let (from, to) = reference.split_once(" -> ").unwrap();
        let (table, column) = from.split_once('.').unwrap();
        // What SQLite deletes together with the row that it refers to, and what outlives that row.
        let cascades = ["sla_event", "condemned", "repair", "repair_step", "policy_rerun", "shadow_job"];
        let cascades = cascades.contains(&table) || matches!(table, "takeover" | "bundle_takeover");
        if to == "document" {
            let named = include_str!("../sql/purge/referenced_documents.sql");
            assert!(named.contains(&format!("SELECT {column} FROM {table}")), "{reference}");
        } else {
            assert!(cascades || tables.contains(table), "{reference}");
        }
    }
}

/// The tables from which a purge deletes.
fn tables() -> BTreeSet<&'static str> {
    let all = [rows::OF_WORKFLOWS, rows::PARTS_OF_COORDINATOR, rows::OF_COORDINATOR, rows::OF_BUNDLE];
    let ranges = rows::RANGES_OF_COORDINATOR;
    let all = all.into_iter().flatten().map(|rows| rows.of).chain([ranges]);
    all.map(|of| of.split(' ').next().unwrap_or_default()).collect()
}

/// A workflow job that ended at a given time, below another one.
fn ended(store: &mut Store, at: Timestamp, parent: Option<WorkflowKey>) -> WorkflowKey {
    store
        .transact(|transaction| {
            let mut job = workflow(transaction)?;
            transaction.insert_workflow_node(&node(job.job, "load", 1))?;
            job.status = WorkflowStatus::Succeeded;
            job.ended_at = Some(at);
            transaction.update_workflow_job(WorkflowStatus::Running, &job)?;
            let sql = "UPDATE workflow_job SET parent_workflow = ?1, parent_node = iif(?1 IS NULL, NULL, 'load') WHERE \
                       job = ?2";
            transaction.run(|connection| connection.execute(sql, params![parent, job.job]))?;
            Ok(job.job)
        })
        .unwrap()
}

#[test]
fn a_family_of_workflow_jobs_is_deleted_whole_or_not_at_all() {
    let (_folder, mut store) = fresh();
    let old = ended(&mut store, NOW - 1, None);
    let child = ended(&mut store, NOW - 1, Some(old));
    let young = ended(&mut store, NOW - 1, None);
    let late = ended(&mut store, NOW, Some(young));
    let roots = store.read(|snapshot| snapshot.ended_workflows(NOW, WorkflowKey::default(), 10)).unwrap();
    assert_eq!(roots, [old, young]);
    for effect in [Effect::DryRun, Effect::Stored] {
        let mut counts = Counts::default();
        let gone =
            store.transact_for(effect, |transaction| transaction.purge_workflows(&roots, (NOW, effect), &mut counts));
        assert_eq!(gone.unwrap().len(), 2, "{effect:?}");
        assert_eq!((counts[&Kind::Workflows], counts[&Kind::Nodes]), (2, 2), "{effect:?}");
    }
    let there = |key| store.read(|snapshot| snapshot.workflow_job_at(key)).unwrap().is_some();
    assert_eq!([old, child, young, late].map(there), [false, false, true, true]);
    assert!(store.check().unwrap().is_empty());
}

#[test]
fn an_open_attempt_keeps_its_family() {
    let (_folder, mut store) = fresh();
    let job = ended(&mut store, NOW - 1, None);
    let sql = "INSERT INTO attempt (token, job, node, run, number, directory, state, created_at)
        VALUES ('t', ?1, 'load', 0, 1, '/', 'STARTED', 0)";
    store.file.connection.execute(sql, params![job]).unwrap();
    let mut counts = Counts::default();
    let gone = store.transact(|transaction| transaction.purge_workflows(&[job], (NOW, Effect::Stored), &mut counts));
    assert!(gone.unwrap().is_empty() && counts[&Kind::Workflows] == 0);
}

/// A coordinator with three actions that are over.
fn ended_coordinator(store: &mut Store, at: Timestamp) -> CoordinatorKey {
    let job = store.transact(|transaction| {
        let mut job = coordinator(transaction)?;
        actions(transaction, ActionKey { job: job.job, number: 1 }, 3)?;
        job.status = JobStatus::SUCCEEDED;
        (job.ended_at, job.last_action_number) = (Some(at), 3);
        transaction.update_coordinator_job(JobStatus::RUNNING, &job)?;
        Ok(job.job)
    });
    let job = job.unwrap();
    store
        .file
        .connection
        .execute("UPDATE coordinator_action SET status = 'SUCCEEDED' WHERE job = ?1", params![job])
        .unwrap();
    let counts = "UPDATE coordinator_count SET status = 'SUCCEEDED' WHERE job = ?1";
    store.file.connection.execute(counts, params![job]).unwrap();
    job
}

#[test]
fn a_condemned_coordinator_is_deleted_in_parts_and_cannot_change() {
    let (_folder, mut store) = fresh();
    let job = ended_coordinator(&mut store, NOW - 1);
    assert!(store.transact(|transaction| transaction.condemn_coordinator(job, &ENDED)).unwrap());
    let mut counts = Counts::default();
    let part = (Limit::Rows(2), Effect::Stored);
    for expect in [true, true, false] {
        let left = store.transact(|transaction| transaction.purge_parts(job, part, &mut counts)).unwrap();
        assert_eq!(left, expect);
        assert!(store.check().unwrap().is_empty(), "every committed state agrees with itself");
        let revived = "UPDATE coordinator_job SET status = 'RUNNING' WHERE job = ?1";
        let refused =
            store.transact(|transaction| transaction.run(|connection| connection.execute(revived, params![job])));
        assert_eq!(refused.unwrap_err().code(), ErrorCode::H0109);
    }
    // Another purge, with other limits, continues.
    assert_eq!(store.read(|snapshot| snapshot.ended_coordinators(Timestamp::EPOCH)).unwrap(), [job]);
    store.transact(|transaction| transaction.purge_coordinator(job, Effect::Stored, &mut counts)).unwrap();
    assert_eq!((counts[&Kind::Actions], counts[&Kind::Coordinators]), (3, 1));
    assert!(store.read(|snapshot| snapshot.ended_coordinators(NOW)).unwrap().is_empty());
}

#[test]
fn a_coordinator_with_a_rerun_to_come_is_kept() {
    for (add, end) in [
        (
            "INSERT INTO repair_step (plan, step, coordinator_job, action_number, nominal_at, run)
                VALUES ('p', 1, ?1, 1, 0, 0)",
            "UPDATE repair_step SET done = 1 WHERE coordinator_job = ?1",
        ),
        (
            "INSERT INTO policy_rerun (job, number, reruns, rerun_at) VALUES (?1, 1, 0, 0)",
            "UPDATE policy_rerun SET rerun_at = NULL WHERE job = ?1",
        ),
    ] {
        let (_folder, mut store) = fresh();
        let job = ended_coordinator(&mut store, NOW - 1);
        let plan = "INSERT INTO repair (plan, created_at, actor, refresh, failed, nocleanup, newest_first, properties)
            VALUES ('p', 0, 'a', 0, 0, 0, 0, '{}')";
        store.file.connection.execute(plan, []).unwrap();
        store.file.connection.execute(add, params![job]).unwrap();
        assert!(!store.transact(|transaction| transaction.condemn_coordinator(job, &ENDED)).unwrap(), "{add}");
        store.file.connection.execute(end, params![job]).unwrap();
        assert!(store.transact(|transaction| transaction.condemn_coordinator(job, &ENDED)).unwrap(), "{end}");
    }
}

#[test]
fn a_bundle_is_kept_as_long_as_its_latest_coordinator() {
    let (_folder, mut store) = fresh();
    let bundle = store.transact(bundle).unwrap().job;
    let sql = "UPDATE bundle_job SET status = 'SUCCEEDED', ended_at = ?2 WHERE job = ?1";
    store.file.connection.execute(sql, params![bundle, NOW - 1]).unwrap();
    let members = [NOW - 2, NOW].map(|at| ended_coordinator(&mut store, at));
    for member in members {
        let sql = "UPDATE coordinator_job SET parent_bundle = ?1 WHERE job = ?2";
        store.file.connection.execute(sql, params![bundle, member]).unwrap();
    }
    let condemned = |store: &mut Store, ended| store.transact(|transaction| transaction.condemn_bundle(bundle, &ended));
    assert_eq!(condemned(&mut store, ENDED).unwrap(), None);
    assert!(store.read(|snapshot| snapshot.ended_coordinators(NOW)).unwrap().is_empty(), "none of them is condemned");
    let later = EndedBefore { coordinator: NOW + 1, ..ENDED };
    assert_eq!(condemned(&mut store, later).unwrap(), Some(members.to_vec()));
}

#[test]
fn texts_without_a_reference_are_deleted() {
    let (folder, mut store) = fresh();
    let job = store.transact(workflow).unwrap();
    let included = store
        .transact(|transaction| {
            let included = transaction.store_document("included")?;
            let coordinator = coordinator(transaction)?;
            let sql =
                "UPDATE coordinator_definition SET includes = json_array(json_object('document', ?1)) WHERE job = ?2";
            transaction.run(|connection| connection.execute(sql, params![included, coordinator.job]))?;
            Ok(included)
        })
        .unwrap();
    let lonely = store.transact(|transaction| transaction.store_document("lonely")).unwrap();
    let path = folder.path().join("howdah.db");
    let mut other = Store::open(&path, &OpenMode::Create(Birth::at(NOW, 1))).unwrap();
    assert_eq!(store.purge_documents(|| {}).unwrap(), 1);
    assert!(store.read(|snapshot| snapshot.document(lonely)).is_err());
    for named in [job.definition, job.configuration, included] {
        store.read(|snapshot| snapshot.document(named)).unwrap();
    }
    // Another process writes in between: the text that it now refers to stays.
    let texts = ["one", "two"].map(|text| store.transact(|transaction| transaction.store_document(text)).unwrap());
    let version = store.data_version().unwrap();
    let name = |transaction: &Transaction<'_>| {
        let sql = "UPDATE workflow_job SET definition = ?1";
        transaction.run(|connection| connection.execute(sql, params![texts[0]]))
    };
    other.transact(name).unwrap();
    assert_eq!(store.delete_unreferenced(&texts, version).unwrap(), 1);
    store.read(|snapshot| snapshot.document(texts[0])).unwrap();
    let on: i64 = store.file.connection.pragma_query_value(None, "foreign_keys", |row| row.column(0)).unwrap();
    assert_eq!(on, 1);
}

#[test]
fn the_file_becomes_smaller() {
    let (_folder, mut store) = fresh();
    let text = "x".repeat(3 << 20);
    store.transact(|transaction| transaction.store_document(&text)).unwrap();
    assert_eq!(store.purge_documents(|| {}).unwrap(), 1);
    assert!(store.read(Snapshot::free_bytes).unwrap() >= 3 << 20);
    assert!(store.shrink().unwrap() >= 3 << 20);
    assert_eq!(store.read(Snapshot::free_bytes).unwrap(), 0);
    assert!(store.path().metadata().unwrap().len() < 1 << 20);
}

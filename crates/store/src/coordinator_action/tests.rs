//! Actions and their counts.

use proptest::prelude::*;

use super::super::testing::{NOW, actions, coordinator, fresh};
use super::super::{Page, Store};
use super::*;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorKey};
use howdah_words::model::time::HOUR;

/// A job with `len` waiting actions.
fn with_actions(store: &mut Store, len: u32) -> CoordinatorKey {
    store
        .transact(|transaction| {
            let job = coordinator(transaction)?.job;
            actions(transaction, ActionKey { job, number: 1 }, len)?;
            Ok(job)
        })
        .unwrap()
}

fn shift(store: &mut Store, key: ActionKey, from: ActionStatus, to: ActionStatus) -> bool {
    store.transact(|transaction| move_action(transaction, key, (from, to))).unwrap()
}

fn move_action(
    transaction: &Transaction<'_>,
    key: ActionKey,
    (from, to): (ActionStatus, ActionStatus),
) -> Result<bool> {
    let Some(action) = transaction.coordinator_action(key)? else { return Ok(false) };
    transaction.update_action(from, &CoordinatorAction { status: to, ..action })
}

fn numbers(actions: &[CoordinatorAction]) -> Vec<u32> {
    actions.iter().map(|action| action.number).collect()
}

fn waiting(store: &Store, now: Timestamp) -> Vec<(ActionKey, Option<String>)> {
    let mut found = Vec::new();
    let mut visit = |action: WaitingAction<'_>| {
        found.push((action.key, action.missing.map(|missing| format!("{}#{}", missing.input, missing.place))));
        Ok(ControlFlow::Continue(()))
    };
    store.read(|snapshot| snapshot.each_waiting_action((None, None), now, &mut visit)).unwrap();
    found
}

/// The same, stopped after every `len` of them.
fn waiting_in_parts(store: &Store, now: Timestamp, len: usize) -> Vec<ActionKey> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let (before, stopped) = (found.len(), after);
        let mut visit = |action: WaitingAction<'_>| {
            found.push(action.key);
            after = Some(action.place());
            Ok(if found.len() - before == len { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        store.read(|snapshot| snapshot.each_waiting_action((None, stopped), now, &mut visit)).unwrap();
        if found.len() - before < len {
            return found;
        }
    }
}

#[test]
fn an_action_reads_back_after_every_column_was_set() {
    let (_folder, mut store) = fresh();
    let job = with_actions(&mut store, 2);
    let key = ActionKey { job, number: 2 };
    let mut action = store.read(|snapshot| snapshot.coordinator_action(key)).unwrap().unwrap();
    assert_eq!((action.nominal_at, action.created_at, action.timeout_minutes), (NOW + 2 * HOUR, NOW, 120));
    let document = store.transact(|transaction| transaction.store_document("{}")).unwrap();
    action.modified_at = NOW + 9;
    action.status = ActionStatus::Failed;
    action.run = 3;
    action.first_missing = Some(MissingInput::parse("file:///a/_SUCCESS".to_owned()));
    action.missing_from = Some(1);
    action.external_id = Some("w".to_owned());
    action.external_status = Some("KILLED".to_owned());
    action.error_code = Some("E1021".to_owned());
    action.error_message = Some("because".to_owned());
    action.configuration = Some(document);
    assert!(!store.transact(|transaction| transaction.update_action(ActionStatus::Ready, &action)).unwrap());
    assert!(store.transact(|transaction| transaction.update_action(ActionStatus::Waiting, &action)).unwrap());
    assert_eq!(action.key(), key);
    assert_eq!(store.read(|snapshot| snapshot.coordinator_action(key)).unwrap(), Some(action));
}

#[test]
fn every_status_is_accepted_and_no_other_word() {
    let (_folder, mut store) = fresh();
    let key = ActionKey { job: with_actions(&mut store, 1), number: 1 };
    let mut from = ActionStatus::Waiting;
    for status in ActionStatus::ALL {
        assert!(shift(&mut store, key, from, *status), "{from} -> {status}");
        let open = store.read(|snapshot| snapshot.open_actions(key.job)).unwrap();
        assert_eq!(open.is_empty(), status.is_terminal(), "{status}");
        from = *status;
    }
    assert!(store.file.connection.execute("UPDATE coordinator_action SET status = 'DONE'", []).is_err());
}

#[test]
fn an_action_of_an_unknown_definition_or_a_taken_number_is_refused() {
    let (_folder, mut store) = fresh();
    let job = with_actions(&mut store, 1);
    for (job, number) in [(CoordinatorKey(99), 1), (job, 1), (job, 0)] {
        let outcome = store.transact(|transaction| actions(transaction, ActionKey { job, number }, 1));
        assert!(outcome.is_err(), "{job:?}@{number}");
    }
    assert_eq!(
        store.check().unwrap(),
        ["coordinator job 0000000-261120093000123-oozie-oozi-C: its last action is 0, but action 1 exists"]
    );
}

#[test]
fn waiting_actions_are_streamed_once_their_time_has_come() {
    let (_folder, mut store) = fresh();
    let (one, two) = (with_actions(&mut store, 3), with_actions(&mut store, 2));
    let key = |job, number| ActionKey { job, number };
    let missing = Some(FirstMissing { input: MissingInput::Path("file:///a"), place: 4 });
    store.transact(|transaction| transaction.set_missing(key(one, 2), missing, NOW)).unwrap();
    assert!(shift(&mut store, key(one, 1), ActionStatus::Waiting, ActionStatus::Ready));
    let now = NOW + 2 * HOUR;
    let second = (key(one, 2), Some("file:///a#4".to_owned()));
    assert_eq!(waiting(&store, now), [second, (key(two, 1), None), (key(two, 2), None)]);
    assert_eq!(waiting(&store, now - 1), [(key(two, 1), None)]);
    for len in 1..5 {
        assert_eq!(waiting_in_parts(&store, now, len), [key(one, 2), key(two, 1), key(two, 2)], "{len}");
    }
    assert!(!store.transact(|transaction| transaction.set_missing(key(one, 1), None, NOW)).unwrap());
}

#[test]
fn the_stream_stops_at_the_first_error() {
    let (_folder, mut store) = fresh();
    with_actions(&mut store, 3);
    let mut seen = 0;
    let outcome = store.read(|snapshot| {
        snapshot.each_waiting_action((None, None), NOW + 9 * HOUR, &mut |_| {
            seen += 1;
            Err(howdah_words::error::Error::new(howdah_words::error::ErrorCode::H0001, "no"))
        })
    });
    assert!(outcome.is_err());
    assert_eq!(seen, 1);
}

#[test]
fn ready_and_started_actions_are_ordered_and_bounded() {
    let (_folder, mut store) = fresh();
    let job = with_actions(&mut store, 6);
    for (number, to) in [
        (5, ActionStatus::Ready),
        (1, ActionStatus::Ready),
        (3, ActionStatus::Ready),
        (2, ActionStatus::Running),
        (4, ActionStatus::Suspended),
        (6, ActionStatus::Succeeded),
    ] {
        assert!(shift(&mut store, ActionKey { job, number }, ActionStatus::Waiting, to));
    }
    let ready = |order, len| numbers(&store.read(|snapshot| snapshot.ready_actions(job, order, len)).unwrap());
    assert_eq!(ready(ActionOrder::OldestFirst, 2), [1, 3]);
    assert_eq!(ready(ActionOrder::NewestFirst, 9), [5, 3, 1]);
    assert_eq!(numbers(&store.read(|snapshot| snapshot.started_actions(job)).unwrap()), [2, 4]);
    assert_eq!(numbers(&store.read(|snapshot| snapshot.open_actions(job)).unwrap()), [1, 2, 3, 4, 5]);
}

#[test]
fn pages_of_actions() {
    let (_folder, mut store) = fresh();
    let job = with_actions(&mut store, 5);
    shift(&mut store, ActionKey { job, number: 2 }, ActionStatus::Waiting, ActionStatus::Killed);
    let check = |filter: ActionFilter, order, page: (u32, u32), expect: (&[u32], u32)| {
        let page = Page { offset: page.0, len: page.1 };
        let found = store.read(|snapshot| snapshot.action_page(job, &filter, order, page)).unwrap();
        assert_eq!((numbers(&found.actions).as_slice(), found.total), expect, "{filter:?}");
    };
    let any = ActionFilter::default;
    check(any(), ActionOrder::OldestFirst, (1, 2), (&[2, 3], 5));
    check(any(), ActionOrder::NewestFirst, (0, 2), (&[5, 4], 5));
    check(any(), ActionOrder::NewestFirst, (0, 0), (&[], 5));
    let killed = ActionFilter { statuses: vec![ActionStatus::Killed, ActionStatus::Failed], ..any() };
    check(killed, ActionOrder::OldestFirst, (0, 9), (&[2], 1));
    let range = ActionFilter { first_number: Some(2), last_number: Some(3), ..any() };
    check(range, ActionOrder::OldestFirst, (0, 9), (&[2, 3], 2));
    let dates = ActionFilter { nominal_from: Some(NOW + 4 * HOUR), nominal_until: Some(NOW + 5 * HOUR), ..any() };
    check(dates, ActionOrder::OldestFirst, (0, 9), (&[4, 5], 2));
    check(any(), ActionOrder::OldestFirst, (5, 2), (&[], 5));
    let created = |from: i64, until: i64| ActionFilter {
        created_from: Some(NOW + from),
        created_until: Some(NOW + until),
        ..any()
    };
    check(created(0, 0), ActionOrder::OldestFirst, (0, 9), (&[1, 2, 3, 4, 5], 5));
    check(created(1, 2), ActionOrder::OldestFirst, (0, 9), (&[], 0));
    check(created(-2, -1), ActionOrder::OldestFirst, (0, 9), (&[], 0));
}

#[test]
fn the_queries_of_tick_use_their_partial_indexes() {
    let (_folder, mut store) = fresh();
    check_plans(&store);
    store.transact(|transaction| (0..200).try_for_each(|_| coordinator(transaction).map(drop))).unwrap();
    // Statistics, as another program may store them, lead to no other plan.
    store.file.connection.execute_batch("ANALYZE").unwrap();
    check_plans(&store);
}

fn check_plans(store: &Store) {
    for (sql, expect) in [
        (include_str!("../sql/coordinator_action/waiting.sql"), "USING COVERING INDEX coordinator_action_waiting"),
        (
            include_str!("../sql/coordinator_action/waiting_of_job.sql"),
            "coordinator_action_waiting (job=? AND nominal_at>? AND nominal_at<?)",
        ),
        (include_str!("../sql/coordinator_action/ready_oldest.sql"), "coordinator_action_active (job=? AND status=?)"),
        (include_str!("../sql/coordinator_action/started.sql"), "coordinator_action_active (job=?"),
        ("SELECT * FROM coordinator_job WHERE due_at <= ?1 ORDER BY due_at, job", "INDEX coordinator_job_due"),
        (include_str!("../sql/incident/due_reruns.sql"), "SEARCH policy_rerun USING INDEX policy_rerun_due"),
        (include_str!("../sql/workflow_job/active.sql"), "INDEX workflow_job_active"),
        (include_str!("../sql/event/of_action.sql"), "INDEX event_of_coordinator"),
        (include_str!("../sql/workflow_job/of_action.sql"), "INDEX workflow_job_of_action"),
        ("SELECT * FROM attempt WHERE state = 'STARTED' ORDER BY attempt", "INDEX attempt_open"),
    ] {
        let mut statement = store.file.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> =
            statement.raw_query().mapped(|row| row.column("detail")).collect::<Result<_, _>>().unwrap();
        assert!(plan.iter().any(|line| line.contains(expect)), "{sql}: {plan:?}");
        assert!(!plan.iter().any(|line| line.starts_with("SCAN coordinator_job")), "{sql}: {plan:?}");
    }
}

#[test]
fn the_oldest_open_action_is_found_whatever_its_status_is() {
    let (_folder, mut store) = fresh();
    let job = with_actions(&mut store, 3);
    let oldest =
        |store: &Store| store.read(|snapshot| snapshot.oldest_open_action(job)).unwrap().map(|open| open.number);
    let mut last = ActionStatus::Waiting;
    for status in ActionStatus::ALL.iter().copied().filter(|status| !status.is_terminal()) {
        assert!(shift(&mut store, ActionKey { job, number: 1 }, last, status), "{status}");
        assert_eq!(oldest(&store), Some(1), "{status}");
        last = status;
    }
    assert!(shift(&mut store, ActionKey { job, number: 1 }, last, ActionStatus::Succeeded));
    assert_eq!(oldest(&store), Some(2));
    assert_eq!(store.read(|snapshot| snapshot.oldest_open_action(CoordinatorKey(77))).unwrap(), None);
}

fn full_count(store: &Store, job: CoordinatorKey) -> BTreeMap<ActionStatus, u32> {
    let sql = "SELECT status, count(*) AS count FROM coordinator_action WHERE job = ?1 GROUP BY status";
    let mut statement = store.file.connection.prepare(sql).unwrap();
    let rows = statement.query_map(params![job], |row| Ok((row.column("status")?, row.column("count")?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn status() -> impl Strategy<Value = ActionStatus> {
    proptest::sample::select(ActionStatus::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn counts_equal_a_full_count(
        changes in prop::collection::vec((1_u32..8, status(), status(), 0_u8..3, any::<bool>()), 1..40),
    ) {
        let (_folder, mut store) = fresh();
        let job = with_actions(&mut store, 6);
        for (number, from, to, way, fails) in changes {
            let key = ActionKey { job, number };
            let before = store.read(|snapshot| snapshot.coordinator_action(key)).unwrap();
            // Half of the time the expected status is right, so that updates happen.
            let from = before.as_ref().filter(|_| number % 2 == 0).map_or(from, |action| action.status);
            let outcome = store.transact(|transaction| {
                let changed = match (way, before.clone()) {
                    (0, _) => transaction.delete_action(from, key)?,
                    (1, Some(action)) => {
                        transaction.update_action(from, &CoordinatorAction { status: to, ..action })?
                    }
                    _ => move_action(transaction, key, (from, to))?,
                };
                if fails { Err(howdah_words::error::Error::new(howdah_words::error::ErrorCode::H0001, "no")) } else { Ok(changed) }
            });
            let expect = before.is_some_and(|action| action.status == from);
            prop_assert_eq!(outcome.ok(), (!fails).then_some(expect));
            prop_assert_eq!(store.read(|snapshot| snapshot.action_counts(job)).unwrap(), full_count(&store, job));
        }
    }
}

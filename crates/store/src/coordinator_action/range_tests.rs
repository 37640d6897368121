//! Ranges of actions look like rows, and become rows one by one.

use super::super::testing::{NOW, actions, coordinator, fresh};
use super::super::{NominalTimes, Page, Store, Times};
use super::*;
use howdah_words::model::row::{ActionGroup, ActionRange, CoordinatorKey};
use howdah_words::model::time::HOUR;

/// Actions that are due every hour.
#[derive(Debug)]
struct Hourly;

impl NominalTimes for Hourly {
    fn times<'r>(&self, range: &'r ActionRange, from: u32) -> Option<Times<'r>> {
        let at = |number: u32| range.nominal_at + i64::from(number - range.number) * HOUR;
        Some(Box::new((from..=range.last_number).map(move |number| (number, at(number)))))
    }

    fn first_at(&self, range: &ActionRange, time: Timestamp) -> Option<u32> {
        let hours = (time - range.nominal_at + HOUR - 1).div_euclid(HOUR);
        Some(range.number + u32::try_from(hours.max(0)).unwrap().min(range.last_number - range.number + 1))
    }
}

/// Rows 1 to 3, the range 4 to 9, rows 10 to 12, the range 13 to 14; number *n* is due *n* hours after now.
fn with_ranges() -> (tempfile::TempDir, Store, CoordinatorKey) {
    let (folder, mut store) = fresh();
    store.ask_nominal_times(&Hourly);
    let job = store
        .transact(|transaction| {
            let mut job = coordinator(transaction)?;
            for (number, last_number) in [(4, 9), (13, 14)] {
                transaction.insert_range(&ActionRange {
                    job: job.job,
                    number,
                    last_number,
                    nominal_at: NOW + i64::from(number) * HOUR,
                    last_nominal_at: NOW + i64::from(last_number) * HOUR,
                    created_at: NOW + 5,
                    modified_at: NOW + 5,
                    status: ActionStatus::Skipped,
                    definition_version: 1,
                    timeout_minutes: 7,
                    schedule: "{}".to_owned(),
                })?;
            }
            actions(transaction, ActionKey { job: job.job, number: 1 }, 3)?;
            actions(transaction, ActionKey { job: job.job, number: 10 }, 3)?;
            job.last_action_number = 14;
            transaction.update_coordinator_job(job.status, &job)?;
            Ok(job.job)
        })
        .unwrap();
    // `actions` lets each call begin one hour after now.
    let sql = "UPDATE coordinator_action SET nominal_at = ?1 + number * 3600";
    store.file.connection.execute(sql, params![NOW]).unwrap();
    assert_eq!(store.check().unwrap(), [""; 0]);
    (folder, store, job)
}

fn page(store: &Store, job: CoordinatorKey, filter: &ActionFilter, order: ActionOrder, page: (u32, u32)) -> String {
    let page = Page { offset: page.0, len: page.1 };
    let found = store.read(|snapshot| snapshot.action_page(job, filter, order, page)).unwrap();
    for action in &found.actions {
        assert_eq!(action.nominal_at, NOW + i64::from(action.number) * HOUR, "{action:?}");
        let again = store.read(|snapshot| snapshot.coordinator_action(action.key())).unwrap();
        assert_eq!(again.as_ref(), Some(action));
    }
    let numbers: Vec<String> = found.actions.iter().map(|action| action.number.to_string()).collect();
    format!("{} of {}", numbers.join(" "), found.total)
}

#[test]
fn a_page_goes_through_rows_and_ranges() {
    let (_folder, store, job) = with_ranges();
    let any = ActionFilter::default();
    let all: Vec<String> = (1..=14).map(|number| number.to_string()).collect();
    let reversed: Vec<String> = all.iter().rev().cloned().collect();
    for offset in 0..15_u32 {
        for len in 0..16_u32 {
            for (order, all) in [(ActionOrder::OldestFirst, &all), (ActionOrder::NewestFirst, &reversed)] {
                let until = (offset + len).min(14) as usize;
                let expect = all.get(offset as usize..until).unwrap_or_default().join(" ");
                let found = page(&store, job, &any, order, (offset, len));
                assert_eq!(found, format!("{expect} of 14"), "{offset} {len} {order:?}");
            }
        }
    }
}

#[test]
fn a_filter_chooses_among_the_actions_of_a_range() {
    let (_folder, store, job) = with_ranges();
    let any = ActionFilter::default;
    let at = |hours: i64| NOW + hours * HOUR;
    for (filter, expect) in [
        (ActionFilter { statuses: vec![ActionStatus::Skipped], ..any() }, "4 5 6 7 8 9 13 14 of 8"),
        (ActionFilter { statuses: vec![ActionStatus::Waiting], ..any() }, "1 2 3 10 11 12 of 6"),
        (ActionFilter { first_number: Some(3), last_number: Some(5), ..any() }, "3 4 5 of 3"),
        (ActionFilter { first_number: Some(6), last_number: Some(6), ..any() }, "6 of 1"),
        (ActionFilter { nominal_from: Some(at(8) + 1), nominal_until: Some(at(13)), ..any() }, "9 10 11 12 13 of 5"),
        (ActionFilter { nominal_from: Some(at(15)), ..any() }, " of 0"),
        (ActionFilter { created_from: Some(NOW + 1), ..any() }, "4 5 6 7 8 9 13 14 of 8"),
        (ActionFilter { created_until: Some(NOW), ..any() }, "1 2 3 10 11 12 of 6"),
        (ActionFilter { nominal_in: vec![at(2), at(14), at(5), at(5) + 1, at(99)], ..any() }, "2 5 14 of 3"),
        (
            ActionFilter { nominal_not_in: vec![at(4), at(6), at(9), at(12), at(14)], ..any() },
            "1 2 3 5 7 8 10 11 13 of 9",
        ),
    ] {
        assert_eq!(page(&store, job, &filter, ActionOrder::OldestFirst, (0, 99)), expect, "{filter:?}");
    }
}

#[test]
fn an_action_leaves_its_range_when_it_changes() {
    let (_folder, mut store, job) = with_ranges();
    // In the middle, at the beginning, at the end, and a range of which nothing is left.
    for number in [6, 4, 9, 13, 14] {
        let key = ActionKey { job, number };
        let before = store.read(|snapshot| snapshot.coordinator_action(key)).unwrap().unwrap();
        assert_eq!((before.status, before.created_at, before.timeout_minutes), (ActionStatus::Skipped, NOW + 5, 7));
        let after = CoordinatorAction { status: ActionStatus::Waiting, modified_at: NOW + 9, run: 1, ..before };
        // Of another status it is not.
        assert!(!store.transact(|transaction| transaction.update_action(ActionStatus::Killed, &after)).unwrap());
        assert!(store.transact(|transaction| transaction.update_action(ActionStatus::Skipped, &after)).unwrap());
        assert_eq!(store.read(|snapshot| snapshot.coordinator_action(key)).unwrap(), Some(after));
        assert_eq!(store.check().unwrap(), [""; 0], "{number}");
    }
    let any = ActionFilter::default();
    assert_eq!(page(&store, job, &any, ActionOrder::OldestFirst, (2, 5)), "3 4 5 6 7 of 14");
    let sql = "SELECT group_concat(number || '-' || last_number) FROM coordinator_action_range";
    let left: String = store.file.connection.query_row(sql, [], |row| row.column(0)).unwrap();
    assert_eq!(left, "5-5,7-8");
}

#[test]
fn a_part_of_a_range_changes_as_a_group() {
    let (_folder, mut store, job) = with_ranges();
    let filter = ActionFilter { first_number: Some(2), last_number: Some(7), ..ActionFilter::default() };
    let groups = store.read(|snapshot| snapshot.action_groups(job, &filter)).unwrap();
    let of = |number, last_number, status| ActionGroup { job, number, last_number, status };
    let part = of(4, 7, ActionStatus::Skipped);
    assert_eq!(groups, [(of(2, 3, ActionStatus::Waiting), false), (part, false)]);
    let inner = of(5, 6, ActionStatus::Skipped);
    for group in [inner, of(13, 14, ActionStatus::Skipped)] {
        let moved = store.transact(|transaction| transaction.move_group(&group, ActionStatus::Killed, NOW)).unwrap();
        assert_eq!(moved, 2);
        assert_eq!(store.check().unwrap(), [""; 0]);
    }
    let sql = "SELECT group_concat(number || '-' || last_number || ' ' || status) FROM
        (SELECT * FROM coordinator_action_range ORDER BY number)";
    let left: String = store.file.connection.query_row(sql, [], |row| row.column(0)).unwrap();
    assert_eq!(left, "4-4 SKIPPED,5-6 KILLED,7-9 SKIPPED,13-14 KILLED");
    let all = page(&store, job, &ActionFilter::default(), ActionOrder::OldestFirst, (3, 4));
    assert_eq!(all, "4 5 6 7 of 14");
}

#[test]
fn what_never_started_is_a_few_groups() {
    let (_folder, mut store, job) = with_ranges();
    let started = ActionKey { job, number: 11 };
    let mut action = store.read(|snapshot| snapshot.coordinator_action(started)).unwrap().unwrap();
    action.external_id = Some("w".to_owned());
    store.transact(|transaction| transaction.update_action(ActionStatus::Waiting, &action)).unwrap();
    let groups = store.read(|snapshot| snapshot.unstarted_groups(job)).unwrap();
    let of = |number, last_number, status| ActionGroup { job, number, last_number, status };
    let (waiting, skipped) = (ActionStatus::Waiting, ActionStatus::Skipped);
    let expect = [of(1, 3, waiting), of(4, 9, skipped), of(10, 10, waiting), of(12, 12, waiting), of(13, 14, skipped)];
    assert_eq!(groups, expect);
    let others = store.read(|snapshot| snapshot.killable_started_actions(job)).unwrap();
    assert_eq!(others, [action]);
    for group in &groups {
        let moved = store.transact(|transaction| transaction.move_group(group, ActionStatus::Killed, NOW)).unwrap();
        assert_eq!(moved, group.len());
        assert_eq!(store.transact(|transaction| transaction.move_group(group, ActionStatus::Killed, NOW)).unwrap(), 0);
    }
    assert_eq!(store.check().unwrap(), [""; 0]);
    let killed = ActionFilter { statuses: vec![ActionStatus::Killed], ..ActionFilter::default() };
    assert_eq!(page(&store, job, &killed, ActionOrder::NewestFirst, (0, 3)), "14 13 12 of 13");
}

#[test]
fn contradictions_of_ranges_are_found() {
    let (_folder, store, _) = with_ranges();
    let change = |sql: &str| store.file.connection.execute(sql, []).unwrap();
    change("UPDATE coordinator_action_range SET last_number = 13 WHERE number = 4");
    let id = "coordinator job 0000000-261120093000123-oozie-oozi-C";
    assert_eq!(
        store.check().unwrap(),
        [
            format!("{id}: the stored count of SKIPPED actions is wrong"),
            format!("{id}: actions 4-13 are one range, but action 10 exists"),
            format!("{id}: actions 13-13 are in two ranges"),
        ]
    );
}

//! Tables `repair` and `repair_step`: the plans of reruns, each until all of it is done.
//!
//! A change names the plan that it means. When that plan is not stored by then, nothing changes.

use std::collections::BTreeSet;

use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, Repair, RepairStep};

table_row! {
    Repair {
        plan, created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned, unattended, reason,
        bundle_job
    }
}
table_row! {
    RepairStep { plan, step, coordinator_job, action_number, workflow_job, nominal_at, run, outputs, cleaned, done }
}

impl Snapshot {
    /// Returns the reruns that are not done, the oldest first.
    pub fn repairs(&self) -> Result<Vec<Repair>> {
        self.run(|connection| query_rows(connection, "SELECT * FROM repair ORDER BY created_at, rowid", []))
    }

    /// Returns one of them; `None` when it is done or forgotten.
    pub fn repair(&self, plan: &str) -> Result<Option<Repair>> {
        self.run(|connection| query_one(connection, "SELECT * FROM repair WHERE plan = ?1", params![plan]))
    }

    /// Returns the steps of a rerun that are not done, in the order of the plan.
    pub fn open_repair_steps(&self, plan: &str) -> Result<Vec<RepairStep>> {
        let sql = "SELECT * FROM repair_step WHERE plan = ?1 AND done = 0 ORDER BY step";
        self.run(|connection| query_rows(connection, sql, params![plan]))
    }

    /// Returns whether the rerun of an action is planned and not done.
    pub fn has_open_repair_of(&self, action: ActionKey) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM repair_step
            WHERE coordinator_job = ?1 AND action_number = ?2 AND done = 0)";
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![action.job, action.number], |row| row.column(0))
        })
    }
}

impl Transaction<'_> {
    /// Stores the plan of a rerun beside all others.
    pub fn store_repair(&self, repair: &Repair, steps: &[RepairStep]) -> Result<()> {
        self.run(|connection| {
            let sql = "INSERT INTO repair
                (plan, created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned, unattended,
                    reason, bundle_job)
                VALUES (:plan, :created_at, :actor, :refresh, :failed, :nocleanup, :newest_first, :properties,
                    :cleaned, :unattended, :reason, :bundle_job)";
            execute_row(connection, sql, repair, &[])?;
            let sql = "INSERT INTO repair_step
                (plan, step, coordinator_job, action_number, workflow_job, nominal_at, run, outputs, cleaned, done)
                VALUES (:plan, :step, :coordinator_job, :action_number, :workflow_job, :nominal_at, :run, :outputs,
                    :cleaned, :done)";
            steps.iter().try_for_each(|step| execute_row(connection, sql, step, &[]).map(drop))
        })
    }

    /// Records that the outputs of these steps are deleted; returns `false` when the plan is not stored.
    pub fn set_repair_cleaned(&self, plan: &str, steps: &BTreeSet<u32>) -> Result<bool> {
        self.run(|connection| {
            let sql = "UPDATE repair SET cleaned = 1 WHERE plan = ?1";
            if connection.prepare_cached(sql)?.execute(params![plan])? == 0 {
                return Ok(false);
            }
            let sql = "UPDATE repair_step SET cleaned = 1 WHERE plan = ?1 AND step = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            steps.iter().try_for_each(|step| statement.execute(params![plan, step]).map(drop))?;
            Ok(true)
        })
    }

    /// Marks a step as done, and those of other plans for the same action or workflow job, also for the action to which
    /// the workflow job belongs: it runs again once for all of them. Returns `false` when it was done already, or is no
    /// longer in the plan.
    pub fn finish_repair_step(&self, plan: &str, step: u32) -> Result<bool> {
        let this = "UPDATE repair_step SET done = 1 WHERE plan = ?1 AND step = ?2 AND done = 0";
        let others = "UPDATE repair_step AS other SET done = 1 FROM repair_step AS this
            WHERE this.plan = ?1 AND this.step = ?2 AND other.plan <> ?1 AND other.done = 0
                AND (other.workflow_job = this.workflow_job
                    OR (other.coordinator_job = this.coordinator_job AND other.action_number = this.action_number)
                    OR EXISTS (SELECT 1 FROM workflow_job AS ran JOIN coordinator_action AS action
                        ON action.job = ran.parent_coordinator AND action.number = ran.parent_action
                        WHERE ran.job = this.workflow_job AND action.external_id = ran.id
                            AND action.job = other.coordinator_job AND action.number = other.action_number))";
        self.run(|connection| {
            let is_done = connection.prepare_cached(this)?.execute(params![plan, step])? == 1;
            connection.prepare_cached(others)?.execute(params![plan, step])?;
            Ok(is_done)
        })
    }

    /// Ends a plan: only the steps of `kept` stay open, and without any the plan is deleted, as all others are without
    /// an open step. Returns `false` when the plan is not stored.
    pub fn end_repair(&self, plan: &str, kept: &BTreeSet<u32>) -> Result<bool> {
        let sql = "DELETE FROM repair WHERE plan <> ?1
            AND NOT EXISTS (SELECT 1 FROM repair_step WHERE repair_step.plan = repair.plan AND done = 0)";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![plan]).map(drop))?;
        if kept.is_empty() {
            let sql = "DELETE FROM repair WHERE plan = ?1";
            return self.run(|connection| Ok(connection.prepare_cached(sql)?.execute(params![plan])? == 1));
        }
        let open = self.open_repair_steps(plan)?;
        let ended = open.iter().map(|step| step.step).filter(|step| !kept.contains(step));
        // Their actions did not run, so the steps of other plans for the same actions stay open.
        let sql = "UPDATE repair_step SET done = 1 WHERE plan = ?1 AND step = ?2";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            ended.into_iter().try_for_each(|step| statement.execute(params![plan, step]).map(drop))
        })?;
        Ok(self.repair(plan)?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, coordinator, fresh, workflow};
    use super::*;
    use howdah_words::model::row::CoordinatorKey;

    fn repair() -> Repair {
        Repair {
            plan: "one".to_owned(),
            created_at: NOW,
            actor: "ann".to_owned(),
            refresh: true,
            failed: false,
            nocleanup: true,
            newest_first: false,
            properties: "{}".to_owned(),
            cleaned: false,
            unattended: true,
            reason: Some("rerun 1 of 2".to_owned()),
            bundle_job: None,
        }
    }

    fn steps(job: CoordinatorKey) -> [RepairStep; 3] {
        [(1, None), (2, Some(1)), (3, Some(2))].map(|(step, action_number)| RepairStep {
            plan: "one".to_owned(),
            step,
            coordinator_job: Some(job),
            action_number,
            workflow_job: None,
            nominal_at: NOW + i64::from(step),
            run: 2,
            outputs: 4,
            cleaned: false,
            done: false,
        })
    }

    #[test]
    fn a_step_is_done_once_and_the_others_stay_open() {
        let (_folder, mut store) = fresh();
        let mut steps = steps(store.transact(coordinator).unwrap().job);
        let workflow = store.transact(workflow).unwrap().job;
        steps[2] =
            RepairStep { coordinator_job: None, action_number: None, workflow_job: Some(workflow), ..steps[2].clone() };
        store.transact(|transaction| transaction.store_repair(&repair(), &steps)).unwrap();
        assert_eq!(store.read(|snapshot| snapshot.repair("one")).unwrap(), Some(repair()));
        assert_eq!(store.read(|snapshot| snapshot.open_repair_steps("one")).unwrap(), steps);
        store
            .transact(|transaction| {
                assert!(transaction.finish_repair_step("one", 2)?);
                assert!(!transaction.finish_repair_step("one", 2)?);
                assert!(!transaction.finish_repair_step("one", 9)?);
                transaction.set_repair_cleaned("one", &BTreeSet::from([3]))
            })
            .unwrap();
        let cleaned = RepairStep { cleaned: true, ..steps[2].clone() };
        assert_eq!(
            store.read(|snapshot| snapshot.open_repair_steps("one")).unwrap(),
            [steps[0].clone(), cleaned.clone()]
        );
        assert_eq!(store.read(|snapshot| snapshot.repair("one")).unwrap(), Some(Repair { cleaned: true, ..repair() }));
        assert!(store.transact(|transaction| transaction.end_repair("one", &BTreeSet::from([3]))).unwrap());
        assert_eq!(store.read(|snapshot| snapshot.open_repair_steps("one")).unwrap(), [cleaned]);
        assert!(store.transact(|transaction| transaction.end_repair("one", &BTreeSet::new())).unwrap());
        assert_eq!(store.read(|snapshot| snapshot.repair("one")).unwrap(), None);
        assert_eq!(store.read(|snapshot| snapshot.open_repair_steps("one")).unwrap(), []);
    }

    #[test]
    fn a_change_of_one_plan_leaves_another_plan_alone() {
        let (_folder, mut store) = fresh();
        let steps = steps(store.transact(coordinator).unwrap().job);
        let other = Repair { plan: "two".to_owned(), ..repair() };
        let of_other = RepairStep { plan: "two".to_owned(), ..steps[0].clone() };
        store.transact(|transaction| transaction.store_repair(&repair(), &steps)).unwrap();
        store.transact(|transaction| transaction.store_repair(&other, std::slice::from_ref(&of_other))).unwrap();
        store
            .transact(|transaction| {
                assert!(transaction.finish_repair_step("one", 1)?);
                assert!(transaction.set_repair_cleaned("one", &BTreeSet::from([1, 2]))?);
                assert!(transaction.end_repair("one", &BTreeSet::new())?);
                assert!(!transaction.end_repair("one", &BTreeSet::new())?);
                assert!(!transaction.set_repair_cleaned("one", &BTreeSet::from([1]))?);
                assert!(!transaction.finish_repair_step("one", 2)?);
                Ok(())
            })
            .unwrap();
        assert_eq!(store.read(Snapshot::repairs).unwrap(), [other]);
        assert_eq!(store.read(|snapshot| snapshot.open_repair_steps("two")).unwrap(), [of_other]);
        let first = |number| ActionKey { job: steps[0].coordinator_job.unwrap(), number };
        assert!(!store.read(|snapshot| snapshot.has_open_repair_of(first(1))).unwrap());
    }

    #[test]
    fn the_end_of_a_plan_ends_no_step_of_another_plan() {
        let (_folder, mut store) = fresh();
        let steps = steps(store.transact(coordinator).unwrap().job);
        let other = Repair { plan: "two".to_owned(), ..repair() };
        let of_other = steps.clone().map(|step| RepairStep { plan: "two".to_owned(), ..step });
        store.transact(|transaction| transaction.store_repair(&repair(), &steps)).unwrap();
        store.transact(|transaction| transaction.store_repair(&other, &of_other)).unwrap();
        store
            .transact(|transaction| {
                // The action of step 2 runs again, that of step 3 is refused.
                assert!(transaction.finish_repair_step("two", 2)?);
                transaction.end_repair("two", &BTreeSet::from([1]))
            })
            .unwrap();
        let left = |plan| store.read(|snapshot| snapshot.open_repair_steps(plan)).unwrap();
        assert_eq!(left("two"), of_other[..1]);
        assert_eq!(left("one"), [steps[0].clone(), steps[2].clone()]);
    }

    #[test]
    fn a_plan_of_the_first_schema_is_taken_over() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("migrations/0001_initial.sql")).unwrap();
        connection.execute_batch("PRAGMA foreign_keys = 0").unwrap();
        let stored = "INSERT INTO repair (repair, plan, created_at, actor, refresh, failed, nocleanup, newest_first,
                properties, cleaned) VALUES (1, 'p', 7, 'ann', 1, 0, 0, 0, '{}', 1);
            INSERT INTO repair_step (step, coordinator_job, action_number, nominal_at, run, outputs, cleaned, done)
                VALUES (1, 4, 1, 60, 0, 2, 1, 1), (2, 4, 2, 120, 3, 1, 0, 0);";
        connection.execute_batch(stored).unwrap();
        connection.execute_batch(include_str!("migrations/0002_reruns.sql")).unwrap();
        let sql = "SELECT group_concat(plan || step || action_number || run || outputs || repair_step.cleaned || done
            || repair.cleaned || unattended, ' ') FROM repair_step JOIN repair USING (plan)";
        let rows: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(rows, "p11021110 p22310010", "each value stays");
    }
}

//! Tables `repair` and `repair_step`: the plan of a rerun of many actions, until all of it is done.
//!
//! A change names the plan that it means. When another plan is stored by then, nothing changes.

use std::collections::BTreeSet;

use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::params;
use howdah_words::error::Result;
use howdah_words::model::row::{Repair, RepairStep};

table_row! { Repair { plan, created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned } }
table_row! {
    RepairStep { step, coordinator_job, action_number, workflow_job, nominal_at, run, outputs, cleaned, done }
}

impl Snapshot {
    /// Returns the rerun of many actions that is not done; `None` when there is none.
    pub fn repair(&self) -> Result<Option<Repair>> {
        self.run(|connection| query_one(connection, "SELECT * FROM repair", []))
    }

    /// Returns the steps of that rerun that are not done, in the order of the plan.
    pub fn open_repair_steps(&self) -> Result<Vec<RepairStep>> {
        self.run(|connection| query_rows(connection, "SELECT * FROM repair_step WHERE done = 0 ORDER BY step", []))
    }
}

impl Transaction<'_> {
    /// Stores the plan of a rerun; any earlier one is deleted.
    pub fn store_repair(&self, repair: &Repair, steps: &[RepairStep]) -> Result<()> {
        self.clear_repair()?;
        self.run(|connection| {
            let sql = "INSERT INTO repair
                (repair, plan, created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned)
                VALUES (1, :plan, :created_at, :actor, :refresh, :failed, :nocleanup, :newest_first, :properties,
                    :cleaned)";
            execute_row(connection, sql, repair, &[])?;
            let sql = "INSERT INTO repair_step
                (step, coordinator_job, action_number, workflow_job, nominal_at, run, outputs, cleaned, done)
                VALUES (:step, :coordinator_job, :action_number, :workflow_job, :nominal_at, :run, :outputs, :cleaned,
                    :done)";
            steps.iter().try_for_each(|step| execute_row(connection, sql, step, &[]).map(drop))
        })
    }

    /// Records that the outputs of these steps are deleted; returns `false` when another plan is stored.
    pub fn set_repair_cleaned(&self, plan: &str, steps: &BTreeSet<u32>) -> Result<bool> {
        self.run(|connection| {
            let sql = "UPDATE repair SET cleaned = 1 WHERE plan = ?1";
            if connection.prepare_cached(sql)?.execute(params![plan])? == 0 {
                return Ok(false);
            }
            let mut statement = connection.prepare_cached("UPDATE repair_step SET cleaned = 1 WHERE step = ?1")?;
            steps.iter().try_for_each(|step| statement.execute(params![step]).map(drop))?;
            Ok(true)
        })
    }

    /// Marks a step as done; returns `false` when it was done already, or is no longer in the plan.
    pub fn finish_repair_step(&self, plan: &str, step: u32) -> Result<bool> {
        let sql = "UPDATE repair_step SET done = 1
            WHERE step = ?1 AND done = 0 AND EXISTS (SELECT 1 FROM repair WHERE plan = ?2)";
        self.run(|connection| Ok(connection.prepare_cached(sql)?.execute(params![step, plan])? == 1))
    }

    /// Ends a plan: only the steps of `kept` stay open, and without any the plan is deleted. Returns `false` when
    /// another plan, or none, is stored.
    pub fn end_repair(&self, plan: &str, kept: &BTreeSet<u32>) -> Result<bool> {
        if self.repair()?.is_none_or(|stored| stored.plan != plan) {
            return Ok(false);
        }
        if kept.is_empty() {
            return self.clear_repair().map(|()| true);
        }
        let ended: Vec<u32> = self.open_repair_steps()?.iter().map(|step| step.step).collect();
        self.run(|connection| {
            let mut statement = connection.prepare_cached("UPDATE repair_step SET done = 1 WHERE step = ?1")?;
            let mut ended = ended.iter().filter(|step| !kept.contains(step));
            ended.try_for_each(|step| statement.execute(params![step]).map(drop))?;
            Ok(true)
        })
    }

    fn clear_repair(&self) -> Result<()> {
        self.run(|connection| {
            connection.prepare_cached("DELETE FROM repair_step")?.execute([])?;
            connection.prepare_cached("DELETE FROM repair")?.execute([]).map(drop)
        })
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
        }
    }

    fn steps(job: CoordinatorKey) -> [RepairStep; 3] {
        [(1, None), (2, Some(1)), (3, Some(2))].map(|(step, action_number)| RepairStep {
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
        assert_eq!(store.read(Snapshot::repair).unwrap(), Some(repair()));
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), steps);
        store
            .transact(|transaction| {
                assert!(transaction.finish_repair_step("one", 2)?);
                assert!(!transaction.finish_repair_step("one", 2)?);
                assert!(!transaction.finish_repair_step("one", 9)?);
                transaction.set_repair_cleaned("one", &BTreeSet::from([3]))
            })
            .unwrap();
        let cleaned = RepairStep { cleaned: true, ..steps[2].clone() };
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), [steps[0].clone(), cleaned.clone()]);
        assert_eq!(store.read(Snapshot::repair).unwrap(), Some(Repair { cleaned: true, ..repair() }));
        assert!(store.transact(|transaction| transaction.end_repair("one", &BTreeSet::from([3]))).unwrap());
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), [cleaned]);
        assert!(store.transact(|transaction| transaction.end_repair("one", &BTreeSet::new())).unwrap());
        assert_eq!(store.read(Snapshot::repair).unwrap(), None);
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), []);
    }

    #[test]
    fn a_change_of_one_plan_leaves_another_plan_alone() {
        let (_folder, mut store) = fresh();
        let steps = steps(store.transact(coordinator).unwrap().job);
        let other = Repair { plan: "two".to_owned(), ..repair() };
        store.transact(|transaction| transaction.store_repair(&repair(), &steps)).unwrap();
        store.transact(|transaction| transaction.store_repair(&other, &steps[..1])).unwrap();
        store
            .transact(|transaction| {
                assert!(!transaction.finish_repair_step("one", 1)?);
                assert!(!transaction.set_repair_cleaned("one", &BTreeSet::from([1]))?);
                assert!(!transaction.end_repair("one", &BTreeSet::new())?);
                Ok(())
            })
            .unwrap();
        assert_eq!(store.read(Snapshot::repair).unwrap(), Some(other));
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), steps[..1]);
    }
}

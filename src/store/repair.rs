//! Tables `repair` and `repair_step`: the plan of a rerun of many actions, until all of it is done.

use rusqlite::params;

use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::error::Result;
use crate::model::row::{Repair, RepairStep};

table_row! { Repair { created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned } }
table_row! { RepairStep { step, coordinator_job, action_number, workflow_job, nominal_at, run, done } }

impl Snapshot {
    /// Returns the rerun of many actions that is not done; `None` when there is none.
    pub(crate) fn repair(&self) -> Result<Option<Repair>> {
        self.run(|connection| query_one(connection, "SELECT * FROM repair", []))
    }

    /// Returns the steps of that rerun that are not done, in the order of the plan.
    pub(crate) fn open_repair_steps(&self) -> Result<Vec<RepairStep>> {
        self.run(|connection| query_rows(connection, "SELECT * FROM repair_step WHERE done = 0 ORDER BY step", []))
    }
}

impl Transaction<'_> {
    /// Stores the plan of a rerun; any earlier one is deleted.
    pub(crate) fn store_repair(&self, repair: &Repair, steps: &[RepairStep]) -> Result<()> {
        self.delete_repair()?;
        self.run(|connection| {
            let sql = "INSERT INTO repair
                (repair, created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned)
                VALUES (1, :created_at, :actor, :refresh, :failed, :nocleanup, :newest_first, :properties, :cleaned)";
            execute_row(connection, sql, repair, &[])?;
            let sql = "INSERT INTO repair_step
                (step, coordinator_job, action_number, workflow_job, nominal_at, run, done)
                VALUES (:step, :coordinator_job, :action_number, :workflow_job, :nominal_at, :run, :done)";
            steps.iter().try_for_each(|step| execute_row(connection, sql, step, &[]).map(drop))
        })
    }

    /// Records that the outputs of the plan are deleted.
    pub(crate) fn set_repair_cleaned(&self) -> Result<()> {
        self.run(|connection| connection.prepare_cached("UPDATE repair SET cleaned = 1")?.execute([]).map(drop))
    }

    /// Marks a step as done; returns `false` when it was done already, or is no longer in the plan.
    pub(crate) fn finish_repair_step(&self, step: u32) -> Result<bool> {
        let sql = "UPDATE repair_step SET done = 1 WHERE step = ?1 AND done = 0";
        self.run(|connection| Ok(connection.prepare_cached(sql)?.execute(params![step])? == 1))
    }

    /// Deletes the plan.
    pub(crate) fn delete_repair(&self) -> Result<()> {
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

    #[test]
    fn a_step_is_done_once_and_the_others_stay_open() {
        let (_folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap().job;
        let other = store.transact(workflow).unwrap().job;
        let repair = Repair {
            created_at: NOW,
            actor: "ann".to_owned(),
            refresh: true,
            failed: false,
            nocleanup: true,
            newest_first: false,
            properties: "{}".to_owned(),
            cleaned: false,
        };
        let step = |step: u32, action_number| RepairStep {
            step,
            coordinator_job: Some(job),
            action_number,
            workflow_job: None,
            nominal_at: NOW + i64::from(step),
            run: 2,
            done: false,
        };
        let of_workflow = RepairStep { coordinator_job: None, workflow_job: Some(other), ..step(3, None) };
        let steps = [step(1, None), step(2, Some(1)), of_workflow];
        store.transact(|transaction| transaction.store_repair(&repair, &steps)).unwrap();
        assert_eq!(store.read(Snapshot::repair).unwrap(), Some(repair.clone()));
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), steps);
        store
            .transact(|transaction| {
                assert!(transaction.finish_repair_step(2)?);
                assert!(!transaction.finish_repair_step(2)?);
                assert!(!transaction.finish_repair_step(9)?);
                transaction.set_repair_cleaned()
            })
            .unwrap();
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), [steps[0].clone(), steps[2].clone()]);
        assert_eq!(store.read(Snapshot::repair).unwrap(), Some(Repair { cleaned: true, ..repair.clone() }));
        let other = Repair { actor: "bob".to_owned(), ..repair };
        store
            .transact(|transaction| {
                transaction.store_repair(&other, &steps[..1])?;
                assert_eq!((transaction.repair()?, transaction.open_repair_steps()?.len()), (Some(other), 1));
                transaction.delete_repair()
            })
            .unwrap();
        assert_eq!(store.read(Snapshot::repair).unwrap(), None);
        assert_eq!(store.read(Snapshot::open_repair_steps).unwrap(), []);
    }
}

//! Table `workflow_node`: one row per node that a workflow job has reached.
//!
//! A node that runs again keeps its row; `attempt` has the results of its processes. A node that the present run of its
//! job has not reached yet is forgotten: its row is kept only for its attempts and is hidden from all other queries.

use super::job_filter::json_list;
use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::row::{CommandNeeds, RunningNode, WaitingNode, WorkflowKey, WorkflowNode};
use howdah_words::model::status::NodeStatus;
use howdah_words::model::time::Now;

table_row! {
    WorkflowNode {
        job, name, run, sequence, kind, status, transition, started_at, ended_at, user_retry_count, retry_at,
        retry_boot, retry_uptime, external_id, external_status, tracker_uri, error_code, error_message, data, stats,
        body, pool, place,
    }
}

impl Snapshot {
    /// One node of a workflow job.
    pub fn workflow_node(&self, job: WorkflowKey, name: &str) -> Result<Option<WorkflowNode>> {
        let sql = "SELECT * FROM workflow_node WHERE job = ?1 AND name = ?2 AND forgotten = 0";
        self.run(|connection| query_one(connection, sql, params![job, name]))
    }

    /// The nodes that a workflow job has reached, in the order in which they began.
    pub fn workflow_nodes(&self, job: WorkflowKey) -> Result<Vec<WorkflowNode>> {
        let sql = "SELECT * FROM workflow_node WHERE job = ?1 AND forgotten = 0 ORDER BY sequence, name";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// The same with the nodes that only earlier runs of the job have reached.
    pub fn workflow_nodes_of_all_runs(&self, job: WorkflowKey) -> Result<Vec<WorkflowNode>> {
        let sql = "SELECT * FROM workflow_node WHERE job = ?1 ORDER BY sequence, name";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// The nodes of RUNNING jobs whose next try is due at `now`, the longest overdue first.
    pub fn nodes_to_retry(&self, now: &Now) -> Result<Vec<WorkflowNode>> {
        let parameters = named_params! { ":at": now.at, ":boot": now.moment.boot, ":uptime": now.moment.seconds };
        self.run(|connection| query_rows(connection, include_str!("sql/workflow_node/to_retry.sql"), parameters))
    }

    /// The nodes of running workflow jobs that have not begun, or are due to be tried again, in the order in which
    /// their jobs reached them.
    pub fn waiting_nodes(&self, now: &Now) -> Result<Vec<WaitingNode>> {
        let parameters = named_params! { ":at": now.at, ":boot": now.moment.boot, ":uptime": now.moment.seconds };
        self.run(|connection| {
            let mut statement = connection.prepare_cached(include_str!("sql/workflow_node/waiting.sql"))?;
            let row = |row: &rusqlite::Row<'_>| {
                let (job, node) = (row.column(0)?, row.column(1)?);
                let needs = CommandNeeds { kind: row.column(4)?, pool: row.column(5)?, place: row.column(6)? };
                Ok(WaitingNode { job, node, coordinator: row.column(2)?, nominal_at: row.column(3)?, needs })
            };
            statement.query_map(parameters, row)?.collect()
        })
    }

    /// The nodes whose attempts are open.
    pub fn running_nodes(&self) -> Result<Vec<RunningNode>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(include_str!("sql/workflow_node/running.sql"))?;
            let row = |row: &rusqlite::Row<'_>| {
                let needs = CommandNeeds { kind: row.column(3)?, pool: row.column(4)?, place: row.column(5)? };
                Ok(RunningNode { attempt: row.column(0)?, job: row.column(1)?, coordinator: row.column(2)?, needs })
            };
            statement.query_map([], row)?.collect()
        })
    }
}

impl Transaction<'_> {
    /// Stores a node that this run of its job reaches for the first time; E0603 for a node that it has reached already.
    pub fn insert_workflow_node(&self, node: &WorkflowNode) -> Result<()> {
        let sql = include_str!("sql/workflow_node/insert.sql");
        self.run(|connection| match execute_row(connection, sql, node, &[])? {
            0 => Err(rusqlite::Error::StatementChangedRows(0)),
            _ => Ok(()),
        })
    }

    /// Forgets the nodes of a job except the named ones, because the job runs again.
    pub fn forget_workflow_nodes<'n>(&self, job: WorkflowKey, but: impl IntoIterator<Item = &'n String>) -> Result<()> {
        let but: Vec<&str> = but.into_iter().map(String::as_str).collect();
        let sql = include_str!("sql/workflow_node/forget.sql");
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![job, json_list(&but)]).map(drop))
    }

    /// Writes everything that may change in a node; returns `false` and writes nothing when its status is no longer
    /// `from`.
    pub fn update_workflow_node(&self, from: NodeStatus, node: &WorkflowNode) -> Result<bool> {
        let sql = include_str!("sql/workflow_node/update.sql");
        self.run(|connection| Ok(execute_row(connection, sql, node, &[("from", &from)])? > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, fresh, node, workflow};
    use super::*;
    use howdah_words::model::time::Moment;

    #[test]
    fn a_node_reads_back_after_every_column_was_set() {
        let (_folder, mut store) = fresh();
        let job = store.transact(workflow).unwrap().job;
        let mut load = node(job, "load", 2);
        store
            .transact(|transaction| {
                transaction.insert_workflow_node(&load)?;
                transaction.insert_workflow_node(&node(job, "start", 1))
            })
            .unwrap();
        load.run = 2;
        load.status = NodeStatus::Error;
        load.transition = Some("fail".to_owned());
        load.ended_at = Some(NOW + 3);
        load.user_retry_count = 1;
        load.retry_in(60, &now(0, "this"));
        load.external_id = Some("job_1".to_owned());
        load.external_status = Some("FAILED".to_owned());
        load.error_code = Some("JA018".to_owned());
        load.error_message = Some("exit 1".to_owned());
        load.tracker_uri = Some("slurm".to_owned());
        load.data = Some("{}".to_owned());
        load.stats = Some("{}".to_owned());
        load.body = Some(store.transact(|transaction| transaction.store_document("<shell/>")).unwrap());
        for (from, expect) in [(NodeStatus::Ok, false), (NodeStatus::Running, true), (NodeStatus::Running, false)] {
            let changed = store.transact(|transaction| transaction.update_workflow_node(from, &load)).unwrap();
            assert_eq!(changed, expect, "{from}");
        }
        store
            .read(|snapshot| {
                assert_eq!(snapshot.workflow_node(job, "load")?, Some(load.clone()));
                assert_eq!(snapshot.workflow_nodes(job)?, [node(job, "start", 1), load.clone()]);
                Ok(())
            })
            .unwrap();
        for (status, at, due) in [("RUNNING", 59, false), ("RUNNING", 60, true), ("SUSPENDED", 60, false)] {
            let update = format!("UPDATE workflow_job SET status = '{status}'");
            store.file.connection.execute(&update, []).unwrap();
            let found = store.read(|snapshot| snapshot.nodes_to_retry(&now(at, "this"))).unwrap();
            assert_eq!(found == [load.clone()], due, "{status} {at}");
        }
    }

    /// The clocks `seconds` after `NOW`, in a boot of the machine that started in 1970.
    fn now(seconds: i64, boot: &str) -> Now {
        Now { at: NOW + seconds, moment: Moment { boot: boot.to_owned(), seconds: NOW.seconds() + seconds } }
    }

    #[test]
    fn a_retry_uses_the_clock_that_cannot_be_set() {
        let (_folder, mut store) = fresh();
        let job = store.transact(workflow).unwrap().job;
        let mut load = node(job, "load", 1);
        load.retry_in(60, &now(0, "this"));
        store.transact(|transaction| transaction.insert_workflow_node(&load)).unwrap();
        store.file.connection.execute("UPDATE workflow_job SET status = 'RUNNING'", []).unwrap();
        let check = |at: i64, (boot, uptime): (&str, i64), expect: bool| {
            let now = Now { at: NOW + at, moment: now(uptime, boot).moment };
            let found = store.read(|snapshot| snapshot.nodes_to_retry(&now)).unwrap();
            assert_eq!((found.len() == 1, load.is_retry_due(&now)), (expect, expect), "{at} {boot} {uptime}");
        };
        check(-3600, ("this", 60), true);
        check(3600, ("this", 59), false);
        check(59, ("another", 3600), false);
        check(60, ("another", -3600), true);
    }

    #[test]
    fn a_rerun_forgets_nodes_until_they_are_reached_again() {
        let (_folder, mut store) = fresh();
        let job = store.transact(workflow).unwrap().job;
        let names = |store: &super::super::Store, all: bool| {
            let nodes =
                store.read(
                    |snapshot| {
                        if all { snapshot.workflow_nodes_of_all_runs(job) } else { snapshot.workflow_nodes(job) }
                    },
                );
            nodes.unwrap().into_iter().map(|node| format!("{} {}", node.name, node.run)).collect::<Vec<_>>().join(", ")
        };
        let again = WorkflowNode { run: 2, ..node(job, "b", 3) };
        store
            .transact(|transaction| {
                transaction.insert_workflow_node(&node(job, "a", 1))?;
                transaction.insert_workflow_node(&node(job, "b", 2))?;
                transaction.forget_workflow_nodes(job, &["a".to_owned()])
            })
            .unwrap();
        assert_eq!((names(&store, false), names(&store, true)), ("a 1".to_owned(), "a 1, b 1".to_owned()));
        assert_eq!(store.read(|snapshot| snapshot.workflow_node(job, "b")).unwrap(), None);
        store.transact(|transaction| transaction.insert_workflow_node(&again)).unwrap();
        assert_eq!(names(&store, false), "a 1, b 2");
        assert!(store.transact(|transaction| transaction.insert_workflow_node(&again)).is_err(), "it is known");
        store.transact(|transaction| transaction.forget_workflow_nodes(job, &[])).unwrap();
        assert_eq!(names(&store, false), "");
    }

    #[test]
    fn every_status_is_accepted_and_no_other_word() {
        let (_folder, mut store) = fresh();
        let mut load = node(store.transact(workflow).unwrap().job, "load", 1);
        store.transact(|transaction| transaction.insert_workflow_node(&load)).unwrap();
        for status in NodeStatus::ALL {
            let from = std::mem::replace(&mut load.status, *status);
            assert!(store.transact(|transaction| transaction.update_workflow_node(from, &load)).unwrap(), "{status}");
        }
        assert!(store.file.connection.execute("UPDATE workflow_node SET status = 'WAITING'", []).is_err());
    }
}

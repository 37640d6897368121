//! Table `attempt`: one row per start of a node's process, written before the process exists.
//!
//! Must not depend on processes or files: other modules read the folder of an attempt, and the result is recorded here.

use std::collections::HashSet;

use super::row::{execute_row, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, Attempt, AttemptKey, AttemptState, WorkflowKey};
use howdah_words::model::time::Timestamp;

table_row! {
    Attempt {
        attempt, token, job, node, run, number, directory, state, created_at, started_at, ended_at, exit_code, signal,
        detail, user_seconds, system_seconds, max_memory, kill_requested_at,
    }
}

impl Snapshot {
    /// The attempts without an outcome, oldest first.
    pub fn open_attempts(&self) -> Result<Vec<Attempt>> {
        let sql = "SELECT * FROM attempt WHERE state = 'STARTED' ORDER BY attempt";
        self.run(|connection| query_rows(connection, sql, []))
    }

    /// The attempts without an outcome of workflow jobs that are suspended.
    pub fn attempts_of_suspended_jobs(&self) -> Result<Vec<Attempt>> {
        self.run(|connection| query_rows(connection, include_str!("sql/attempt/suspended.sql"), []))
    }

    /// Whether any attempt is without an outcome.
    pub fn has_any_open_attempt(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM attempt WHERE state = 'STARTED')";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// The attempts without an outcome that have to end: their node no longer runs them, or an operator asked for it.
    pub fn unwanted_attempts(&self) -> Result<HashSet<AttemptKey>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(include_str!("sql/attempt/unwanted.sql"))?;
            statement.query_map([], |row| row.column(0))?.collect()
        })
    }

    /// Whether a workflow job, or one below it, has an attempt without an outcome.
    pub fn has_open_attempts(&self, job: WorkflowKey) -> Result<bool> {
        self.has_open_below(Some(job), None)
    }

    /// Whether a workflow job of an action, or one below it, has an attempt without an outcome.
    pub fn has_open_attempts_of_action(&self, action: ActionKey) -> Result<bool> {
        self.has_open_below(None, Some(action))
    }

    fn has_open_below(&self, workflow: Option<WorkflowKey>, action: Option<ActionKey>) -> Result<bool> {
        let parameters = named_params! {
            ":workflow": workflow,
            ":coordinator": action.map(|action| action.job),
            ":action": action.map(|action| action.number),
        };
        self.run(|connection| {
            let sql = include_str!("sql/attempt/open_below.sql");
            connection.prepare_cached(sql)?.query_row(parameters, |row| row.column(0))
        })
    }

    /// The latest attempt of all; the default key before the first.
    pub fn newest_attempt(&self) -> Result<AttemptKey> {
        let sql = "SELECT coalesce(max(attempt), 0) FROM attempt";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// The latest attempts of the present runs of workflow jobs, the latest first, at most `most`.
    pub fn newest_attempts(&self, most: u32) -> Result<Vec<Attempt>> {
        let sql = "SELECT attempt.* FROM attempt CROSS JOIN workflow_job ON workflow_job.job = attempt.job
            WHERE workflow_job.run = attempt.run ORDER BY attempt DESC LIMIT ?1";
        self.run(|connection| query_rows(connection, sql, params![most]))
    }

    /// The attempts of a node, oldest first.
    pub fn attempts_of_node(&self, job: WorkflowKey, node: &str) -> Result<Vec<Attempt>> {
        let sql = "SELECT * FROM attempt WHERE job = ?1 AND node = ?2 ORDER BY attempt";
        self.run(|connection| query_rows(connection, sql, params![job, node]))
    }
}

impl Transaction<'_> {
    /// Stores a new attempt and sets its key.
    pub fn insert_attempt(&self, attempt: &mut Attempt) -> Result<AttemptKey> {
        attempt.attempt = self.run(|connection| {
            execute_row(connection, include_str!("sql/attempt/insert.sql"), attempt, &[])?;
            Ok(AttemptKey(connection.last_insert_rowid()))
        })?;
        Ok(attempt.attempt)
    }

    /// Requests the end of an attempt; returns `false` and writes nothing when it has an outcome or the end was already
    /// requested.
    pub fn request_kill(&self, attempt: AttemptKey, at: Timestamp) -> Result<bool> {
        let sql = include_str!("sql/attempt/request_kill.sql");
        let parameters = named_params! { ":attempt": attempt, ":at": at };
        self.run(|connection| Ok(connection.prepare_cached(sql)?.execute(parameters)? > 0))
    }

    /// Writes the outcome of an attempt; returns `false` and writes nothing when its state is no longer `from`. Does
    /// not change whether an operator asked for its end.
    pub fn update_attempt(&self, from: AttemptState, attempt: &Attempt) -> Result<bool> {
        let sql = include_str!("sql/attempt/update.sql");
        self.run(|connection| Ok(execute_row(connection, sql, attempt, &[("from", &from)])? > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::super::testing::{NOW, fresh, node, workflow};
    use super::*;
    use howdah_words::model::cpu_time::CpuTime;
    use howdah_words::model::row::WorkflowNode;
    use howdah_words::model::status::NodeStatus;

    fn stored(store: &mut Store, number: u32) -> Result<Attempt> {
        store.transact(|transaction| {
            let job = match transaction.active_workflow_jobs()?.pop() {
                Some(job) => job.job,
                None => workflow(transaction)?.job,
            };
            if transaction.workflow_node(job, "load")?.is_none() {
                transaction.insert_workflow_node(&node(job, "load", 1))?;
            }
            let token = format!("token-{number}");
            let mut attempt = Attempt { number, ..Attempt::new((job, "load"), token, "attempts/1".to_owned(), NOW) };
            transaction.insert_attempt(&mut attempt)?;
            Ok(attempt)
        })
    }

    #[test]
    fn an_attempt_is_open_until_its_outcome_is_written_once() {
        let (_folder, mut store) = fresh();
        let (mut first, second) = (stored(&mut store, 1).unwrap(), stored(&mut store, 2).unwrap());
        assert_eq!(store.read(Snapshot::open_attempts).unwrap(), [first.clone(), second.clone()]);
        assert!(store.read(Snapshot::has_any_open_attempt).unwrap());
        let node = store.read(|snapshot| snapshot.workflow_node(first.job, "load")).unwrap().expect("the node");
        for (status, run, unwanted) in [
            (NodeStatus::Running, first.run, [].into()),
            (NodeStatus::Running, first.run + 1, [first.attempt, second.attempt].into()),
            (NodeStatus::Killed, first.run, [first.attempt, second.attempt].into()),
        ] {
            let stored = store.read(|snapshot| snapshot.workflow_node(first.job, "load")).unwrap().unwrap().status;
            let node = WorkflowNode { run, status, ..node.clone() };
            assert!(store.transact(|transaction| transaction.update_workflow_node(stored, &node)).unwrap());
            assert_eq!(store.read(Snapshot::unwanted_attempts).unwrap(), unwanted, "{status} {run}");
        }
        first.state = AttemptState::Ended;
        first.started_at = Some(NOW + 1);
        first.ended_at = Some(NOW + 2);
        first.exit_code = Some(3);
        first.signal = Some(9);
        first.detail = Some("killed".to_owned());
        first.user_seconds = Some(CpuTime::from_seconds(1.25));
        first.system_seconds = Some(CpuTime::from_seconds(0.0));
        first.max_memory = Some(9 << 30);
        for expect in [true, false] {
            let changed = store.transact(|transaction| transaction.update_attempt(AttemptState::Started, &first));
            assert_eq!(changed.unwrap(), expect);
        }
        assert_eq!(store.read(Snapshot::open_attempts).unwrap(), std::slice::from_ref(&second));
        let all = store.read(|snapshot| snapshot.attempts_of_node(first.job, "load")).unwrap();
        assert_eq!(all, [first, second]);
    }

    #[test]
    fn an_attempt_is_asked_to_end_once_and_while_it_is_open() {
        let (_folder, mut store) = fresh();
        let (mut first, second) = (stored(&mut store, 1).unwrap(), stored(&mut store, 2).unwrap());
        let node = store.read(|snapshot| snapshot.workflow_node(first.job, "load")).unwrap().expect("the node");
        let running = WorkflowNode { run: first.run, status: NodeStatus::Running, ..node.clone() };
        store.transact(|transaction| transaction.update_workflow_node(node.status, &running)).unwrap();
        let mut ask = |at| store.transact(|transaction| transaction.request_kill(first.attempt, at)).unwrap();
        assert_eq!([ask(NOW), ask(NOW + 1)], [true, false]);
        assert_eq!(store.read(Snapshot::unwanted_attempts).unwrap(), [first.attempt].into());
        // A process that read the row before the request writes its outcome.
        first.state = AttemptState::Ended;
        assert!(store.transact(|transaction| transaction.update_attempt(AttemptState::Started, &first)).unwrap());
        first.kill_requested_at = Some(NOW);
        let all = store.read(|snapshot| snapshot.attempts_of_node(first.job, "load")).unwrap();
        assert_eq!(all, [first.clone(), second]);
        assert!(!store.transact(|transaction| transaction.request_kill(first.attempt, NOW)).unwrap());
        assert!(store.read(Snapshot::unwanted_attempts).unwrap().is_empty());
    }

    #[test]
    fn every_state_is_accepted_and_no_other_word_and_no_number_twice() {
        let (_folder, mut store) = fresh();
        let mut attempt = stored(&mut store, 1).unwrap();
        assert!(stored(&mut store, 1).is_err());
        for state in AttemptState::ALL {
            let from = std::mem::replace(&mut attempt.state, *state);
            assert!(store.transact(|transaction| transaction.update_attempt(from, &attempt)).unwrap(), "{state:?}");
            assert_eq!(AttemptState::from_word(state.as_str()), Some(*state));
        }
        assert!(store.file.connection.execute("UPDATE attempt SET state = 'RUNNING'", []).is_err());
    }
}

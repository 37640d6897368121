//! What a test reads from the database without howdah.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// A database, read only.
pub struct Database {
    connection: Connection,
}

impl Database {
    /// Opens the file of a database that exists.
    pub fn open(path: &Path) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).expect("a database");
        connection.busy_timeout(std::time::Duration::from_secs(10)).expect("a timeout");
        Self { connection }
    }

    /// Returns every row of a query, its columns joined by blanks, NULL as `-`; one line each.
    pub fn rows(&self, query: &str) -> Vec<String> {
        let mut statement = self.connection.prepare(query).expect(query);
        let columns = statement.column_count();
        let text = |value: rusqlite::types::ValueRef<'_>| match value {
            rusqlite::types::ValueRef::Null => "-".to_owned(),
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            rusqlite::types::ValueRef::Real(number) => number.to_string(),
            rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            rusqlite::types::ValueRef::Blob(_) => "blob".to_owned(),
        };
        let rows = statement.query_map([], |row| {
            let fields: rusqlite::Result<Vec<String>> =
                (0..columns).map(|column| row.get_ref(column).map(text)).collect();
            Ok(fields?.join(" "))
        });
        rows.and_then(Iterator::collect).expect(query)
    }

    /// Returns the only value that a query finds.
    pub fn value(&self, query: &str) -> String {
        let rows = self.rows(query);
        assert_eq!(rows.len(), 1, "{query}: {rows:?}");
        rows.into_iter().next().expect("one row")
    }

    /// Returns the status of a coordinator job, a workflow job or a bundle.
    pub fn job(&self, id: &str) -> String {
        let table = match id.rsplit_once('-') {
            Some((_, "C")) => "coordinator_job",
            Some((_, "B")) => "bundle_job",
            _ => "workflow_job",
        };
        self.value(&format!("SELECT status FROM {table} WHERE id = '{id}'"))
    }

    /// Returns `number status` of every coordinator action, oldest first, separated by commas.
    pub fn actions(&self) -> String {
        self.rows("SELECT number, status FROM coordinator_action ORDER BY job, number").join(", ")
    }

    /// Returns `name status` of every node, in the order in which they were reached, separated by commas.
    pub fn nodes(&self) -> String {
        self.rows("SELECT name, status FROM workflow_node WHERE forgotten = 0 ORDER BY job, sequence").join(", ")
    }

    /// Returns every row of every table.
    pub fn dump(&self) -> Vec<String> {
        let tables = self.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
        tables.iter().flat_map(|table| self.rows(&format!("SELECT '{table}', * FROM {table}"))).collect()
    }

    /// Checks the rules that hold in every committed state.
    pub fn check(&self) {
        for (query, promise) in INVARIANTS {
            let rows = self.rows(query);
            assert!(rows.is_empty(), "{promise}: {rows:?}");
        }
        assert_eq!(self.value("PRAGMA integrity_check"), "ok");
    }
}

/// Queries that must find nothing, and what a result would mean.
const INVARIANTS: &[(&str, &str)] = &[
    ("SELECT * FROM pragma_foreign_key_check", "every reference leads somewhere"),
    (
        "SELECT job, status, sum(actions) FROM (SELECT job, status, 1 AS actions FROM coordinator_action UNION ALL
            SELECT job, status, last_number - number + 1 FROM coordinator_action_range) GROUP BY job, status
         EXCEPT SELECT job, status, count FROM coordinator_count",
        "the stored counts of actions are right",
    ),
    (
        "SELECT job, status, count FROM coordinator_count WHERE count > 0
         EXCEPT SELECT job, status, sum(actions) FROM (SELECT job, status, 1 AS actions FROM coordinator_action UNION ALL
            SELECT job, status, last_number - number + 1 FROM coordinator_action_range) GROUP BY job, status",
        "the stored counts of actions are right",
    ),
    (
        "SELECT w.parent_coordinator, w.parent_action, count(*), a.run FROM workflow_job w
         JOIN coordinator_action a ON a.job = w.parent_coordinator AND a.number = w.parent_action
         GROUP BY 1, 2 HAVING count(*) > a.run + 1",
        "an action has one workflow job, and one more for each rerun",
    ),
    (
        "SELECT a.job, number, a.status, w.status FROM coordinator_action a JOIN workflow_job w ON w.id = a.external_id
         WHERE (a.status, w.status) NOT IN (VALUES ('RUNNING', 'PREP'), ('RUNNING', 'RUNNING'),
            ('SUSPENDED', 'PREP'), ('SUSPENDED', 'SUSPENDED'), ('SUCCEEDED', 'SUCCEEDED'), ('KILLED', 'KILLED'),
            ('FAILED', 'FAILED'), ('IGNORED', 'KILLED'), ('IGNORED', 'FAILED'))
           AND NOT (a.run > 0 AND a.status IN ('WAITING', 'READY')
                    AND w.status IN ('SUCCEEDED', 'FAILED', 'KILLED'))",
        "an action shows what its workflow job does",
    ),
    (
        "SELECT job, number, status FROM coordinator_action
         WHERE status IN ('RUNNING', 'SUSPENDED', 'SUCCEEDED') AND external_id IS NULL",
        "an action that runs has a workflow job",
    ),
    (
        "SELECT attempt.job, node, number, state FROM attempt JOIN workflow_job USING (job)
         WHERE state = 'STARTED' AND status IN ('SUCCEEDED', 'FAILED', 'KILLED')
           AND NOT EXISTS (SELECT 1 FROM workflow_node n WHERE n.job = attempt.job AND n.name = node
                           AND n.status = 'KILLED')",
        "no attempt is open when its job is over, except one that is being killed",
    ),
    (
        "SELECT n.job, n.name, n.status, max(a.number), n.user_retry_count FROM workflow_node n
         JOIN attempt a ON a.job = n.job AND a.node = n.name AND a.run = n.run
         WHERE NOT (a.state = 'KILLED' AND a.started_at IS NULL AND a.kill_requested_at IS NULL)
         GROUP BY 1, 2 HAVING count(*) > n.user_retry_count + 1",
        "a node has one attempt that was not taken back, and one more for each retry",
    ),
    (
        "SELECT n.job, n.name, n.status FROM workflow_node n
         WHERE n.forgotten = 0 AND n.status NOT IN ('OK', 'ERROR', 'KILLED', 'FAILED') AND EXISTS
            (SELECT 1 FROM workflow_job w WHERE w.job = n.job AND w.status IN ('SUCCEEDED', 'FAILED', 'KILLED'))",
        "every node is over when its job is",
    ),
    (
        "SELECT job, number, nominal_at FROM coordinator_action GROUP BY job, nominal_at HAVING count(*) > 1",
        "a nominal time has one action",
    ),
    (
        "SELECT bundle, bundle_coordinator.name FROM bundle_coordinator JOIN bundle_job ON job = bundle
         WHERE (coordinator_job IS NULL) <> (started_at IS NULL) AND oozie_id IS NULL
         UNION SELECT parent_bundle, name FROM coordinator_job WHERE parent_bundle IS NOT NULL
            AND job NOT IN (SELECT coordinator_job FROM bundle_coordinator WHERE bundle = parent_bundle)",
        "the coordinators of a bundle are all submitted, each once, or none is",
    ),
    (
        "SELECT job, last_action_number FROM coordinator_job WHERE last_action_number + 1 - coalesce((SELECT min(number)
               FROM (SELECT job, number FROM coordinator_action UNION ALL SELECT job, number FROM coordinator_action_range) a
               WHERE a.job = coordinator_job.job), last_action_number + 1) <>
            (SELECT count(*) FROM coordinator_action a WHERE a.job = coordinator_job.job)
            + (SELECT coalesce(sum(last_number - number + 1), 0) FROM coordinator_action_range a
               WHERE a.job = coordinator_job.job)
            AND job NOT IN (SELECT coordinator_job FROM condemned WHERE coordinator_job IS NOT NULL)
            -- An Oozie has run what is missing.
            AND job NOT IN (SELECT job FROM takeover WHERE job IS NOT NULL)",
        "actions are numbered without a gap, from the first that the job has",
    ),
];

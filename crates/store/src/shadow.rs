//! Tables `shadow` and `shadow_job`: whether the database is a shadow of an Oozie, and which jobs it follows.
//!
//! In a shadow, triggers refuse every workflow job and drop every delivery and incident.

use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use howdah_words::error::Result;
use howdah_words::model::row::{Shadow, ShadowJob};

table_row! { Shadow { created_at, follows } }
table_row! { ShadowJob { job, oozie_id, first_number } }

impl Snapshot {
    /// Returns that the database is a shadow; `None` for every other one.
    pub fn shadow(&self) -> Result<Option<Shadow>> {
        self.run(|connection| query_one(connection, "SELECT * FROM shadow", []))
    }

    /// Returns the jobs of a shadow, in the order in which they were stored.
    pub fn shadow_jobs(&self) -> Result<Vec<ShadowJob>> {
        self.run(|connection| query_rows(connection, "SELECT * FROM shadow_job ORDER BY job", []))
    }
}

impl Transaction<'_> {
    /// Makes the database a shadow. It stays one.
    pub fn insert_shadow(&self, shadow: &Shadow) -> Result<()> {
        let sql = "INSERT INTO shadow (shadow, created_at, follows) VALUES (1, :created_at, :follows)";
        self.run(|connection| execute_row(connection, sql, shadow, &[]).map(drop))
    }

    /// Stores which job of Oozie a job follows.
    pub fn insert_shadow_job(&self, job: &ShadowJob) -> Result<()> {
        let sql = "INSERT INTO shadow_job (job, oozie_id, first_number) VALUES (:job, :oozie_id, :first_number)";
        self.run(|connection| execute_row(connection, sql, job, &[]).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, coordinator, fresh};
    use super::*;
    use howdah_words::error::ErrorCode;

    #[test]
    fn a_shadow_refuses_workflow_jobs_and_drops_messages() {
        let (_folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap();
        let shadow = Shadow { created_at: NOW, follows: true };
        let followed = ShadowJob { job: job.job, oozie_id: "1-C".to_owned(), first_number: 5 };
        store
            .transact(|transaction| {
                transaction.insert_shadow_job(&followed)?;
                transaction.insert_shadow(&shadow)
            })
            .unwrap();
        assert_eq!(store.read(Snapshot::shadow).unwrap(), Some(shadow));
        assert_eq!(store.read(Snapshot::shadow_jobs).unwrap(), [followed]);
        let run = |sql: &str| store.read(|snapshot| snapshot.run(|connection| connection.execute(sql, [])));
        let workflow =
            "INSERT INTO workflow_job (id, name, app_path, user, status, created_at, modified_at, definition,
            configuration) VALUES ('1-W', 'w', '/w', 'u', 'PREP', 0, 0, 1, 1)";
        assert_eq!(run(workflow).unwrap_err().code(), ErrorCode::H0245);
        assert_eq!(run("INSERT INTO incident (at, event) VALUES (0, 'FAILED')").unwrap(), 0);
    }
}

//! Tables `takeover` and `bundle_takeover`: the jobs of an Oozie that were taken over, by the ids that they have there.

use super::row::{execute_row, query_one, table_row};
use super::{Snapshot, Transaction};
use crate::column::params;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{BundleJob, BundleKey, BundleTakeover, CoordinatorJob, CoordinatorKey, Takeover};
use howdah_words::model::time::Timestamp;

table_row! {
    Takeover { takeover, oozie_id, job, taken_at, back_at, last_number, end_at, concurrency, left_to_oozie }
}
table_row! { BundleTakeover { oozie_id, bundle, taken_at, back_at } }

impl Snapshot {
    /// The last takeover of a job of Oozie.
    pub fn takeover_of_id(&self, oozie_id: &str) -> Result<Option<Takeover>> {
        let sql = "SELECT * FROM takeover WHERE oozie_id = ?1 ORDER BY takeover DESC LIMIT 1";
        self.run(|connection| query_one(connection, sql, params![oozie_id]))
    }

    /// The takeover to which a job here belongs.
    pub fn takeover_of_job(&self, job: CoordinatorKey) -> Result<Option<Takeover>> {
        self.run(|connection| query_one(connection, "SELECT * FROM takeover WHERE job = ?1", params![job]))
    }

    /// The job that was last taken over from a job of Oozie.
    pub(super) fn job_taken_over(&self, oozie_id: &JobId) -> Result<Option<CoordinatorJob>> {
        let sql = "SELECT coordinator_job.* FROM takeover JOIN coordinator_job USING (job)
            WHERE oozie_id = ?1 ORDER BY takeover DESC LIMIT 1";
        self.run(|connection| query_one(connection, sql, params![oozie_id]))
    }

    /// The last takeover of a bundle of Oozie.
    pub fn bundle_takeover_of_id(&self, oozie_id: &str) -> Result<Option<BundleTakeover>> {
        let sql = "SELECT * FROM bundle_takeover WHERE oozie_id = ?1 ORDER BY bundle_takeover DESC LIMIT 1";
        self.run(|connection| query_one(connection, sql, params![oozie_id]))
    }

    /// The takeover to which a bundle here belongs.
    pub fn takeover_of_bundle(&self, bundle: BundleKey) -> Result<Option<BundleTakeover>> {
        self.run(|connection| query_one(connection, "SELECT * FROM bundle_takeover WHERE bundle = ?1", params![bundle]))
    }

    /// The bundle that was last taken over from a bundle of Oozie.
    pub(super) fn bundle_taken_over(&self, oozie_id: &JobId) -> Result<Option<BundleJob>> {
        let sql = "SELECT bundle_job.* FROM bundle_takeover JOIN bundle_job ON job = bundle
            WHERE oozie_id = ?1 ORDER BY bundle_takeover DESC LIMIT 1";
        self.run(|connection| query_one(connection, sql, params![oozie_id]))
    }
}

impl Transaction<'_> {
    /// Stores that a job was taken over. The row's key is ignored.
    pub fn insert_takeover(&self, takeover: &Takeover) -> Result<()> {
        let sql = "INSERT INTO takeover
                (oozie_id, job, taken_at, back_at, last_number, end_at, concurrency, left_to_oozie)
            VALUES (:oozie_id, :job, :taken_at, :back_at, :last_number, :end_at, :concurrency, :left_to_oozie)";
        self.run(|connection| execute_row(connection, sql, takeover, &[]).map(drop))
    }

    /// Writes what may change in a takeover.
    pub fn update_takeover(&self, takeover: &Takeover) -> Result<()> {
        let sql = "UPDATE takeover SET back_at = :back_at, end_at = :end_at, concurrency = :concurrency,
            left_to_oozie = :left_to_oozie WHERE takeover = :takeover";
        self.run(|connection| execute_row(connection, sql, takeover, &[]).map(drop))
    }

    /// Stores that a bundle was taken over.
    pub fn insert_bundle_takeover(&self, takeover: &BundleTakeover) -> Result<()> {
        let sql = "INSERT INTO bundle_takeover (oozie_id, bundle, taken_at, back_at)
            VALUES (:oozie_id, :bundle, :taken_at, :back_at)";
        self.run(|connection| execute_row(connection, sql, takeover, &[]).map(drop))
    }

    /// Stores that a bundle was given back to its Oozie.
    pub fn give_bundle_back(&self, bundle: BundleKey, at: Timestamp) -> Result<()> {
        let sql = "UPDATE bundle_takeover SET back_at = ?2 WHERE bundle = ?1 AND back_at IS NULL";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![bundle, at]).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, bundle, coordinator, fresh};
    use super::*;
    use howdah_words::model::row::TakeoverKey;

    #[test]
    fn a_job_is_found_by_its_former_id_and_taken_over_once() {
        let (_folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap();
        let former = JobId::parse("0000007-260101000000000-oozie-old-C").unwrap();
        let takeover = Takeover {
            takeover: TakeoverKey(1),
            oozie_id: former.to_string(),
            job: Some(job.job),
            taken_at: NOW,
            back_at: None,
            last_number: 3,
            end_at: job.end_at,
            concurrency: 1,
            left_to_oozie: "2-3".to_owned(),
        };
        store.transact(|transaction| transaction.insert_takeover(&takeover)).unwrap();
        let found = |store: &super::super::Store| store.read(|snapshot| snapshot.coordinator_job(&former)).unwrap();
        assert_eq!(found(&store).map(|job| job.id), Some(job.id.clone()));
        let by_id = store.read(|snapshot| snapshot.takeover_of_id(former.as_str())).unwrap();
        assert_eq!(by_id.as_ref(), Some(&takeover));
        assert_eq!(store.read(|snapshot| snapshot.takeover_of_job(job.job)).unwrap(), by_id);
        assert!(store.transact(|transaction| transaction.insert_takeover(&takeover)).is_err(), "it is here");
        let back = Takeover { back_at: Some(NOW), ..takeover.clone() };
        store.transact(|transaction| transaction.update_takeover(&back)).unwrap();
        assert_eq!(found(&store).map(|job| job.id), Some(job.id), "what it did here is still found");
        store.transact(|transaction| transaction.insert_takeover(&takeover)).unwrap();
    }

    #[test]
    fn a_bundle_is_found_by_its_former_id_and_taken_over_once() {
        let (_folder, mut store) = fresh();
        let former = JobId::parse("0000007-260101000000000-oozie-old-B").unwrap();
        let mut take = || {
            store.transact(|transaction| {
                let job = bundle(transaction)?;
                let (oozie_id, bundle) = (former.to_string(), Some(job.job));
                let takeover = BundleTakeover { oozie_id, bundle, taken_at: NOW, back_at: None };
                transaction.insert_bundle_takeover(&takeover)?;
                assert_eq!(transaction.takeover_of_bundle(job.job)?, Some(takeover));
                assert_eq!(transaction.bundle_job(&former)?.map(|found| found.id), Some(job.id));
                Ok(job.job)
            })
        };
        let first = take().unwrap();
        assert!(take().is_err(), "it is here");
        store.transact(|transaction| transaction.give_bundle_back(first, NOW)).unwrap();
        let back = store.read(|snapshot| snapshot.bundle_takeover_of_id(former.as_str())).unwrap();
        assert_eq!(back.and_then(|takeover| takeover.back_at), Some(NOW));
        assert_eq!(store.read(|snapshot| snapshot.bundle_job(&former)).unwrap().map(|job| job.job), Some(first));
    }
}

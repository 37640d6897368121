//! Table `coordinator_output`: the beginnings of the URIs that a version of a coordinator writes.
//!
//! The definitions contain the same, but to find the writers of a path all of them would have to be read. Must not
//! depend on URIs: a beginning is a prefix of other texts. The rows are created with their definition and stay with it.

use super::row::query_rows;
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorJob, CoordinatorKey};

/// The most characters that are kept: a part of a beginning is a beginning too.
const LONGEST: u32 = 255;

impl Snapshot {
    /// At most `most` jobs whose present definition may write `uri`: first the live ones from the oldest, then the
    /// others from the newest.
    pub fn coordinators_that_may_write(&self, uri: &str, most: u32) -> Result<Vec<CoordinatorJob>> {
        let sql = include_str!("sql/coordinator_output/writers.sql");
        let parameters = named_params! {":uri": uri, ":longest": LONGEST, ":most": most};
        self.run(|connection| query_rows(connection, sql, parameters))
    }

    /// The beginnings of the URIs that a version of a coordinator writes.
    pub fn output_beginnings(&self, job: CoordinatorKey, version: u32) -> Result<Vec<String>> {
        let sql = "SELECT beginning FROM coordinator_output WHERE job = ?1 AND version = ?2";
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_map(params![job, version], |row| row.column("beginning"))?.collect()
        })
    }
}

impl Transaction<'_> {
    /// Stores the beginnings of the URIs that a version writes.
    pub(super) fn insert_outputs(&self, job: CoordinatorKey, version: u32, beginnings: &[String]) -> Result<()> {
        let sql = "INSERT INTO coordinator_output (job, version, beginning) VALUES (?1, ?2, substr(?3, 1, ?4))
            ON CONFLICT DO NOTHING";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            beginnings.iter().try_for_each(|text| statement.execute(params![job, version, text, LONGEST]).map(drop))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{coordinator, fresh};
    use super::*;
    use howdah_words::model::job_status::JobStatus;

    #[test]
    fn writers_are_found_by_the_beginning_of_a_uri_live_ones_first() {
        let (_folder, mut store) = fresh();
        let long = format!("/{}", "x".repeat(300));
        let outputs = [&["/a/", "/b/"][..], &["/a/1"], &["", "/a/", "/a/"], &[&long], &[]];
        store
            .transact(|transaction| {
                for (outputs, status) in outputs.iter().zip(JobStatus::ALL.iter().cycle()) {
                    let mut job = coordinator(transaction)?;
                    let outputs: Vec<String> = outputs.iter().map(|text| (*text).to_owned()).collect();
                    transaction.insert_outputs(job.job, 1, &outputs)?;
                    let before = std::mem::replace(&mut job.status, *status);
                    transaction.update_coordinator_job(before, &job)?;
                }
                for number in 6..=7 {
                    let mut job = coordinator(transaction)?;
                    transaction.insert_outputs(job.job, 1, &["/a/".to_owned()])?;
                    let before = std::mem::replace(&mut job.status, JobStatus::Killed);
                    assert!(transaction.update_coordinator_job(before, &job)?, "{number}");
                }
                Ok(())
            })
            .unwrap();
        let check = |uri: &str, most: u32, expect: &[i64]| {
            let jobs = store.read(|snapshot| snapshot.coordinators_that_may_write(uri, most)).unwrap();
            let keys: Vec<i64> = jobs.iter().map(|job| job.job.0).collect();
            assert_eq!(keys, expect, "{uri}");
        };
        check("/a/17", 9, &[1, 2, 3, 7, 6]);
        check("/a/17", 2, &[1, 2]);
        check("/a/2", 9, &[1, 3, 7, 6]);
        check("/b/", 9, &[1, 3]);
        check("/c", 9, &[3]);
        check("", 9, &[3]);
        check(&format!("{long}/y"), 9, &[3, 4]);
        let stored = store.read(|snapshot| snapshot.output_beginnings(CoordinatorKey(1), 1)).unwrap();
        assert_eq!(stored, ["/a/", "/b/"]);
    }
}

//! Compares all jobs of a shadow with those of Oozie.

use std::collections::BTreeSet;

use super::compare::{Limits, Verdict, compare_action};
use super::difference::ActionDifference;
use super::here::{self, HereJob};
use super::oozie_state::{OozieJob, OozieState};
use super::start_order;
use howdah_engine::Engine;
use howdah_engine::shadow::required;
use howdah_engine::tick_record::TickRecord;
use howdah_words::error::{Error, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::time::Timestamp;

/// The most differences that are kept.
const MOST_KEPT: usize = 10_000;

/// What a comparison found.
#[derive(Debug, Default)]
pub struct Report {
    pub coordinators: usize,
    pub actions: u64,
    pub equal: u64,
    pub different: u64,
    /// One side is ahead by less than the tolerance.
    pub recent: u64,
    /// An operator has stopped them before their turn.
    pub stopped: u64,
    pub differences: Vec<JobDifference>,
    pub left_out: u64,
    pub problems: Vec<Error>,
    /// Up to when both sides are compared.
    pub horizon: Option<Timestamp>,
}

/// A difference of an action of a job.
#[derive(Debug)]
pub struct JobDifference {
    pub oozie_id: String,
    pub id: JobId,
    pub number: u32,
    pub found: ActionDifference,
    /// What else may explain it.
    pub reason: Option<String>,
}

impl Report {
    /// Returns whether nothing differs and everything could be compared.
    pub fn is_good(&self) -> bool {
        self.different == 0 && self.problems.is_empty()
    }
}

/// Compares a shadow with the state of Oozie.
///
/// # Errors
/// H0246 when the database is no shadow, or any failure of the database.
pub fn compare(engine: &Engine, oozie: OozieState, tolerance: i64, now: Timestamp) -> Result<Report> {
    let shadow = required(&engine.store)?;
    let (jobs, last_event) = engine.store.read(|snapshot| {
        let jobs = snapshot.shadow_jobs()?.into_iter().map(|job| here::read(snapshot, job)).collect::<Result<Vec<_>>>();
        Ok((jobs?, snapshot.last_event_at()?.max(snapshot.last_tick_at()?)))
    })?;
    let last_tick = TickRecord::read(engine).map(|record| record.at()).max(last_event);
    let seen = oozie.as_of.map_or(now, |as_of| as_of.min(now)).min(last_tick.map_or(now, |last| last.min(now)));
    let horizon = Timestamp::from_seconds(seen.seconds() - tolerance);
    let mut report = Report { problems: oozie.problems, horizon: Some(horizon), ..Report::default() };
    for job in jobs.into_iter().flatten() {
        let first_number = job.followed.first_number;
        let limits = Limits { tolerance, began: shadow.created_at, horizon, follows: shadow.follows, first_number };
        if let Some(there) = oozie.jobs.get(&job.followed.oozie_id) {
            report.add_job(&job, there, limits);
        }
    }
    Ok(report)
}

impl Report {
    fn add_job(&mut self, here: &HereJob, there: &OozieJob, limits: Limits) {
        self.coordinators += 1;
        let later = there.actions.keys().filter(|number| **number >= limits.first_number);
        let numbers: BTreeSet<u32> = here.actions.keys().chain(later).copied().collect();
        let mut reversed = start_order::compare(here, there, limits);
        for number in numbers {
            let own = reversed.iter().position(|(later, _)| *later == number).map(|place| reversed.remove(place).1);
            let (one, other) = (here.actions.get(&number), there.actions.get(&number));
            let verdict = match (compare_action(number, one, other, limits), own) {
                (Verdict::Different(mut found), Some(order)) => {
                    found.push(order);
                    Verdict::Different(found)
                }
                (_, Some(order)) => Verdict::Different(vec![order]),
                (verdict, None) => verdict,
            };
            self.add(here, there, (number, verdict));
        }
    }

    fn add(&mut self, here: &HereJob, there: &OozieJob, (number, verdict): (u32, Verdict)) {
        self.actions += 1;
        let found = match verdict {
            Verdict::Equal => {
                self.equal += 1;
                return;
            }
            Verdict::Recent => {
                self.recent += 1;
                return;
            }
            Verdict::Stopped => {
                self.stopped += 1;
                return;
            }
            Verdict::Different(found) => found,
        };
        self.different += 1;
        for found in found {
            if self.differences.len() >= MOST_KEPT {
                self.left_out += 1;
                continue;
            }
            let reason = reason(here, there);
            let (oozie_id, id) = (here.followed.oozie_id.clone(), here.job.id.clone());
            self.differences.push(JobDifference { oozie_id, id, number, found, reason });
        }
    }
}

/// Returns what an operator may have done on one side only.
fn reason(here: &HereJob, there: &OozieJob) -> Option<String> {
    let own = here.job.status.as_str();
    let plain = |status: &str| status.replace("WITHERROR", "");
    let is_held =
        |status: &str| ["SUSPENDED", "PAUSED", "KILLED", "FAILED", "IGNORED"].iter().any(|word| status.contains(word));
    let differs = plain(own) != plain(&there.status);
    (differs && (is_held(own) || is_held(&there.status)))
        .then(|| format!("the job is {} in Oozie and {own} here", there.status))
}

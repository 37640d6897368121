//! What can keep a job or an action where it is, and who put it there.
//!
//! Who and when is read from the events: the status alone does not tell.

use serde::Serialize;

use crate::query::context::Query;
use crate::query::explain::why::{By, ByOrBecause, PauseTime, Since, When};
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{CoordinatorJob, Event};
use howdah_words::model::time::Timestamp;

/// What keeps something where it is, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Hold {
    /// Nothing but the next tick.
    NextTick,
    /// Its nominal time, or the start of its job, lies ahead.
    NominalTime,
    /// Inputs are not there.
    Inputs,
    /// The `wait` of its input logic is not over.
    InputLogicWait,
    /// Its inputs cannot be computed, or its workflow cannot be used.
    Definition,
    /// As many actions wait as may.
    Throttle,
    /// As many actions run as may.
    Concurrency,
    /// As many commands run on this machine as may.
    Places,
    /// Other READY actions come first.
    Order,
    /// Its `latest` instances, looked for again after a suspension, are not there.
    Latest,
    /// The job's pause time.
    Pause,
    /// All jobs are paused.
    SitePause,
    /// The workflow job waits to be started.
    Start,
    /// The job, or its workflow job, is suspended.
    Suspension,
    /// It is at work.
    Work,
    /// The job has ended or is ignored, or all its actions are over.
    JobIsOver,
}

impl Query<'_> {
    /// Returns since when a job has its status, and who gave it that status; `None` when no event says so.
    pub fn since(&self, job: &CoordinatorJob) -> Result<Option<Since>> {
        let since = |event: Event| Since { when: self.when(event.at), by: by_user_or_policy(&event) };
        Ok(self.arrival(job)?.map(since))
    }

    /// Returns since when the failure policy has suspended a job, and why; `None` where it has not.
    pub(crate) fn suspension_by_policy(&self, job: &CoordinatorJob) -> Result<Option<String>> {
        if !job.status.is_suspended() {
            return Ok(None);
        }
        let since = self.since(job)?.filter(|since| matches!(since.by, Some(ByOrBecause::Policy(_))));
        Ok(since.map(|since| since.to_string().trim_start().to_owned()))
    }

    /// Returns an instant as it is read now.
    pub fn when(&self, at: Timestamp) -> When {
        When { at, now: self.now }
    }

    /// Returns a job's pause time and, where an event says so, who set it.
    pub fn pause_time(&self, job: &CoordinatorJob, pause: Timestamp) -> Result<PauseTime> {
        let events = self.snapshot.events_of_job_alone(job.job)?;
        let set_by = events.iter().rev().find(|event| event.sets_pause).and_then(By::of);
        Ok(PauseTime { when: self.when(pause), set_by })
    }

    /// The event that brought a job to its status or, past the changes of its error, to the family of that status.
    pub fn arrival(&self, job: &CoordinatorJob) -> Result<Option<Event>> {
        let events = self.snapshot.events_of_job_alone(job.job)?;
        let family = |word: &str| JobStatus::from_word(word).map(without_error);
        let mut arrival = None;
        for event in events.into_iter().rev() {
            if family(&event.to_status) != Some(without_error(job.status)) {
                break;
            }
            arrival = Some(event);
        }
        Ok(arrival)
    }
}

/// Returns who suspended or paused a job: a user, or the failure policy.
fn by_user_or_policy(event: &Event) -> Option<ByOrBecause> {
    let of_policy = || event.reason.clone().filter(|_| event.origin == Origin::Suspend).map(ByOrBecause::Policy);
    By::of(event).map(ByOrBecause::By).or_else(of_policy)
}

/// The status without what its actions add to it.
const fn without_error(status: JobStatus) -> JobStatus {
    match status {
        JobStatus::Running { hold, .. } => JobStatus::Running { hold, with_error: false },
        _ => status,
    }
}

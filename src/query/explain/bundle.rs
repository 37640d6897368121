//! Why a bundle job stands where it stands.

use crate::error::Result;
use crate::model::id::JobId;
use crate::model::status::{BundleStatus, CoordinatorStatus};
use crate::model::time::{MINUTE, Timestamp};
use crate::query::bundle::tally;
use crate::query::context::Look;
use crate::query::explain::explanation::{CoordinatorLine, Explanation};
use crate::query::explain::wording::by;
use crate::query::explain::wording::{count, when};
use crate::store::{BundleJob, BundleMember, CoordinatorJob};

/// Coordinators that are explained; the others are counted.
const MOST_COORDINATORS: usize = 8;
/// How late a kick-off may be before cron is suspected: two ticks.
const LATE_SECONDS: i64 = 2 * MINUTE;

impl Look<'_> {
    /// Explains a bundle job and those of its coordinators that have not succeeded.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub(crate) fn explain_bundle(&mut self, id: &JobId) -> Result<Explanation> {
        let job = self.bundle_job(id)?;
        let members = self.snapshot.bundle_members(job.job)?;
        let mut explanation = Explanation {
            id: id.to_string(),
            name: job.name.clone(),
            status: Some(job.status.into()),
            created_time: Some(job.created_at),
            why: self.why(&job)?,
            reasons: vec![format!("{}: {}", count(members.len() as u64, "coordinator"), tally(&members))],
            ..Explanation::default()
        };
        explanation.reasons.extend(members.iter().filter_map(refusal));
        let jobs = self.snapshot.coordinator_jobs_of_bundle(job.job)?;
        let unfinished = jobs.iter().filter(|job| job.status != CoordinatorStatus::Succeeded);
        for coordinator in unfinished.take(MOST_COORDINATORS) {
            explanation.coordinators.push(self.line(coordinator));
        }
        explanation.next.push(next(&job, &explanation.coordinators, self.now));
        explanation.next.push(format!("howdah log {id}"));
        Ok(explanation)
    }

    /// What a coordinator does: what its first action does that needs care, or why it has none.
    fn line(&mut self, job: &CoordinatorJob) -> CoordinatorLine {
        let why = match self.explain_job(&job.id) {
            Ok(Explanation { why, actions, .. }) => match actions.first() {
                Some(action) if !job.status.is_terminal() => format!("{} {}: {}", action.id, action.status, action.why),
                _ => why,
            },
            // A definition that cannot be read any more must not hide the others.
            Err(error) => error.to_string(),
        };
        let why = why.replace(job.id.as_str(), "");
        CoordinatorLine { id: job.id.to_string(), name: job.name.clone(), status: job.status, why }
    }

    fn why(&self, job: &BundleJob) -> Result<String> {
        use BundleStatus as B;
        Ok(match job.status {
            B::Prep => self.not_kicked_off(job),
            B::PrepPaused | B::Paused | B::PausedWithError => match job.pause_at.filter(|pause| *pause <= self.now) {
                Some(pause) => format!("its pause time {} has come", when(pause, self.now)),
                None => "all its coordinators are paused".to_owned(),
            },
            B::PrepSuspended | B::Suspended | B::SuspendedWithError => match job.suspended_at {
                Some(at) => format!("it was suspended at {}{}", when(at, self.now), self.suspended_by(job, at)?),
                None => "all its coordinators that are not over are suspended".to_owned(),
            },
            B::Running => "it is on its way; below is what its coordinators do".to_owned(),
            B::RunningWithError => "coordinators of it went wrong; it goes on with the others".to_owned(),
            B::Succeeded | B::DoneWithError | B::Killed | B::Failed => self.bundle_over(job)?,
        })
    }

    /// Who suspended a bundle at a time, with a blank before it; empty when no event tells.
    fn suspended_by(&self, job: &BundleJob, at: Timestamp) -> Result<String> {
        let events = self.snapshot.events_of_bundle(job.job)?;
        Ok(events.iter().rev().filter(|event| event.at == at).find_map(by).unwrap_or_default())
    }

    fn not_kicked_off(&self, job: &BundleJob) -> String {
        let kick_off = job.kickoff_at.unwrap_or(job.created_at);
        if kick_off > self.now {
            return format!("its coordinators are submitted at its kick-off time {}", when(kick_off, self.now));
        }
        let late = self.now - kick_off.max(job.modified_at) > LATE_SECONDS;
        let cron = if late { "; is `howdah tick` in your crontab?" } else { "" };
        format!("the next tick submits its coordinators{cron}")
    }

    fn bundle_over(&self, job: &BundleJob) -> Result<String> {
        let ended = job.ended_at.map(|at| format!(" at {}", when(at, self.now))).unwrap_or_default();
        let last = self.snapshot.events_of_bundle(job.job)?.pop();
        let by = last.map(|event| match (by(&event), event.reason) {
            (Some(by), _) => by,
            // Below stands which coordinators were refused.
            (None, Some(_)) => ": not all of its coordinators could be submitted".to_owned(),
            (None, None) => ", as its coordinators ended".to_owned(),
        });
        Ok(format!("it is over: {}{ended}{}", job.status, by.unwrap_or_default()))
    }
}

/// Why a coordinator was not submitted.
fn refusal(member: &BundleMember) -> Option<String> {
    let coordinator = &member.coordinator;
    let (code, message) = (coordinator.error_code.as_ref()?, coordinator.error_message.as_ref()?);
    Some(format!("coordinator [{}] was refused: {code}: {message}", coordinator.name))
}

/// What to try next.
fn next(job: &BundleJob, coordinators: &[CoordinatorLine], now: Timestamp) -> String {
    use BundleStatus as B;
    match job.status {
        B::PrepSuspended | B::Suspended | B::SuspendedWithError => format!("howdah resume {}", job.id),
        B::Prep if job.due_at.is_some_and(|due| due <= now) => "howdah tick".to_owned(),
        _ => {
            // A coordinator that runs well needs less looking after than one that does not.
            let needs_care = |line: &&CoordinatorLine| line.status != CoordinatorStatus::Running;
            let line = coordinators.iter().find(needs_care).or(coordinators.first());
            line.map_or_else(|| format!("howdah info {}", job.id), |line| format!("howdah explain {}", line.id))
        }
    }
}

//! Why a bundle job is in its current state.

use crate::query::bundle::tally;
use crate::query::context::Query;
use crate::query::explain::command::{Command, own};
use crate::query::explain::explanation::{ActionLine, CoordinatorLine, Explanation};
use crate::query::explain::why::{BundleWhy, By, EndedBy, Why};
use crate::query::explain::wording::count;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleJob, BundleMember, CoordinatorJob};
use howdah_words::model::time::{MINUTE, Timestamp};

/// Coordinators that are explained; the others are counted.
const MOST_COORDINATORS: usize = 8;
/// How late a kick-off may be before cron is suspected: two ticks.
const LATE_SECONDS: i64 = 2 * MINUTE;

impl Query<'_> {
    /// Explains a bundle job and those of its coordinators that have not succeeded.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn explain_bundle(&mut self, id: &JobId) -> Result<Explanation> {
        let job = self.bundle_job(id)?;
        let members = self.snapshot.bundle_members(job.job)?;
        let mut explanation = Explanation {
            why: self.why(&job)?.into(),
            reasons: vec![format!("{}: {}", count(members.len() as u64, "coordinator"), tally(&members))],
            ..Explanation::of_job(id, &job.name, job.status, job.created_at)
        };
        explanation.reasons.extend(members.iter().filter_map(refusal));
        explanation.reasons.extend(members.iter().filter_map(in_oozie));
        let jobs = self.snapshot.coordinator_jobs_of_bundle(job.job)?;
        let unfinished = jobs.iter().filter(|job| job.status != JobStatus::SUCCEEDED);
        for coordinator in unfinished.take(MOST_COORDINATORS) {
            explanation.coordinators.push(self.line(coordinator));
        }
        explanation.next.push(next(&job, &explanation.coordinators, self.now));
        explanation.next.push(own!("log {id}"));
        Ok(explanation)
    }

    /// What a coordinator does: what its first action does that needs care, or why it has none.
    fn line(&mut self, job: &CoordinatorJob) -> CoordinatorLine {
        let why = match self.explain_job(&job.id) {
            Ok(Explanation { why, actions, .. }) => match actions.into_iter().next() {
                Some(action) if !job.status.is_terminal() => {
                    let ActionLine { number, status, why, .. } = action;
                    BundleWhy::OfAction { number, status, why: Box::new(why) }.into()
                }
                _ => why,
            },
            // A definition that cannot be read any more must not hide the others.
            Err(error) => Why::Unreadable(error.to_string()),
        };
        CoordinatorLine { id: job.id.to_string(), name: job.name.clone(), status: job.status, why }
    }

    fn why(&self, job: &BundleJob) -> Result<BundleWhy> {
        use JobStatus as B;
        Ok(match job.status {
            B::PREP => self.not_kicked_off(job),
            status if status.is_paused() => match job.pause_at.filter(|pause| *pause <= self.now) {
                Some(pause) => BundleWhy::PauseTimeReached(self.when(pause)),
                None => BundleWhy::AllPaused,
            },
            status if status.is_suspended() => match job.suspended_at {
                Some(at) => BundleWhy::Suspended { at: self.when(at), by: self.suspended_by(job, at)? },
                None => BundleWhy::AllSuspended,
            },
            B::RUNNING => BundleWhy::Runs,
            B::Running { .. } => BundleWhy::RunsWithFailures,
            _ => self.bundle_over(job)?,
        })
    }

    /// Returns who suspended a bundle at a time; `None` when no event says so.
    fn suspended_by(&self, job: &BundleJob, at: Timestamp) -> Result<Option<By>> {
        let events = self.snapshot.events_of_bundle(job.job)?;
        Ok(events.iter().rev().filter(|event| event.at == at).find_map(By::of))
    }

    fn not_kicked_off(&self, job: &BundleJob) -> BundleWhy {
        let kick_off = job.kickoff_at.unwrap_or(job.created_at);
        if kick_off > self.now {
            return BundleWhy::KickOffAhead(self.when(kick_off));
        }
        BundleWhy::KickOffNext { is_late: self.now - kick_off.max(job.modified_at) > LATE_SECONDS }
    }

    fn bundle_over(&self, job: &BundleJob) -> Result<BundleWhy> {
        let (status, at) = (job.status, job.ended_at.map(|at| self.when(at)));
        let last = self.snapshot.events_of_bundle(job.job)?.pop();
        let by = match last.map(|event| (By::of(&event), event.reason)) {
            Some((Some(by), _)) => Some(EndedBy::Verb(by)),
            // The reasons name the coordinators that were refused.
            Some((None, Some(_))) => return Ok(BundleWhy::Refused { status, at }),
            Some((None, None)) => Some(EndedBy::Parts("coordinators")),
            None => None,
        };
        Ok(BundleWhy::Over { status, at, by })
    }
}

/// Why a coordinator was not submitted.
fn refusal(member: &BundleMember) -> Option<String> {
    let coordinator = &member.coordinator;
    let (code, message) = (coordinator.error_code.as_ref()?, coordinator.error_message.as_ref()?);
    Some(format!("coordinator [{}] was refused: {code}: {message}", coordinator.name))
}

/// Which coordinator is in the Oozie from which its bundle was taken over, and not over.
fn in_oozie(member: &BundleMember) -> Option<String> {
    let coordinator = &member.coordinator;
    let status = coordinator.oozie_status.filter(|status| coordinator.is_in_oozie() && !status.is_terminal())?;
    let id = coordinator.oozie_id.as_deref()?;
    let name = &coordinator.name;
    Some(format!("coordinator [{name}] is still in Oozie, {status} as {id}; `howdah takeover SOURCE` takes it over"))
}

/// What to try next.
fn next(job: &BundleJob, coordinators: &[CoordinatorLine], now: Timestamp) -> Command {
    use JobStatus as B;
    match job.status {
        status if status.is_suspended() => own!("resume {}", job.id),
        B::PREP if job.due_at.is_some_and(|due| due <= now) => own!("tick"),
        _ => {
            // A coordinator that runs well needs less attention than one that does not.
            let needs_care = |line: &&CoordinatorLine| line.status != JobStatus::RUNNING;
            let line = coordinators.iter().find(needs_care).or(coordinators.first());
            line.map_or_else(|| own!("info {}", job.id), |line| own!("explain {}", line.id))
        }
    }
}

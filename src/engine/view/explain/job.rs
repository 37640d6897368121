//! Why a coordinator job stands where it stands.

use crate::engine::application::Application;
use crate::engine::view::explain::wording::{command_of, resume_or_tick};
use crate::engine::view::explain::{ActionLine, Explanation, count, when};
use crate::engine::view::total::total;
use crate::engine::view::{Look, time};
use crate::error::Result;
use crate::model::id::JobId;
use crate::model::status::{ActionStatus, CoordinatorStatus};
use crate::model::time::{MINUTE, Timestamp};
use crate::store::{ActionFilter, ActionOrder, CoordinatorJob, Page};

/// Open actions that are explained, and failed ones.
const MOST_ACTIONS: u32 = 8;
/// How late a job may be before cron is suspected: two ticks.
const LATE_SECONDS: i64 = 2 * MINUTE;
/// Most nominal times of a cron frequency that are counted.
const MOST_COUNTED: u32 = 2_000_000;

impl Look<'_> {
    /// Explains a coordinator job and the actions that are open or failed.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub(crate) fn explain_job(&mut self, id: &JobId) -> Result<Explanation> {
        let job = self.coordinator_job(id)?;
        let application = self.application(&job, job.definition_version)?;
        let mut explanation = Explanation {
            id: id.to_string(),
            name: job.name.clone(),
            status: Some(job.status.to_string()),
            created_time: Some(time(job.created_at)),
            ..Explanation::default()
        };
        explanation.reasons.push(self.tally(&job, &application)?);
        let (failed, open) = (self.failed(&job)?, self.open(&job)?);
        let next_action = job.next_materialized_at.unwrap_or(job.start_at);
        if job.status.is_terminal() {
            explanation.why = self.over(&job)?;
        } else if matches!(job.status, CoordinatorStatus::Running | CoordinatorStatus::RunningWithError) {
            explanation.why = match (failed.len(), open.len()) {
                (0, 0) if job.done_materialization => "all its actions are over: the next tick ends it".to_owned(),
                (0, 0) => self.not_created(&job, &application, next_action)?.0,
                (0, _) => "it is on its way; below is what its next actions do".to_owned(),
                _ => "actions of it did not succeed; it goes on with the others".to_owned(),
            };
            let any_action = !failed.is_empty() || !open.is_empty();
            if !job.done_materialization && any_action {
                explanation.reasons.push(self.not_created(&job, &application, next_action)?.0);
            }
        } else {
            explanation.why = self.not_created(&job, &application, next_action)?.0;
        }
        for action in failed.into_iter().chain(open) {
            let line = self.explain_action(id, action)?;
            explanation.actions.push(ActionLine {
                id: line.id,
                status: line.status.unwrap_or_default(),
                nominal_time: line.nominal_time.unwrap_or_default(),
                why: line.why,
            });
        }
        // An action that runs needs less looking after than one that failed or waits.
        let needs_care = |line: &&ActionLine| !matches!(line.status.as_str(), "SUBMITTED" | "RUNNING");
        let line = explanation.actions.iter().find(needs_care).or(explanation.actions.first());
        let next = line.map(|line| format!("howdah explain {}", line.id));
        explanation.next.extend(next);
        if explanation.next.is_empty() {
            let (_, next) = self.not_created(&job, &application, next_action)?;
            explanation.next.push(next);
        }
        explanation.next.push(format!("howdah log {id}"));
        Ok(explanation)
    }

    /// How many actions are where.
    fn tally(&self, job: &CoordinatorJob, application: &Application) -> Result<String> {
        let counts = self.snapshot.action_counts(job.job)?;
        let created: u64 = counts.values().map(|count| u64::from(*count)).sum();
        let parts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let of = match total(&application.coordinator.schedule, MOST_COUNTED) {
            Some(total) => format!("{created} of {} created", count(total, "action")),
            None => format!("{} created so far", count(created, "action")),
        };
        Ok(if parts.is_empty() { of } else { format!("{of}: {}", parts.join(", ")) })
    }

    fn over(&self, job: &CoordinatorJob) -> Result<String> {
        let ended = job.ended_at.map(|at| format!(" at {}", when(at, self.now))).unwrap_or_default();
        let events = self.snapshot.events_of_coordinator(job.job)?;
        let last = events.into_iter().rev().find(|event| event.action_number.is_none());
        let by = last.map(|event| match (command_of(&event), event.reason) {
            (Some(command), _) => format!(" by `{command}`"),
            (None, Some(reason)) => format!(": {reason}"),
            (None, None) => ", as its actions ended".to_owned(),
        });
        Ok(format!("it is over: {}{ended}{}", job.status, by.unwrap_or_default()))
    }

    fn failed(&self, job: &CoordinatorJob) -> Result<Vec<u32>> {
        let statuses = vec![ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];
        let filter = ActionFilter { statuses, ..ActionFilter::default() };
        let page = Page { offset: 0, len: MOST_ACTIONS };
        let page = self.snapshot.action_page(job.job, &filter, ActionOrder::NewestFirst, page)?;
        Ok(page.actions.iter().map(|action| action.number).collect())
    }

    fn open(&self, job: &CoordinatorJob) -> Result<Vec<u32>> {
        let is_open = |status: &&ActionStatus| !status.is_terminal();
        let statuses = ActionStatus::ALL.iter().filter(is_open).copied().collect();
        let filter = ActionFilter { statuses, ..ActionFilter::default() };
        let page = Page { offset: 0, len: MOST_ACTIONS };
        let page = self.snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, page)?;
        Ok(page.actions.iter().map(|action| action.number).collect())
    }

    /// Why the action at a nominal time was not created yet, and what to try.
    pub(super) fn not_created(
        &self,
        job: &CoordinatorJob,
        application: &Application,
        nominal: Timestamp,
    ) -> Result<(String, String)> {
        use CoordinatorStatus as S;
        let counts = self.snapshot.action_counts(job.job)?;
        let waiting = counts.get(&ActionStatus::Waiting).copied().unwrap_or_default();
        let due = nominal - self.settings.window.lookup_seconds;
        let info = format!("howdah info {}", job.id);
        Ok(match job.status {
            status if status.is_terminal() => (format!("the job is {status}: no further action is created"), info),
            S::Prep | S::Running | S::RunningWithError if job.pause_at.is_some_and(|pause| nominal >= pause) => {
                let pause = job.pause_at.map(time).unwrap_or_default();
                (format!("the job's pause time is {pause}: no action from then on is created"), info)
            }
            S::Prep | S::Running | S::RunningWithError if due > self.now => {
                (format!("the next action is due at {}", when(nominal, self.now)), info)
            }
            S::Prep | S::Running | S::RunningWithError if i64::from(waiting) >= i64::from(job.throttle) => {
                let held = count(waiting.into(), "action");
                let why = format!("no further action is created while {held} wait (throttle {})", job.throttle);
                (why, format!("howdah explain {}@{}", job.id, self.first_waiting(job)?))
            }
            S::Prep | S::Running | S::RunningWithError => {
                let late = self.now - due.max(job.created_at) > LATE_SECONDS;
                let cron = if late { "; is `howdah tick` in your crontab?" } else { "" };
                let nominal = application.coordinator.schedule.start.max(nominal);
                (format!("the next tick creates actions from {} on{cron}", time(nominal)), "howdah tick".to_owned())
            }
            status => (format!("the job is {status}: no action is created"), resume_or_tick(job)),
        })
    }

    fn first_waiting(&self, job: &CoordinatorJob) -> Result<u32> {
        let filter = ActionFilter { statuses: vec![ActionStatus::Waiting], ..ActionFilter::default() };
        let page = Page { offset: 0, len: 1 };
        let page = self.snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, page)?;
        Ok(page.actions.first().map_or(1, |action| action.number))
    }
}

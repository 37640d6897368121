//! Why a coordinator job is in its current state, for each of its statuses (specification 6.1.2), and what to do.

use crate::query::context::Query;
use crate::query::explain::command::own;
use crate::query::explain::creation::Reason;
use crate::query::explain::explanation::{ActionLine, Explanation};
use crate::query::explain::hold::Hold;
use crate::query::explain::why::{By, EndedBy, JobWhy, Therefore};
use crate::query::explain::wording::count;
use crate::query::total::total;
use howdah_engine::catch_up;
use howdah_engine::compiled::Application;
use howdah_oozie::coordinator::operation::reopen_advice;
use howdah_store::{ActionFilter, ActionOrder, Page};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::{JobHold, JobStatus};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::{ActionStatus, NodeStatus};

/// Open actions that are explained, and failed ones.
const MOST_ACTIONS: u32 = 8;

/// The actions of a job that an operator may have to care for.
struct Notable {
    /// Those that did not succeed, the newest first.
    failed: Vec<CoordinatorAction>,
    /// Those that are not over, the oldest first.
    open: Vec<CoordinatorAction>,
}

impl Query<'_> {
    /// Explains a coordinator job and the actions that are open or failed.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn explain_job(&mut self, id: &JobId) -> Result<Explanation> {
        let job = self.coordinator_job(id)?;
        let application = self.application(&job, job.definition_version)?;
        let mut explanation = Explanation::of_job(id, &job.name, job.status, job.created_at);
        let notable = Notable { failed: self.failed(&job)?, open: self.open(&job)? };
        explanation.reasons.push(self.tally(&job, &application)?);
        self.passed_errors(&job, &mut explanation)?;
        let known = (&mut *self.applications, self.settings);
        let backlog = catch_up::of_job(self.snapshot, known, &job, self.now)?.filter(|_| job.status.is_free());
        explanation.reasons.extend(backlog.map(|backlog| backlog.to_string()));
        let policy = self.failure_policy(&job)?.filter(|_| !job.status.is_terminal());
        explanation.reasons.extend(policy.map(|policy| policy.line()));
        let reason = self.job_reason(&job, &application, &notable, &mut explanation)?;
        self.lines(id, &notable, &mut explanation)?;
        // An action that runs needs less looking after than one that failed or waits.
        let needs_care = |line: &&ActionLine| !matches!(line.status, ActionStatus::Submitted | ActionStatus::Running);
        let line = explanation.actions.iter().find(needs_care).or(explanation.actions.first());
        let next = line.map(|line| own!("explain {}", line.id));
        match reason.hold {
            // What brings the whole job forward comes first.
            Hold::Suspension => explanation.next.extend([Some(reason.next), next].into_iter().flatten()),
            _ => explanation.next.push(next.unwrap_or(reason.next)),
        }
        explanation.held_by = Some(reason.hold);
        explanation.why = reason.why;
        explanation.next.push(own!("log --audit {id}"));
        Ok(explanation)
    }

    /// What goes on in each status, and what brings the job on.
    fn job_reason(
        &self,
        job: &CoordinatorJob,
        application: &Application,
        notable: &Notable,
        explanation: &mut Explanation,
    ) -> Result<Reason> {
        use JobStatus as S;
        let next_action = job.next_materialized_at.unwrap_or(job.start_at);
        match job.status {
            S::PREP => {
                let creation = self.not_created(job, application, next_action)?;
                Ok(Reason { why: JobWhy::NotBegun(Box::new(creation.why)).into(), ..creation })
            }
            S::Running { hold: JobHold::Free, .. } => self.running(job, application, notable, explanation),
            S::Prep { hold: JobHold::Suspended } => self.job_holds(job, Therefore::NotBegunBeforeResumed),
            S::Running { hold: JobHold::Suspended, .. } => self.job_holds(job, Therefore::EverythingWaits),
            S::Prep { hold: JobHold::Paused } => {
                explanation.reasons.push(pause_ends());
                self.job_holds(job, Therefore::NotBegunBeforeUnpaused)
            }
            S::Running { hold: JobHold::Paused, .. } => {
                explanation.reasons.push(pause_ends());
                self.job_holds(job, Therefore::OnlyCreationStops)
            }
            S::SUCCEEDED => self.over(job, "nothing is left to do", explanation),
            S::Done { .. } => self.over(
                job,
                "actions below can be run again with `howdah rerun`, or left with `howdah ignore`",
                explanation,
            ),
            S::Failed => {
                let advice = format!("mend what made it fail; then {}", reopen_advice(&job.id));
                self.over(job, &advice, explanation)
            }
            S::Killed | S::Ignored => {
                let advice = format!("it cannot be resumed, but {}", reopen_advice(&job.id));
                self.over(job, &advice, explanation)
            }
        }
    }

    fn running(
        &self,
        job: &CoordinatorJob,
        application: &Application,
        notable: &Notable,
        explanation: &mut Explanation,
    ) -> Result<Reason> {
        let next_action = job.next_materialized_at.unwrap_or(job.start_at);
        if job.done_materialization && notable.open.is_empty() {
            // The last action that ended would have ended it: it was opened again.
            explanation.reasons.push("actions below can be run again with `howdah rerun`".to_owned());
            let next = own!("rerun {} --action 1 --dry-run", job.id);
            return Ok(Reason { hold: Hold::JobIsOver, why: JobWhy::OpenedAgain.into(), next });
        }
        let others_open = !notable.open.is_empty();
        let why = if notable.failed.is_empty() { JobWhy::Runs } else { JobWhy::RunsWithFailures { others_open } };
        if job.done_materialization {
            return Ok(Reason { hold: Hold::Work, why: why.into(), next: own!("info {}", job.id) });
        }
        let creation = self.not_created(job, application, next_action)?;
        if notable.failed.is_empty() && notable.open.is_empty() {
            return Ok(creation);
        }
        explanation.reasons.push(creation.why.to_string());
        let hold = if others_open { Hold::Work } else { creation.hold };
        Ok(Reason { hold, why: why.into(), next: creation.next })
    }

    /// A job that has ended: when, by whom, and what can still be done.
    fn over(&self, job: &CoordinatorJob, advice: &str, explanation: &mut Explanation) -> Result<Reason> {
        let arrival = self.arrival(job)?;
        let at = arrival.as_ref().map(|event| event.at).or(job.ended_at);
        let by = arrival.map(|event| match (By::of(&event), event.reason) {
            (Some(by), _) => EndedBy::Verb(by),
            (None, Some(reason)) => EndedBy::Step(reason),
            (None, None) => EndedBy::Parts("actions"),
        });
        explanation.reasons.push(advice.to_owned());
        let why = JobWhy::Over { status: job.status, at: at.map(|at| self.when(at)), by };
        Ok(Reason { hold: Hold::JobIsOver, why: why.into(), next: own!("info {}", job.id) })
    }

    /// One line for each action that is worth a look.
    fn lines(&mut self, id: &JobId, notable: &Notable, explanation: &mut Explanation) -> Result<()> {
        for action in notable.failed.iter().chain(&notable.open) {
            let explained = self.explain_action(id, action.number)?;
            explanation.actions.push(ActionLine {
                id: explained.id,
                number: action.number,
                status: action.status,
                nominal_time: action.nominal_at,
                why: explained.why,
            });
        }
        Ok(())
    }

    /// How many actions are where.
    fn tally(&self, job: &CoordinatorJob, application: &Application) -> Result<String> {
        let counts = self.snapshot.action_counts(job.job)?;
        let created: u64 = counts.values().map(|count| u64::from(*count)).sum();
        let parts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let of = match total(&application.coordinator.schedule, job, created) {
            Some(total) => format!("{created} of {} created", count(total, "action")),
            None => format!("{} created so far", count(created, "action")),
        };
        Ok(if parts.is_empty() { of } else { format!("{of}: {}", parts.join(", ")) })
    }

    /// Notes the newest actions that succeeded although a node of their workflow failed: its error transition led on.
    fn passed_errors(&self, job: &CoordinatorJob, explanation: &mut Explanation) -> Result<()> {
        let filter = ActionFilter { statuses: vec![ActionStatus::Succeeded], ..ActionFilter::default() };
        let page = Page { offset: 0, len: MOST_ACTIONS };
        let newest = self.snapshot.action_page(job.job, &filter, ActionOrder::NewestFirst, page)?.actions;
        let mut failed = Vec::new();
        for action in &newest {
            let Some(workflow) = self.snapshot.workflow_job_of_action(action)? else { continue };
            let nodes = self.snapshot.workflow_nodes(workflow.job)?;
            let node = nodes.into_iter().find(|node| matches!(node.status, NodeStatus::Error | NodeStatus::Failed));
            failed.extend(node.map(|node| (action.number, workflow.id, node.name)));
        }
        if let Some((number, workflow, node)) = failed.first() {
            explanation.reasons.push(format!(
                "of the newest {1} that succeeded, {0} had a node that failed, and went on to the end: in @{number} it \
                 was {node}",
                failed.len(),
                count(newest.len() as u64, "action")
            ));
            explanation.next.push(own!("explain {workflow}@{node}"));
        }
        Ok(())
    }

    fn failed(&self, job: &CoordinatorJob) -> Result<Vec<CoordinatorAction>> {
        let statuses = vec![ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];
        let filter = ActionFilter { statuses, ..ActionFilter::default() };
        let page = Page { offset: 0, len: MOST_ACTIONS };
        Ok(self.snapshot.action_page(job.job, &filter, ActionOrder::NewestFirst, page)?.actions)
    }

    fn open(&self, job: &CoordinatorJob) -> Result<Vec<CoordinatorAction>> {
        let is_open = |status: &&ActionStatus| !status.is_terminal();
        let statuses = ActionStatus::ALL.iter().filter(is_open).copied().collect();
        let filter = ActionFilter { statuses, ..ActionFilter::default() };
        let page = Page { offset: 0, len: MOST_ACTIONS };
        Ok(self.snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, page)?.actions)
    }
}

fn pause_ends() -> String {
    "it goes on when `howdah change` moves its pause time ahead or takes it away".to_owned()
}

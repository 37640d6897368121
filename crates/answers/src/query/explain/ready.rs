//! Why a READY action does not run yet: the concurrency, the order, the job's status (specification 6.1.6).

use crate::query::context::Query;
use crate::query::explain::action::ExplainedAction;
use crate::query::explain::command::own;
use crate::query::explain::creation::Reason;
use crate::query::explain::explanation::Explanation;
use crate::query::explain::hold::Hold;
use crate::query::explain::why::{ActionWhy, Therefore};
use howdah_engine::compiled::Application;
use howdah_engine::definition_file::{self, ApplicationFile};
use howdah_engine::inputs::recheck::{ReadySubject, Recheck, recheck};
use howdah_engine::{run_as, start_order};
use howdah_host::presence::State;
use howdah_oozie::coordinator::queue::may_start;
use howdah_oozie::coordinator::readiness::is_skipped;
use howdah_words::error::{Error, Result};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;

/// READY actions that are looked at for the order.
const MOST_READY: u32 = 10_000;

/// The places of a job's concurrency.
struct StartQueue {
    /// Ids of the actions that take one.
    occupied: Vec<String>,
    /// How many are left.
    free: usize,
    /// READY actions that come before this one.
    ahead: usize,
    /// Whether there are not more of them than were looked at.
    all_counted: bool,
}

impl StartQueue {
    /// Returns which actions come first.
    fn before(&self, job: &CoordinatorJob) -> ActionWhy {
        ActionWhy::OthersFirst { ahead: self.ahead, at_least: !self.all_counted, execution: job.execution }
    }
}

impl Query<'_> {
    /// Explains a READY action.
    pub(super) fn ready(&mut self, subject: &ExplainedAction<'_>, explanation: &mut Explanation) -> Result<()> {
        let ExplainedAction { job, application, action } = *subject;
        let places = self.places(subject)?;
        let tick = |why: ActionWhy| Reason { hold: Hold::NextTick, why: why.into(), next: own!("tick") };
        let reason = if !may_start(job.status) {
            let reason = self.job_holds(job, Therefore::NothingStarts)?;
            Reason { why: ActionWhy::ReadyBut(Box::new(reason.why)).into(), ..reason }
        } else if let Some(paused) = self.site_paused() {
            Reason { why: ActionWhy::ReadyBut(Box::new(paused.why)).into(), ..paused }
        } else if is_skipped(&self.strategy(job, application), action.number, action.nominal_at, self.now) {
            tick(ActionWhy::IsPassedOver(job.execution))
        } else if let Some(reason) = self.is_looked_for_again(subject, explanation)? {
            reason
        } else if places.free == 0 {
            let why = ActionWhy::NoPlace { concurrency: job.concurrency, running: places.occupied.len() };
            let first = places.occupied.first();
            let raise = || own!("change {} --concurrency 1", job.id);
            let next = first.map_or_else(raise, |id| own!("explain {id}"));
            Reason { hold: Hold::Concurrency, why: why.into(), next }
        } else if places.ahead >= places.free {
            Reason { hold: Hold::Order, ..tick(places.before(job)) }
        } else if let Err(error) = self.workflow_of(application) {
            explanation.reasons.extend(error.help_text().map(str::to_owned));
            Reason { hold: Hold::Definition, ..tick(unusable(&error)) }
        } else {
            tick(ActionWhy::Starts)
        };
        if places.ahead > 0 && reason.hold == Hold::Concurrency {
            explanation.reasons.push(places.before(job).to_string());
        }
        reason.answer(explanation);
        explanation.occupied_by = places.occupied;
        Ok(())
    }

    /// Reads the workflow application that the actions start, as the job's user.
    fn workflow_of(&self, application: &Application) -> Result<ApplicationFile> {
        let store = application.store();
        let path = store.qualify(&application.coordinator.app_path);
        let reader = run_as::reader(&run_as::user(&application.configuration));
        reader.act(|| definition_file::read_application(self.mounts, path.as_str(), "workflow.xml"))?
    }

    fn places(&mut self, subject: &ExplainedAction<'_>) -> Result<StartQueue> {
        let job = subject.job;
        let started = self.snapshot.started_actions(job.job)?;
        // A SUSPENDED action gives its place away.
        let occupying = started.iter().filter(|action| action.status != ActionStatus::Suspended);
        let occupied: Vec<String> = occupying.map(|action| format!("{}@{}", job.id, action.number)).collect();
        let ready = self.snapshot.ready_actions(job.job, start_order::order(job.execution), MOST_READY)?;
        let free = usize::try_from(job.concurrency).map_or(usize::MAX, |limit| limit.saturating_sub(occupied.len()));
        let mut ahead = 0;
        for other in ready.iter().take_while(|other| other.number != subject.action.number) {
            ahead += usize::from(self.wants_a_place(subject, other)?);
        }
        let all_counted = ready.iter().any(|other| other.number == subject.action.number);
        Ok(StartQueue { occupied, free, ahead, all_counted })
    }

    /// Whether another READY action takes a place that is free: it is not passed over, its own version of the
    /// definition can be read, and it need not be checked again without effect.
    fn wants_a_place(&mut self, subject: &ExplainedAction<'_>, other: &CoordinatorAction) -> Result<bool> {
        let ExplainedAction { job, application, .. } = *subject;
        if is_skipped(&self.strategy(job, application), other.number, other.nominal_at, self.now) {
            return Ok(false);
        }
        let Ok(application) = self.application(job, other.definition_version) else { return Ok(false) };
        let ready = ReadySubject { job, application: &application, action: other, settings: self.settings };
        let again = recheck(self.snapshot, ready, self.presence, self.now)?;
        Ok(matches!(again, Recheck::NotNeeded | Recheck::Decided(_)))
    }

    /// Why an action whose job was suspended does not start: its `latest` is resolved again, without result.
    fn is_looked_for_again(
        &self,
        subject: &ExplainedAction<'_>,
        explanation: &mut Explanation,
    ) -> Result<Option<Reason>> {
        let ExplainedAction { job, application, action } = *subject;
        let ready = ReadySubject { job, application, action, settings: self.settings };
        let again = recheck(self.snapshot, ready, self.presence, self.now)?;
        Ok(match again {
            Recheck::NotNeeded | Recheck::Decided(_) => None,
            Recheck::Missing(decision) => {
                explanation.decision = Some(*decision);
                let next = own!("info {}", explanation.id);
                Some(Reason { hold: Hold::Latest, why: ActionWhy::LatestMissing.into(), next })
            }
            Recheck::Deferred => {
                let why = ActionWhy::LatestUnknown(State::NOT_ASKED.to_owned());
                Some(Reason { hold: Hold::Latest, why: why.into(), next: own!("tick") })
            }
            Recheck::Unknown(error) => {
                let why = ActionWhy::LatestUnknown(error.to_string());
                Some(Reason { hold: Hold::Latest, why: why.into(), next: own!("tick") })
            }
            Recheck::Failed(error) => {
                let why = ActionWhy::InputsCannotBeComputedAgain(error.to_string());
                Some(Reason { hold: Hold::Definition, why: why.into(), next: own!("info {}", explanation.id) })
            }
        })
    }
}

fn unusable(error: &Error) -> ActionWhy {
    let text = error.to_string();
    if error.may_pass() { ActionWhy::WorkflowUnknown(text) } else { ActionWhy::WorkflowUnusable(text) }
}

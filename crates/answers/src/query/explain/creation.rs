//! Why an action was not created yet, and who holds a job back as a whole.

use crate::query::context::Query;
use crate::query::explain::command::{Command, own};
use crate::query::explain::explanation::Explanation;
use crate::query::explain::hold::Hold;
use crate::query::explain::why::{By, ByOrBecause, CreationWhy, HoldFacts, Since, SitePaused, Therefore, Why};
use crate::query::explain::wording::{count, revive};
use crate::query::total::total;
use howdah_engine::apply::selection::existing;
use howdah_engine::compiled::Application;
use howdah_store::{ActionFilter, ActionOrder, Page};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::job_status::JobHold;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{MINUTE, Timestamp};

/// How late a job may be before cron is suspected: two ticks.
const LATE_SECONDS: i64 = 2 * MINUTE;

/// Why nothing happens, and what to do about it.
pub(super) struct Reason {
    pub(super) hold: Hold,
    pub(super) why: Why,
    /// A command to try.
    pub(super) next: Command,
}

impl Reason {
    /// Puts it into an explanation as its answer.
    pub(super) fn answer(self, explanation: &mut Explanation) {
        explanation.held_by = Some(self.hold);
        explanation.why = self.why;
        explanation.next.push(self.next);
    }
}

impl Query<'_> {
    /// An action that was not created yet.
    ///
    /// # Errors
    /// E0605 when the job will never have such an action.
    pub(super) fn explain_future(&mut self, job: &CoordinatorJob, number: u32) -> Result<Explanation> {
        if number <= job.last_action_number {
            let error = Error::new(ErrorCode::E0605, format!("{}@{number}", job.id));
            return Err(error.help(existing(self.snapshot, job)?));
        }
        let application = self.application(job, job.definition_version)?;
        let created = self.snapshot.action_counts(job.job)?.values().map(|count| u64::from(*count)).sum();
        let never = || {
            let error = Error::new(ErrorCode::E0605, format!("{}@{number}", job.id));
            match total(&application.coordinator.schedule, job, created) {
                Some(total) => error.help(format!("the job has {} in all", count(total, "action"))),
                None => error,
            }
        };
        let nominal = application.coordinator.schedule.nominal(number).ok_or_else(never)?;
        let mut explanation = Explanation {
            id: format!("{}@{number}", job.id),
            name: job.name.clone(),
            nominal_time: Some(nominal),
            ..Explanation::default()
        };
        let reason = self.not_created(job, &application, nominal)?;
        if matches!(reason.hold, Hold::NominalTime | Hold::NextTick) {
            explanation.earliest_start_time = Some(nominal.max(self.now));
        }
        reason.answer(&mut explanation);
        let inputs = self.inputs(&application, nominal, None).unwrap_or_default();
        explanation.inputs = self.with_producers(inputs.views, Some((job.job, nominal)))?;
        explanation.decision = Some(inputs.decision).filter(|decision| !decision.is_empty());
        Ok(explanation)
    }

    /// Why the action at a nominal time was not created yet.
    pub(super) fn not_created(
        &self,
        job: &CoordinatorJob,
        application: &Application,
        nominal: Timestamp,
    ) -> Result<Reason> {
        // Its pause time was taken away or moved ahead: the next tick lets it go on before it creates.
        let goes_on = job.status.is_paused() && job.pause_at.is_none_or(|pause| pause > self.now);
        if !goes_on && !job.status.is_free() {
            return self.job_holds(job, Therefore::NothingIsCreated);
        }
        let waiting = self.waiting_actions(job)?;
        let next = job.next_materialized_at.unwrap_or(job.start_at).max(application.coordinator.schedule.start);
        let due = nominal - self.settings.window.lookup_seconds;
        let info = || own!("info {}", job.id);
        Ok(if let Some(pause) = job.pause_at.filter(|pause| nominal >= *pause) {
            let why = CreationWhy::PauseTimeIs(self.pause_time(job, pause)?);
            Reason { hold: Hold::Pause, why: why.into(), next: info() }
        } else if let Some(pause) = job.pause_at.filter(|pause| *pause <= self.now) {
            let why = CreationWhy::PauseTimeWas(self.when(pause));
            Reason { hold: Hold::Pause, why: why.into(), next: info() }
        } else if due > self.now {
            let why = CreationWhy::Due { is_next: nominal == next, at: self.when(nominal) };
            Reason { hold: Hold::NominalTime, why: why.into(), next: info() }
        } else if let Some(paused) = self.site_paused() {
            paused
        } else if i64::from(waiting) >= i64::from(job.throttle) {
            let why = CreationWhy::Throttle { waiting, throttle: job.throttle };
            Reason { hold: Hold::Throttle, why: why.into(), next: self.first_waiting(job)?.unwrap_or_else(info) }
        } else {
            let is_late = self.now - due.max(job.created_at) > LATE_SECONDS;
            let why = CreationWhy::NextTick { from: next, is_late };
            Reason { hold: Hold::NextTick, why: why.into(), next: own!("tick") }
        })
    }

    /// Why a job that creates nothing because of its status does so; `therefore` says what does not happen.
    pub(super) fn job_holds(&self, job: &CoordinatorJob, therefore: Therefore) -> Result<Reason> {
        let hold = match job.status.hold() {
            Some(JobHold::Suspended) => Hold::Suspension,
            Some(JobHold::Paused) => Hold::Pause,
            None => Hold::JobIsOver,
            Some(JobHold::Free) => Hold::NextTick,
        };
        let pause = job.pause_at.filter(|_| hold == Hold::Pause);
        let why = CreationWhy::Job(HoldFacts {
            status: job.status,
            since: if hold == Hold::NextTick { None } else { self.since(job)? },
            pause: pause.map(|at| self.pause_time(job, at)).transpose()?,
            is_over: hold == Hold::JobIsOver,
            therefore,
        });
        Ok(Reason { hold, why: why.into(), next: revive(job) })
    }

    /// Returns the reason for what does not start because all jobs are paused; `None` when they are not.
    pub(super) fn site_paused(&self) -> Option<Reason> {
        let pause = self.site_pause.as_ref()?;
        let by = By { user: pause.actor.clone(), verb: Origin::PauseAll.to_string() };
        let why = SitePaused(Since { when: self.when(pause.at), by: Some(ByOrBecause::By(by)) });
        Some(Reason { hold: Hold::SitePause, why: why.into(), next: own!("resume --all") })
    }

    /// How many actions of a job are WAITING.
    pub(super) fn waiting_actions(&self, job: &CoordinatorJob) -> Result<u32> {
        Ok(self.snapshot.action_counts(job.job)?.get(&ActionStatus::Waiting).copied().unwrap_or_default())
    }

    /// The command that explains the oldest action that waits.
    fn first_waiting(&self, job: &CoordinatorJob) -> Result<Option<Command>> {
        let filter = ActionFilter { statuses: vec![ActionStatus::Waiting], ..ActionFilter::default() };
        let page = Page { offset: 0, len: 1 };
        let page = self.snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, page)?;
        Ok(page.actions.first().map(|action| own!("explain {}@{}", job.id, action.number)))
    }
}

//! Nominal times before the start of a coordinator job, in a coordinator job of their own.
//!
//! The start of a job never changes, in Oozie and here, and its actions are numbered from it. So such times run in
//! another job of the same stored definition and configuration, whose start lies on the same calendar. It has all its
//! actions from its submission on: those that are wanted wait, those between them are SKIPPED. Nothing is deleted
//! before they run: as in Oozie, only a rerun deletes outputs. It has no SLA, because all its times are late.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Engine;
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::compiled::Application;
use crate::format::time;
use crate::submit::coordinator::copy_definition;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{create_actions, move_job, pass_over, settle_job};
use crate::verbs::repair::draft::{Manner, finish};
use howdah_calendar::Schedule;
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::job_state::JobEvent;
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionRange, CoordinatorJob, CoordinatorKey, Event, RepairStep};
use howdah_words::model::status::{ActionStatus, Execution};
use howdah_words::model::time::Timestamp;

/// What is appended to the name of a job, for the job of its earlier times.
const SUFFIX: &str = "-backfill";

/// Nominal times before the start of a job.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    job: CoordinatorJob,
    schedule: Schedule,
    /// The consecutive actions of the new job, and whether they run.
    stretches: Vec<Stretch>,
    execution: Execution,
    /// How often each of the nominal times has run before.
    runs: BTreeMap<Timestamp, u32>,
}

/// What became of a nominal time before the start of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EarlierRuns {
    /// How often it was created to run.
    pub(super) times: u32,
    /// Whether it waits or runs now.
    pub(super) is_open: bool,
}

/// Consecutive actions that all run or are all skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    runs: bool,
    first: u32,
    times: Vec<Timestamp>,
}

/// Returns the name of the job of the earlier times of a job.
fn name(job: &CoordinatorJob) -> String {
    format!("{}{SUFFIX}", job.name)
}

/// Returns the nominal times of a period that have run, run or wait in jobs of earlier times of a job.
///
/// # Errors
/// A failure of the database.
pub(super) fn earlier_runs(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    (from, until): (Timestamp, Timestamp),
) -> Result<BTreeMap<Timestamp, EarlierRuns>> {
    let filter = ActionFilter {
        statuses: ActionStatus::ALL.iter().copied().filter(|status| *status != ActionStatus::Skipped).collect(),
        nominal_from: Some(from),
        nominal_until: Some(until),
        ..ActionFilter::default()
    };
    let all = Page { offset: 0, len: u32::MAX };
    let mut found: BTreeMap<Timestamp, EarlierRuns> = BTreeMap::new();
    for id in snapshot.jobs_named(&name(job), u32::MAX)? {
        let Some(other) = snapshot.coordinator_job(&id)? else { continue };
        if other.app_path == job.app_path && other.user == job.user {
            for action in snapshot.action_page(other.job, &filter, ActionOrder::OldestFirst, all)?.actions {
                let runs = found.entry(action.nominal_at).or_default();
                runs.times += 1;
                runs.is_open |= !action.status.is_terminal();
            }
        }
    }
    Ok(found)
}

/// Returns the calendar of a job before its start, back to a time.
///
/// # Errors
/// H0181 when the calendar cannot be continued so far.
pub(super) fn calendar(job: &CoordinatorJob, application: &Application, from: Timestamp) -> Result<Schedule> {
    application.coordinator.schedule.before_start(from).ok_or_else(|| {
        let error = Error::with(ErrorCode::H0181, &[&job.name, &time(from)]);
        error.help("submit the application as another job, with a start of its own")
    })
}

impl Earlier {
    /// Finds out which actions the job of some nominal times has; returns its outcome too.
    ///
    /// # Errors
    /// H0181 when the calendar of the job has no such times, or a failure of the database.
    pub(super) fn find(
        engine: &mut Engine,
        (job, manner): (&CoordinatorJob, &Manner),
        steps: &[RepairStep],
    ) -> Result<(Self, Outcome)> {
        let Engine { store, settings, applications, .. } = engine;
        let application =
            store.read(|snapshot| applications.load(snapshot, job, job.definition_version, &settings.submit))?;
        let mut wanted: Vec<Timestamp> = steps.iter().map(|step| step.nominal_at).collect();
        wanted.sort_unstable();
        let first = wanted.first().copied().unwrap_or(job.start_at);
        let last = wanted.last().copied().unwrap_or(job.start_at);
        let schedule = Schedule { end: last + 1, ..calendar(job, &application, first)? };
        let earlier = Self {
            job: job.clone(),
            stretches: stretches(&schedule, &wanted),
            schedule,
            // LAST_ONLY and NONE would pass over every time that is late.
            execution: if manner.newest_first { Execution::Lifo } else { Execution::Fifo },
            runs: steps.iter().map(|step| (step.nominal_at, step.run)).collect(),
        };
        let mut outcome = earlier.outcome(&earlier.name());
        outcome.note(format!(
            "{}: nominal times before its start run in a coordinator job of their own, {}; nothing is deleted for them",
            job.id,
            earlier.name()
        ));
        Ok((earlier, outcome))
    }

    /// Returns whether another check found the same actions; other values of the job may change meanwhile.
    pub(super) fn is_still(&self, found: &Self) -> bool {
        let of = |earlier: &Self| (earlier.job.job, earlier.execution);
        of(self) == of(found) && self.schedule == found.schedule && self.stretches == found.stretches
    }

    fn name(&self) -> String {
        name(&self.job)
    }

    /// Returns what the job does, under its id or, before it exists, its name.
    fn outcome(&self, id: &str) -> Outcome {
        let mut outcome = Outcome { id: id.to_owned(), ..Outcome::of(&self.job.id) };
        for stretch in self.stretches.iter().filter(|stretch| stretch.runs) {
            for (number, nominal) in (stretch.first..).zip(&stretch.times) {
                outcome.created_action(number, *nominal, ActionStatus::Waiting);
            }
        }
        outcome
    }

    /// Submits the job and marks the steps, in one transaction; returns its outcome.
    ///
    /// # Errors
    /// E1018 when another backfill has run some of the times meanwhile, or a failure of the database.
    pub(super) fn submit(&self, engine: &mut Engine, (plan, steps): (&str, &[u32]), now: Timestamp) -> Result<Outcome> {
        let (given, application) = (Invocation::new(Origin::Backfill, (Effect::Stored, now))?, self.load(engine)?);
        let job = engine.store.transact(|transaction| {
            self.check_runs(transaction)?;
            let job = self.insert(transaction, &application, &given)?;
            self.insert_actions(transaction, job.clone(), given.cause())?;
            fault_point("inside-rerun-commit");
            finish(transaction, plan, steps)?;
            Ok(job)
        })?;
        let mut outcome = self.outcome(job.id.as_str());
        outcome.note(format!("{} runs nominal times before the start of {} as {}", job.id, self.job.id, job.name));
        Ok(outcome)
    }

    /// Refuses nominal times that another backfill has run since they were chosen.
    fn check_runs(&self, snapshot: &Snapshot) -> Result<()> {
        let period = (self.schedule.start, self.schedule.end);
        for (nominal, runs) in earlier_runs(snapshot, &self.job, period)? {
            if self.runs.get(&nominal).is_some_and(|before| runs.is_open || runs.times != *before) {
                let what = format!("another backfill of {} runs {} meanwhile", self.job.id, time(nominal));
                let error = Error::new(ErrorCode::E1018, what);
                return Err(error.help("check what the backfill would do now"));
            }
        }
        Ok(())
    }

    fn load(&self, engine: &mut Engine) -> Result<Arc<Application>> {
        let Engine { store, settings, applications, .. } = engine;
        let version = self.job.definition_version;
        store.read(|snapshot| applications.load(snapshot, &self.job, version, &settings.submit))
    }

    /// Stores the job and its definition, and links the two jobs in their events.
    fn insert(
        &self,
        transaction: &Transaction<'_>,
        application: &Application,
        given: &Invocation,
    ) -> Result<CoordinatorJob> {
        let original = &self.job;
        let mut job = self.row(transaction.next_job_id(JobKind::Coordinator)?, given.now);
        let key = transaction.insert_coordinator_job(&mut job)?;
        copy_definition(transaction, (original, original.definition_version), &job, application)?;
        let of = format!("nominal times before the start of {}", original.id);
        let event = given.cause_with(Some(&of)).event(None, job.status.as_str());
        transaction.insert_event(&Event { coordinator_job: Some(key), ..event })?;
        let by = format!("{} runs nominal times before the start", job.id);
        let status = original.status.as_str();
        let event = given.cause_with(Some(&by)).event(Some(status), status);
        transaction.insert_event(&Event { coordinator_job: Some(original.job), ..event })?;
        Ok(job)
    }

    fn row(&self, id: JobId, now: Timestamp) -> CoordinatorJob {
        CoordinatorJob {
            job: CoordinatorKey::default(),
            id,
            name: self.name(),
            status: JobStatus::PREP,
            created_at: now,
            modified_at: now,
            start_at: self.schedule.start,
            end_at: self.schedule.end,
            pause_at: None,
            suspended_at: None,
            ended_at: None,
            execution: self.execution,
            next_materialized_at: None,
            last_action_number: 0,
            done_materialization: true,
            definition_version: 1,
            due_at: None,
            parent_bundle: None,
            ..self.job.clone()
        }
    }

    /// Stores all actions of the job; those that do not run are SKIPPED.
    fn insert_actions(&self, transaction: &Transaction<'_>, mut job: CoordinatorJob, cause: Cause<'_>) -> Result<()> {
        job.last_action_number = self.stretches.last().map_or(0, Stretch::last);
        move_job(transaction, &mut job, JobEvent::Materialized, cause)?;
        for stretch in &self.stretches {
            let part = CoordinatorJob { last_action_number: stretch.last(), ..job.clone() };
            if stretch.runs {
                create_actions(transaction, (&part, &stretch.times), cause)?;
            } else {
                pass_over(transaction, &self.range(&part, stretch), (cause, cause))?;
            }
        }
        settle_job(transaction, job.job, cause)
    }

    fn range(&self, job: &CoordinatorJob, stretch: &Stretch) -> ActionRange {
        let time = |at: Option<&Timestamp>| at.copied().unwrap_or(job.start_at);
        ActionRange {
            job: job.job,
            number: stretch.first,
            last_number: stretch.last(),
            nominal_at: time(stretch.times.first()),
            last_nominal_at: time(stretch.times.last()),
            created_at: job.created_at,
            modified_at: job.created_at,
            status: ActionStatus::Skipped,
            definition_version: job.definition_version,
            timeout_minutes: job.timeout_minutes,
            schedule: self.schedule.to_text(),
        }
    }
}

impl Stretch {
    /// Returns the number of its last action.
    fn last(&self) -> u32 {
        (self.first - 1) + u32::try_from(self.times.len()).unwrap_or(u32::MAX)
    }
}

/// Returns all nominal times of a schedule, in stretches that are wanted and not wanted by turns.
fn stretches(schedule: &Schedule, wanted: &[Timestamp]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (number, nominal) in (1..).zip(schedule.times()) {
        let runs = wanted.binary_search(&nominal).is_ok();
        match stretches.last_mut().filter(|last| last.runs == runs) {
            Some(last) => last.times.push(nominal),
            None => stretches.push(Stretch { runs, first: number, times: vec![nominal] }),
        }
    }
    stretches
}

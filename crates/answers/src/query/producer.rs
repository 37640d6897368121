//! Which coordinator action writes a path that another one waits for.
//!
//! Looks at the output events of other jobs: a job whose dataset gives the missing instance the same URI is a
//! producer, and the action is looked for among those near the instance's nominal time. What that action waits for in
//! its turn is `chain`. Everything is bounded: the answer helps a person, and no answer is an answer.

use std::sync::Arc;

use crate::query::context::Query;
use crate::query::instance::{ChainLink, InstanceView, ProducerText, ProducerView, Writer, WriterState};
use crate::query::total::before;
use howdah_calendar::{Frequency, Schedule};
use howdah_engine::compiled::Application;
use howdah_oozie::coordinator::action::ResolvedEvent;
use howdah_oozie::coordinator::definition::DataEvent;
use howdah_store::{ActionFilter, ActionOrder, JobFilter, Page};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob};
use howdah_words::model::time::{MINUTE, Timestamp};

/// Most jobs whose definition is read for one instance.
const MOST_JOBS: u32 = 1000;
/// Most jobs of one name that are compared.
const MOST_NAMESAKES: u32 = 50;
/// Most actions before and after the instance's nominal time.
const NEAR: u32 = 48;

/// The job that writes an instance.
#[derive(Clone)]
pub struct Producer {
    pub job: CoordinatorJob,
    pub application: Arc<Application>,
    /// The name of the output event.
    output: String,
    /// The action that does; `None` when none of those near the instance's time does.
    pub candidate: Option<Candidate>,
}

/// An action near a nominal time; the number is unknown for a cron time that was not created yet. The row of an action
/// with a number is read when it is the one.
#[derive(Clone)]
pub struct Candidate {
    pub number: Option<u32>,
    pub nominal: Timestamp,
    pub action: Option<CoordinatorAction>,
}

impl Query<'_> {
    /// Who writes an instance; `None` when no known job does. A job of which an action writes it comes before one that
    /// only writes the dataset: several may share it, each with hours of its own. Live jobs come first; jobs that
    /// cannot be read are left out.
    pub fn producer(&mut self, instance: &InstanceView) -> Result<Option<Producer>> {
        let Some(at) = instance.nominal_time else { return Ok(None) };
        let mut of_dataset = None;
        for job in self.snapshot.coordinators_that_may_write(&instance.folder, MOST_JOBS)? {
            let Ok(application) = self.application(&job, job.definition_version) else { continue };
            let processing = application.coordinator.schedule.processing;
            let mut outputs = application.coordinator.outputs.iter();
            let writes =
                |output: &&DataEvent| output.dataset.uri(at, processing).is_ok_and(|uri| uri == instance.folder);
            let Some(output) = outputs.find(writes).map(|output| output.name.clone()) else { continue };
            let candidate = self.writer(&job, &application, (at, &instance.folder))?;
            let found = Producer { job, application, output, candidate };
            if found.candidate.is_some() {
                return Ok(Some(found));
            }
            of_dataset.get_or_insert(found);
        }
        Ok(of_dataset)
    }

    /// What another living job does too, as far as the job's first action shows it: W0135 for a job of the same
    /// application and properties with an action at the same nominal time, else W0128 for each output that an action of
    /// another job writes.
    ///
    /// # Errors
    /// E0604, a failure of the database.
    pub fn done_twice(&mut self, id: &JobId) -> Result<Vec<Error>> {
        let job = self.coordinator_job(id)?;
        let application = self.application(&job, job.definition_version)?;
        let Some(nominal) = application.coordinator.schedule.times().next() else { return Ok(Vec::new()) };
        if let Some(twin) = self.twin(&job, nominal)? {
            return Ok(vec![Error::with(ErrorCode::W0135, &[&twin.id, &twin.name])]);
        }
        let Ok(action) = application.coordinator.resolve(application.scope(), nominal) else { return Ok(Vec::new()) };
        let mut warnings = Vec::new();
        for output in &action.outputs {
            let Some(instance) = output.instances().next() else { continue };
            if let Some(other) = self.other_writer(&job, (instance.nominal, &instance.uri))? {
                let warning = Error::with(ErrorCode::W0128, &[&output.name, &instance.uri, &other.id, &other.name]);
                warnings.push(warning);
            }
        }
        Ok(warnings)
    }

    /// Another living job of the same name and application that has an action at a time.
    fn twin(&mut self, job: &CoordinatorJob, at: Timestamp) -> Result<Option<CoordinatorJob>> {
        let filter = JobFilter { names: vec![job.name.clone()], ..JobFilter::default() };
        let page = Page { offset: 0, len: MOST_NAMESAKES };
        for other in self.snapshot.coordinator_job_page(&filter, page)?.0 {
            if other.job == job.job || other.status.is_terminal() || other.app_path != job.app_path {
                continue;
            }
            let Ok(known) = self.application(&other, other.definition_version) else { continue };
            let is_due = |candidate: &Candidate| candidate.nominal == at && at < known.coordinator.schedule.end;
            if self.near(&other, &known, at)?.iter().any(is_due) {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Another living job of which an action writes a folder.
    fn other_writer(
        &mut self,
        job: &CoordinatorJob,
        (at, folder): (Timestamp, &str),
    ) -> Result<Option<CoordinatorJob>> {
        for other in self.snapshot.coordinators_that_may_write(folder, MOST_JOBS)? {
            if other.job == job.job || other.status.is_terminal() {
                continue;
            }
            let Ok(application) = self.application(&other, other.definition_version) else { continue };
            if self.writer(&other, &application, (at, folder))?.is_some() {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// The action of a job that writes a folder, looked for near a time.
    fn writer(
        &self,
        job: &CoordinatorJob,
        application: &Application,
        (at, folder): (Timestamp, &str),
    ) -> Result<Option<Candidate>> {
        let writes = |candidate: &Candidate| {
            let resolved = application.coordinator.resolve(application.scope(), candidate.nominal);
            resolved.is_ok_and(|action| {
                action.outputs.iter().flat_map(ResolvedEvent::instances).any(|written| written.uri == folder)
            })
        };
        let Some(mut found) = self.near(job, application, at)?.into_iter().find(writes) else { return Ok(None) };
        if let (Some(number), None) = (found.number, &found.action) {
            found.action = self.snapshot.coordinator_action(ActionKey { job: job.job, number })?;
        }
        Ok(Some(found))
    }

    /// The actions of a job near a time, the nearest first.
    fn near(&self, job: &CoordinatorJob, application: &Application, at: Timestamp) -> Result<Vec<Candidate>> {
        let schedule = &application.coordinator.schedule;
        let mut candidates = match &schedule.frequency {
            Frequency::Fixed { .. } => near_by_number(schedule, at),
            Frequency::Cron(_) => self.near_by_time(job, schedule, at)?,
        };
        candidates.sort_by_key(|candidate| (candidate.nominal - at).abs());
        Ok(candidates)
    }

    fn near_by_time(&self, job: &CoordinatorJob, schedule: &Schedule, at: Timestamp) -> Result<Vec<Candidate>> {
        let page = Page { offset: 0, len: NEAR };
        let earlier = ActionFilter { nominal_until: Some(at), ..ActionFilter::default() };
        let later = ActionFilter { nominal_from: Some(at + 1), ..ActionFilter::default() };
        let mut stored = self.snapshot.action_page(job.job, &earlier, ActionOrder::NewestFirst, page)?.actions;
        stored.extend(self.snapshot.action_page(job.job, &later, ActionOrder::OldestFirst, page)?.actions);
        let known = |action: CoordinatorAction| Candidate {
            number: Some(action.number),
            nominal: action.nominal_at,
            action: Some(action),
        };
        let mut candidates: Vec<Candidate> = stored.into_iter().map(known).collect();
        // Times that were not created yet have no number, but an action writes at them all the same.
        let mut nominal = at.max(schedule.start) - MINUTE;
        for _ in 0..NEAR {
            match schedule.following(0, nominal).filter(|next| *next < schedule.end) {
                Some(next) => nominal = next,
                None => break,
            }
            if candidates.iter().all(|candidate| candidate.nominal != nominal) {
                candidates.push(Candidate { number: None, nominal, action: None });
            }
        }
        Ok(candidates)
    }

    /// Who writes an instance, as people and programs see it.
    pub(crate) fn producer_view(&self, producer: &Producer, chain: Vec<ChainLink>) -> ProducerView {
        let Producer { job, output, candidate: found, .. } = producer;
        let text =
            ProducerText { waits_for: None, writer: Some(self.writer_of(job, found.as_ref())), closes_cycle: false };
        let id = |number: u32| format!("{}@{number}", job.id);
        ProducerView {
            coord_job_id: job.id.to_string(),
            coord_job_name: job.name.clone(),
            job_status: job.status,
            output: output.clone(),
            action_id: found.as_ref().and_then(|candidate| candidate.number).map(id),
            nominal_time: found.as_ref().map(|candidate| candidate.nominal),
            status: found.as_ref().and_then(|found| found.action.as_ref()).map(|action| action.status),
            text,
            chain,
            due_at: found.as_ref().map(|candidate| candidate.nominal).filter(|nominal| *nominal > self.now),
        }
    }

    /// Returns what the job that writes an instance does, or its action.
    pub(crate) fn writer_of(&self, job: &CoordinatorJob, candidate: Option<&Candidate>) -> Writer {
        let state = match candidate {
            None => WriterState::NoAction(job.status),
            Some(Candidate { action: Some(action), .. }) => WriterState::Action(action.status),
            Some(_) if job.status.is_terminal() => WriterState::JobOver(job.status),
            Some(candidate) if candidate.nominal > self.now => WriterState::Due(candidate.nominal - self.now),
            Some(_) => WriterState::NotCreated(job.status),
        };
        let number = candidate.and_then(|candidate| candidate.number);
        Writer { job: job.id.clone(), name: job.name.clone(), number, state }
    }
}

fn near_by_number(schedule: &Schedule, at: Timestamp) -> Vec<Candidate> {
    let first = u32::try_from(before(schedule, at)).unwrap_or(u32::MAX);
    let of_index = |index: u32| {
        let nominal = schedule.following(index, schedule.start).filter(|nominal| *nominal < schedule.end)?;
        Some(Candidate { number: Some(index.saturating_add(1)), nominal, action: None })
    };
    (first.saturating_sub(NEAR)..=first.saturating_add(NEAR)).map_while(of_index).collect()
}

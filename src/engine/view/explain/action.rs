//! Why one action of a coordinator stands where it stands.

use crate::coordinator::queue::may_start;
use crate::coordinator::readiness::{Strategy, Wait, checks_inputs, is_passed_over};
use crate::engine::application::Application;
use crate::engine::command::workflow_of;
use crate::engine::source;
use crate::engine::view::explain::wording::{
    are, before, next_for_inputs, quoted, resume_or_tick, runs, timeout_text, waits_for,
};
use crate::engine::view::explain::{Explanation, count, when};
use crate::engine::view::inputs::{InputView, InstanceState, missing};
use crate::engine::view::total::total;
use crate::engine::view::workflow::error_text;
use crate::engine::view::{Look, in_words, time};
use crate::error::{Error, ErrorCode, Result};
use crate::host::mounts::Resolved;
use crate::model::id::JobId;
use crate::model::status::{ActionStatus, Execution};
use crate::store::{ActionKey, ActionOrder, CoordinatorAction, CoordinatorJob};

/// Missing instances for which a producer is looked for.
const MOST_PRODUCERS: usize = 24;
/// READY actions that are looked at for the order.
const MOST_READY: u32 = 10_000;

/// An action and what it belongs to.
struct Subject<'s> {
    job: &'s CoordinatorJob,
    application: &'s Application,
    action: &'s CoordinatorAction,
}

impl Look<'_> {
    /// Explains an action, also one that does not exist yet.
    ///
    /// # Errors
    /// E0604 when there is no such job, E0605 when it will never have such an action.
    pub(crate) fn explain_action(&mut self, id: &JobId, number: u32) -> Result<Explanation> {
        let job = self.coordinator_job(id)?;
        let Some(action) = self.snapshot.coordinator_action(ActionKey { job: job.job, number })? else {
            return self.explain_future(&job, number);
        };
        let mut explanation = Explanation {
            id: format!("{id}@{number}"),
            name: job.name.clone(),
            status: Some(action.status.to_string()),
            nominal_time: Some(time(action.nominal_at)),
            created_time: Some(time(action.created_at)),
            ..Explanation::default()
        };
        let application = self.application(&job, action.definition_version)?;
        let subject = Subject { job: &job, application: &application, action: &action };
        match action.status {
            ActionStatus::Waiting => self.waiting(&subject, &mut explanation)?,
            ActionStatus::Ready => self.ready(&subject, &mut explanation)?,
            ActionStatus::Submitted | ActionStatus::Running | ActionStatus::Suspended => {
                self.started(&subject, &mut explanation)?;
            }
            ActionStatus::TimedOut => self.timed_out(&subject, &mut explanation)?,
            ActionStatus::Failed | ActionStatus::Killed => self.unsuccessful(&subject, &mut explanation)?,
            ActionStatus::Succeeded => self.succeeded(&subject, &mut explanation)?,
            ActionStatus::Skipped | ActionStatus::Ignored => {
                let reason = self.last_reason(&action)?;
                explanation.why = reason.map_or_else(
                    || format!("it is {}: nothing will run for it", action.status),
                    |reason| format!("it was passed over: {reason}"),
                );
                explanation.next.push(format!("howdah info {id}"));
            }
        }
        explanation.reasons.extend(self.sla_line(action.key())?.map(|line| format!("SLA: {line}")));
        Ok(explanation)
    }

    fn waiting(&mut self, subject: &Subject<'_>, explanation: &mut Explanation) -> Result<()> {
        let Subject { job, application, action } = *subject;
        let (id, now) = (explanation.id.clone(), self.now);
        let inputs = match self.inputs(application, action.nominal_at, Some(action.created_at)) {
            Ok(inputs) => inputs,
            Err(error) => {
                explanation.why = format!("its inputs cannot be computed: {error}");
                explanation.next.push(format!("howdah info {id}"));
                return Ok(());
            }
        };
        let (complete, by_logic) = (inputs.complete, inputs.by_logic);
        explanation.inputs = self.with_producers(inputs.views)?;
        let absent = missing(&explanation.inputs).count() as u64;
        let wait = Wait {
            nominal: action.nominal_at,
            created: action.created_at,
            timeout_minutes: action.timeout_minutes.into(),
        };
        let wants = match (complete, by_logic) {
            (true, false) => "all its inputs are there".to_owned(),
            (true, true) => "its input logic is satisfied".to_owned(),
            (false, false) => format!("{} not there yet", are(absent, "input instance")),
            (false, true) => format!("its input logic wants more: {} not there yet", are(absent, "input instance")),
        };
        explanation.times_out_at = wait.deadline().map(time);
        if !checks_inputs(job.status) {
            explanation.why = format!("the job is {}, so nobody looks for the inputs", job.status);
            explanation.reasons.push(wants);
            explanation.next.push(resume_or_tick(job));
        } else if action.nominal_at > now {
            explanation.why = format!("it is not due before {}", when(action.nominal_at, now));
            explanation.reasons.push(wants);
            explanation.next.push(format!("howdah info {}", job.id));
        } else if is_passed_over(&self.strategy(job, application), action.number, action.nominal_at, now) {
            explanation.why = format!("the next tick passes it over, because execution is {}", job.execution);
            explanation.next.push("howdah tick".to_owned());
        } else if complete {
            explanation.why = format!("{wants}: the next tick makes it READY");
            explanation.next.push("howdah tick".to_owned());
        } else {
            explanation.why = waits_for(&explanation.inputs);
            explanation.reasons.extend(by_logic.then_some(wants));
            explanation.next.extend(next_for_inputs(&explanation.inputs));
        }
        explanation.reasons.push(timeout_text(wait, complete, now));
        Ok(())
    }

    fn ready(&mut self, subject: &Subject<'_>, explanation: &mut Explanation) -> Result<()> {
        let Subject { job, application, action } = *subject;
        let started = self.snapshot.started_actions(job.job)?;
        // A SUSPENDED action gives its place away.
        let occupying = started.iter().filter(|action| action.status != ActionStatus::Suspended);
        let occupied: Vec<String> = occupying.map(|action| format!("{}@{}", job.id, action.number)).collect();
        let order = match job.execution {
            Execution::Fifo => ActionOrder::OldestFirst,
            Execution::Lifo | Execution::LastOnly | Execution::None => ActionOrder::NewestFirst,
        };
        let ready = self.snapshot.ready_actions(job.job, order, MOST_READY)?;
        let ahead = ready.iter().take_while(|other| other.number != action.number).count();
        let free = usize::try_from(job.concurrency).map_or(usize::MAX, |limit| limit.saturating_sub(occupied.len()));
        if !may_start(job.status) {
            explanation.why = format!("its inputs are there, but the job is {} and starts nothing", job.status);
            explanation.next.push(resume_or_tick(job));
        } else if is_passed_over(&self.strategy(job, application), action.number, action.nominal_at, self.now) {
            explanation.why = format!("the next tick passes it over, because execution is {}", job.execution);
            explanation.next.push("howdah tick".to_owned());
        } else if free == 0 {
            explanation.why = format!(
                "its inputs are there, but the job's concurrency is {} and {} already",
                job.concurrency,
                runs(occupied.len()),
            );
            explanation.next.extend(occupied.first().map(|id| format!("howdah explain {id}")));
        } else if ahead >= free {
            explanation.why = before(ahead, job);
            explanation.next.push("howdah tick".to_owned());
        } else if let Err(error) =
            source::read_application(self.mounts, &application.coordinator.app_path, "workflow.xml")
        {
            explanation.why = format!("its inputs are there, but its workflow cannot be used: {error}");
            explanation.reasons.extend(error.help_text().map(str::to_owned));
            explanation.next.push("howdah tick".to_owned());
        } else {
            explanation.why = String::from("its inputs are there and there is a place: the next tick starts it");
            explanation.next.push("howdah tick".to_owned());
        }
        if ahead > 0 && free == 0 {
            explanation.reasons.push(before(ahead, job));
        }
        explanation.occupied_by = occupied;
        Ok(())
    }

    fn started(&self, subject: &Subject<'_>, explanation: &mut Explanation) -> Result<()> {
        let Some(workflow) = workflow_of(self.snapshot, subject.action)? else {
            explanation.why = String::from("its workflow job is not in the database");
            explanation.next.push("howdah db check".to_owned());
            return Ok(());
        };
        let explained = self.explain_running(&workflow, explanation)?;
        explanation.workflow = Some(explained);
        Ok(())
    }

    fn timed_out(&mut self, subject: &Subject<'_>, explanation: &mut Explanation) -> Result<()> {
        let Subject { job, application, action } = *subject;
        explanation.why = match &action.first_missing {
            Some(uri) => format!("it timed out waiting for {uri}"),
            None => String::from("it waited too long for its inputs"),
        };
        let inputs = self.inputs(application, action.nominal_at, Some(action.created_at)).unwrap_or_default();
        explanation.inputs = self.with_producers(inputs.views)?;
        explanation.reasons.push(match missing(&explanation.inputs).count() as u64 {
            0 => "all its inputs are there now; a timed out action does not start by itself".to_owned(),
            absent => format!("{} missing even now", are(absent, "input instance")),
        });
        explanation.reasons.push(format!(
            "it waited {} (timeout {} min)",
            in_words(action.modified_at - action.nominal_at.max(action.created_at)),
            action.timeout_minutes
        ));
        explanation.next.extend(next_for_inputs(&explanation.inputs));
        explanation.next.push(format!("howdah info {}", job.id));
        Ok(())
    }

    fn unsuccessful(&self, subject: &Subject<'_>, explanation: &mut Explanation) -> Result<()> {
        let action = subject.action;
        let error = error_text(action.error_code.as_deref(), action.error_message.as_deref());
        let Some(workflow) = workflow_of(self.snapshot, action)? else {
            let reason = error.or(self.last_reason(action)?);
            explanation.why = match reason {
                Some(reason) => format!("no workflow job was started: {reason}"),
                None => format!("it was {} before a workflow job was started", action.status),
            };
            if action.error_code.is_some() {
                // What keeps a workflow job from being started is in its definition or in the way to it.
                let app_path = &subject.application.coordinator.app_path;
                if let Resolved::Local(path) = self.mounts.resolve(app_path) {
                    explanation.next.push(format!("howdah validate {}", quoted(&path.display().to_string())));
                }
            }
            explanation.next.push(format!("howdah log {}", subject.job.id));
            return Ok(());
        };
        let explained = self.explain_failure(&workflow, explanation)?;
        explanation.workflow = Some(explained);
        Ok(())
    }

    fn succeeded(&self, subject: &Subject<'_>, explanation: &mut Explanation) -> Result<()> {
        let workflow = workflow_of(self.snapshot, subject.action)?;
        explanation.why = match workflow.as_ref().and_then(|workflow| Some((workflow, workflow.ended_at?))) {
            Some((workflow, ended)) => format!(
                "it succeeded at {} after {} (workflow job {})",
                time(ended),
                in_words(ended - workflow.started_at.unwrap_or(workflow.created_at)),
                workflow.id
            ),
            None => "it succeeded".to_owned(),
        };
        explanation.next.push(format!("howdah log {}", explanation.id));
        Ok(())
    }

    /// An action that was not created yet.
    fn explain_future(&mut self, job: &CoordinatorJob, number: u32) -> Result<Explanation> {
        let application = self.application(job, job.definition_version)?;
        let never = || {
            let total = total(&application.coordinator.schedule, 20_000);
            let help = total.map_or_else(String::new, |total| format!("the job has {} in all", count(total, "action")));
            let error = Error::new(ErrorCode::E0605, format!("{}@{number}", job.id));
            if help.is_empty() { error } else { error.help(help) }
        };
        let nominal = application.coordinator.schedule.nominal(number).ok_or_else(never)?;
        let (why, next) = self.not_created(job, &application, nominal)?;
        let inputs = self.inputs(&application, nominal, None).unwrap_or_default();
        Ok(Explanation {
            id: format!("{}@{number}", job.id),
            name: job.name.clone(),
            nominal_time: Some(time(nominal)),
            why,
            inputs: self.with_producers(inputs.views)?,
            next: vec![next],
            ..Explanation::default()
        })
    }

    /// Adds who writes what is missing.
    fn with_producers(&mut self, mut inputs: Vec<InputView>) -> Result<Vec<InputView>> {
        if missing(&inputs).next().is_none() {
            return Ok(inputs);
        }
        let producers = self.producers()?;
        let instances = inputs.iter_mut().flat_map(|input| &mut input.instances);
        let missing = instances.filter(|instance| instance.state == InstanceState::Missing);
        for instance in missing.take(MOST_PRODUCERS) {
            instance.producer = self.producer(&producers, instance)?;
        }
        Ok(inputs)
    }

    fn strategy<'s>(&self, job: &CoordinatorJob, application: &'s Application) -> Strategy<'s> {
        Strategy {
            execution: job.execution,
            schedule: &application.coordinator.schedule,
            none_tolerance_minutes: self.settings.none_tolerance_minutes,
        }
    }

    /// Why an action has its status, as the step that gave it noted.
    fn last_reason(&self, action: &CoordinatorAction) -> Result<Option<String>> {
        let events = self.snapshot.events_of_action(action.key())?;
        let last = events.into_iter().rev().find(|event| event.to_status == action.status.as_str());
        Ok(last.map(|event| event.reason.unwrap_or_else(|| format!("`{}` did it", event.origin))))
    }
}

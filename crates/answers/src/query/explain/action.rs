//! Why an action of a coordinator is in its current state, by its status.

use crate::query::context::Query;
use crate::query::error_text::error_text;
use crate::query::explain::command::own;
use crate::query::explain::explanation::Explanation;
use crate::query::explain::hold::Hold;
use crate::query::explain::why::{ActionWhy, Therefore};
use crate::query::explain::wording::{are, next_for_inputs, timeout};
use crate::query::inputs::missing;
use howdah_engine::compiled::Application;
use howdah_engine::format::{in_words, quoted};
use howdah_engine::transition::reason;
use howdah_engine::waiting;
use howdah_host::located::Base;
use howdah_oozie::coordinator::readiness::Strategy;
use howdah_words::error::Result;
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;

/// An action and what it belongs to.
pub(super) struct ExplainedAction<'s> {
    pub(super) job: &'s CoordinatorJob,
    pub(super) application: &'s Application,
    pub(super) action: &'s CoordinatorAction,
}

impl Query<'_> {
    /// Explains an action, also one that does not exist yet.
    ///
    /// # Errors
    /// E0604 when there is no such job, E0605 when it will never have such an action.
    pub fn explain_action(&mut self, id: &JobId, number: u32) -> Result<Explanation> {
        let job = self.coordinator_job(id)?;
        let Some(action) = self.snapshot.coordinator_action(ActionKey { job: job.job, number })? else {
            return self.explain_future(&job, number);
        };
        let mut explanation = Explanation {
            id: format!("{id}@{number}"),
            name: job.name.clone(),
            status: Some(action.status.into()),
            nominal_time: Some(action.nominal_at),
            created_time: Some(action.created_at),
            ..Explanation::default()
        };
        if action.status != ActionStatus::Waiting {
            explanation.decision = self.decision(&action)?;
        }
        let application = self.application(&job, action.definition_version)?;
        let subject = ExplainedAction { job: &job, application: &application, action: &action };
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
                explanation.why = reason.map_or(ActionWhy::NothingRuns(action.status), ActionWhy::WasPassedOver).into();
                explanation.next.push(own!("info {id}"));
            }
        }
        explanation.reasons.extend(self.planned_rerun(&job, &action)?.map(|rerun| rerun.sentence()));
        explanation.reasons.extend(self.sla_line(action.key())?.map(|line| format!("SLA: {line}")));
        Ok(explanation)
    }

    fn started(&self, subject: &ExplainedAction<'_>, explanation: &mut Explanation) -> Result<()> {
        let Some(workflow) = self.snapshot.workflow_job_of_action(subject.action)? else {
            if let Some(why) = self.runs_in_oozie(subject)? {
                explanation.why = why.into();
                return Ok(());
            }
            if self.snapshot.shadow()?.is_some() {
                let reason = self.last_reason(subject.action)?.unwrap_or_default();
                explanation.why = ActionWhy::InShadow(reason).into();
                explanation.next.push(own!("info {}", subject.job.id));
                return Ok(());
            }
            explanation.why = ActionWhy::WorkflowMissing.into();
            explanation.next.push(own!("db check"));
            return Ok(());
        };
        let explained = self.explain_running(&workflow, explanation)?;
        explanation.workflow = Some(explained);
        if explanation.held_by == Some(Hold::Suspension) && subject.job.status.is_suspended() {
            // Resuming the workflow job alone would go behind the back of the job.
            let reason = self.job_holds(subject.job, Therefore::ActionsWaitForResume)?;
            explanation.reasons.insert(0, explanation.why.to_string());
            explanation.why = reason.why;
            explanation.next.clear();
            explanation.next.extend([reason.next, own!("info {}", subject.job.id)]);
        }
        Ok(())
    }

    /// Returns that an Oozie has started an action, if its job was taken over from one.
    fn runs_in_oozie(&self, subject: &ExplainedAction<'_>) -> Result<Option<ActionWhy>> {
        let Some(takeover) = self.snapshot.takeover_of_job(subject.job.job)? else { return Ok(None) };
        let is_left =
            ActionNumbers::parse(&takeover.left_to_oozie).is_ok_and(|numbers| numbers.contains(subject.action.number));
        let workflow = subject.action.external_id.clone().unwrap_or_else(|| "-".to_owned());
        Ok(is_left.then_some(ActionWhy::RunsInOozie(workflow, takeover.oozie_id)))
    }

    fn timed_out(&mut self, subject: &ExplainedAction<'_>, explanation: &mut Explanation) -> Result<()> {
        let ExplainedAction { job, application, action } = *subject;
        explanation.why = ActionWhy::TimedOut(action.first_missing.as_ref().map(ToString::to_string)).into();
        let inputs = self.inputs(application, action.nominal_at, Some(action.created_at)).unwrap_or_default();
        let reader = Some((job.job, action.nominal_at));
        explanation.inputs = self.with_producers(inputs.views, reader)?;
        explanation.reasons.push(match missing(&explanation.inputs).count() as u64 {
            0 => "all its inputs are there now; a timed out action does not start by itself".to_owned(),
            absent => format!("{} missing even now", are(absent, "input instance")),
        });
        explanation.reasons.push(format!(
            "it waited {} ({})",
            in_words(action.modified_at - action.nominal_at.max(action.created_at)),
            timeout(action.timeout_minutes.into())
        ));
        let is_complete = missing(&explanation.inputs).next().is_none();
        explanation.next.extend(is_complete.then(|| own!("rerun {}", explanation.id)));
        explanation.next.extend(next_for_inputs(&explanation.inputs));
        explanation.next.push(own!("info {}", job.id));
        Ok(())
    }

    fn unsuccessful(&self, subject: &ExplainedAction<'_>, explanation: &mut Explanation) -> Result<()> {
        let action = subject.action;
        let error = error_text(action.error_code.as_deref(), action.error_message.as_deref());
        let Some(workflow) = self.snapshot.workflow_job_of_action(action)? else {
            let reason = error.or(self.last_reason(action)?);
            explanation.why =
                reason.map_or(ActionWhy::EndedBeforeStart(action.status), ActionWhy::NoWorkflowStarted).into();
            if action.error_code.is_some() {
                // What keeps a workflow job from being started is in its definition or in the way to it.
                let app_path = &subject.application.coordinator.app_path;
                if let Ok(path) = self.mounts.locate(app_path, &Base::store(subject.application.store())) {
                    explanation.next.push(own!("validate {}", quoted(&path.place())));
                }
            }
            explanation.next.push(own!("log --audit {}", subject.job.id));
            return Ok(());
        };
        let explained = self.explain_failure(&workflow, explanation)?;
        explanation.workflow = Some(explained);
        Ok(())
    }

    fn succeeded(&self, subject: &ExplainedAction<'_>, explanation: &mut Explanation) -> Result<()> {
        let workflow = self.snapshot.workflow_job_of_action(subject.action)?;
        if let Some(job) = &workflow {
            let nodes = self.errors_on_the_way(job, explanation)?;
            explanation.workflow = (!nodes.is_empty()).then(|| super::workflow::workflow(job, nodes));
        }
        let work = workflow.and_then(|workflow| {
            let ended = workflow.ended_at?;
            Some((ended, ended - workflow.started_at.unwrap_or(workflow.created_at), workflow.id))
        });
        explanation.why = ActionWhy::Succeeded(work).into();
        explanation.next.push(own!("log {}", explanation.id));
        Ok(())
    }

    /// How the job's execution passes actions over.
    pub(super) fn strategy<'s>(&self, job: &CoordinatorJob, application: &'s Application) -> Strategy<'s> {
        waiting::strategy(job, application, self.settings)
    }

    /// Why an action has its status, as the step that gave it noted.
    fn last_reason(&self, action: &CoordinatorAction) -> Result<Option<String>> {
        let events = self.snapshot.events_of_action(action.key())?;
        let last = events.into_iter().rev().find(|event| event.to_status == action.status.as_str());
        Ok(last.map(|event| reason::of_event(&event).unwrap_or_else(|| format!("`{}` did it", event.origin))))
    }
}

//! What `info JOB@3` shows besides the row of the action: its inputs and outputs with their presence, the configuration
//! and the times of its workflow job, and why it failed.

use serde::Serialize;

use crate::query::context::Query;
use crate::query::instance::InstanceView;
use crate::query::json;
use howdah_engine::compiled::Application;
use howdah_engine::run_as;
use howdah_engine::stored_properties::read_properties;
use howdah_oozie::coordinator::action::ResolvedEvent;
use howdah_oozie::coordinator::definition::DataEvent;
use howdah_words::error::Result;
use howdah_words::model::Properties;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, WorkflowJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The data of an action and its workflow job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionDetail {
    /// When its workflow job started and ended.
    #[serde(serialize_with = "json::second_or_null")]
    pub start_time: Option<Timestamp>,
    #[serde(serialize_with = "json::second_or_null")]
    pub end_time: Option<Timestamp>,
    /// How long its workflow job has run, so far or in all.
    pub duration_seconds: Option<i64>,
    /// Why it failed.
    pub error: Option<String>,
    pub inputs: Vec<EventView>,
    pub outputs: Vec<EventView>,
    /// The properties of its workflow job, or what is decided of them; `None` while its inputs are not decided.
    pub configuration: Option<Properties>,
}

/// The instances of an input or an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    pub name: String,
    pub dataset: String,
    /// Without those that a search found: the decision has them.
    pub instances: Vec<InstanceView>,
}

impl Query<'_> {
    /// Returns the data and the workflow job of an action.
    ///
    /// # Errors
    /// E0603 when what is stored is no configuration.
    pub(super) fn action_detail(&mut self, job: &CoordinatorJob, action: &CoordinatorAction) -> Result<ActionDetail> {
        let workflow = self.snapshot.workflow_job_of_action(action)?;
        // A definition that cannot be read or resolved any more must not hide the action.
        let application = self.application(job, action.definition_version).ok();
        let (inputs, outputs) =
            application.and_then(|application| self.events_of(&application, action).ok()).unwrap_or_default();
        let is_unsuccessful = matches!(action.status, ActionStatus::Failed | ActionStatus::Killed);
        let error = if is_unsuccessful { self.reason(action, workflow.as_ref())? } else { None };
        let started = workflow.as_ref().and_then(|workflow| workflow.started_at);
        let ended = workflow.as_ref().and_then(|workflow| workflow.ended_at);
        Ok(ActionDetail {
            start_time: started,
            end_time: ended,
            duration_seconds: started.map(|started| (ended.unwrap_or(self.now) - started).max(0)),
            error,
            inputs,
            outputs,
            configuration: self.configuration_of(job, action, workflow.as_ref())?,
        })
    }

    /// Returns the inputs and the outputs of an action, asked for with the rights of the job's user.
    fn events_of(
        &self,
        application: &Application,
        action: &CoordinatorAction,
    ) -> Result<(Vec<EventView>, Vec<EventView>)> {
        let coordinator = &application.coordinator;
        let resolved = coordinator.resolve(application.scope(), action.nominal_at)?;
        let datasets =
            |events: &[DataEvent]| -> Vec<String> { events.iter().map(|event| event.dataset.name.clone()).collect() };
        let (of_inputs, of_outputs) = (datasets(&coordinator.inputs), datasets(&coordinator.outputs));
        let reader = run_as::reader(&run_as::user(&application.configuration));
        reader.act(|| {
            let views = |events: &[ResolvedEvent], datasets: Vec<String>| -> Vec<EventView> {
                events.iter().zip(datasets).map(|(event, dataset)| self.event_of(application, event, dataset)).collect()
            };
            (views(&resolved.inputs, of_inputs), views(&resolved.outputs, of_outputs))
        })
    }

    fn event_of(&self, application: &Application, event: &ResolvedEvent, dataset: String) -> EventView {
        let store = application.store();
        let instances = event.instances().map(|instance| self.instance(instance, &store)).collect();
        EventView { name: event.name.clone(), dataset, instances }
    }

    fn configuration_of(
        &self,
        job: &CoordinatorJob,
        action: &CoordinatorAction,
        workflow: Option<&WorkflowJob>,
    ) -> Result<Option<Properties>> {
        let document = workflow.map(|workflow| workflow.configuration).or(action.configuration);
        let Some(document) = document else { return Ok(None) };
        let properties = read_properties(&self.snapshot.document(document)?)?;
        Ok(Some(self.veil(&job.id)?.properties(properties)))
    }
}

//! What a workflow job does, or which of its nodes kept it from succeeding.

use crate::query::context::Query;
use crate::query::error_text::error_text;
use crate::query::explain::command::own;
use crate::query::explain::explanation::{Explanation, NodeExplanation, WorkflowExplanation};
use crate::query::explain::hold::Hold;
use crate::query::explain::why::{ByOrBecause, Since, WorkflowWhy};
use crate::query::kill_message::KillMessage;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::node_type::NodeType;
use howdah_words::model::row::{WorkflowJob, WorkflowNode};
use howdah_words::model::status::{NodeStatus, WorkflowStatus};

/// Seconds after which a job that no runner has started is stuck.
const LONGEST_START: i64 = 60;
/// How deep a failure is followed into sub-workflows.
const DEEPEST: u32 = 64;

impl Query<'_> {
    /// Explains a workflow job.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn explain_workflow(&mut self, id: &JobId) -> Result<Explanation> {
        let job = self.workflow_job(id)?;
        let mut explanation = Explanation::of_job(id, &job.name, job.status, job.created_at);
        if let Some(parent) = self.parent(&job)? {
            explanation.reasons.push(format!("it belongs to {parent}"));
        }
        explanation.reasons.extend(self.sla_reason(job.job, None)?);
        let workflow = match job.status {
            WorkflowStatus::Succeeded => {
                let ended = job.ended_at.unwrap_or(job.modified_at);
                let seconds = ended - job.started_at.unwrap_or(job.created_at);
                explanation.why = WorkflowWhy::Succeeded { ended, seconds }.into();
                let nodes = self.errors_on_the_way(&job, &mut explanation)?;
                explanation.next.push(own!("log {id}"));
                if nodes.is_empty() {
                    return Ok(explanation);
                }
                workflow(&job, nodes)
            }
            WorkflowStatus::Killed | WorkflowStatus::Failed => self.explain_failure(&job, &mut explanation)?,
            WorkflowStatus::Prep | WorkflowStatus::Running | WorkflowStatus::Suspended => {
                self.explain_running(&job, &mut explanation)?
            }
        };
        explanation.workflow = Some(workflow);
        Ok(explanation)
    }

    /// Returns the nodes that ended as ERROR in a job that succeeded, because their error transitions led on.
    pub(super) fn errors_on_the_way(
        &self,
        job: &WorkflowJob,
        explanation: &mut Explanation,
    ) -> Result<Vec<NodeExplanation>> {
        let mut explained = Vec::new();
        for node in self.snapshot.workflow_nodes(job.job)? {
            if !matches!(node.status, NodeStatus::Error | NodeStatus::Failed) {
                continue;
            }
            let error = self.node_error(job, &node)?.map(|error| format!(" ({error})")).unwrap_or_default();
            let to = node.transition.as_deref().unwrap_or("its error transition");
            explanation
                .reasons
                .push(format!("node {} ended as {}{error}, and the job went on to {to}", node.name, node.status));
            explanation.next.push(own!("explain {}@{}", job.id, node.name));
            explained.push(self.node(job, &node)?);
        }
        Ok(explained)
    }

    /// What an active workflow job does; sets the answer and the next commands.
    pub(super) fn explain_running(
        &self,
        job: &WorkflowJob,
        explanation: &mut Explanation,
    ) -> Result<WorkflowExplanation> {
        let at_work: Vec<WorkflowNode> =
            self.snapshot.workflow_nodes(job.job)?.into_iter().filter(|node| !node.status.is_terminal()).collect();
        let names: Vec<String> = at_work.iter().map(|node| node.name.clone()).collect();
        let nodes = at_work.iter().map(|node| self.node(job, node)).collect::<Result<Vec<_>>>()?;
        let seconds = self.now - job.started_at.unwrap_or(job.created_at);
        let runs = at_work.iter().any(|node| node.status == NodeStatus::Running);
        let paused = self.site_paused().filter(|_| !runs);
        let id = job.id.clone();
        explanation.held_by = Some(Hold::Work);
        explanation.reasons.extend(self.troubles_of(job));
        match job.status {
            WorkflowStatus::Suspended => {
                explanation.held_by = Some(Hold::Suspension);
                explanation.why = WorkflowWhy::Suspended { job: id, since: self.suspended_since(job)? }.into();
                explanation.next.push(own!("resume {}", job.id));
            }
            _ if paused.is_some() => paused.into_iter().for_each(|paused| paused.answer(explanation)),
            WorkflowStatus::Prep if job.run == 0 && self.snapshot.is_workflow_held(job.job)? => {
                explanation.held_by = Some(Hold::Start);
                explanation.why = WorkflowWhy::NotStartedYet { job: id }.into();
                explanation.next.push(own!("oozie job -start {}", job.id));
            }
            _ if !self.runner_at_work => {
                explanation.why = WorkflowWhy::NoRunner { job: id, status: job.status }.into();
                explanation.reasons.push("a tick starts a runner; is `howdah tick` in your crontab?".to_owned());
                explanation.next.push(own!("tick"));
            }
            WorkflowStatus::Prep if self.now - job.created_at > LONGEST_START => {
                explanation.why = WorkflowWhy::NotStarted { job: id, seconds }.into();
                let log = self.runner_log.display();
                explanation
                    .reasons
                    .push(format!("a runner is at work; what stops it stands in {log}, or the disk is full"));
            }
            WorkflowStatus::Prep => explanation.why = WorkflowWhy::Starting { job: id }.into(),
            _ => {
                let has_log = !names.is_empty();
                explanation.why = WorkflowWhy::Running { job: id, seconds, at: names }.into();
                explanation.next.extend(has_log.then(|| own!("log -f {}", explanation.id)));
            }
        }
        explanation.next.push(own!("info {}", job.id));
        Ok(workflow(job, nodes))
    }

    /// What is in the way of the runner, for this job or for all of them.
    pub(super) fn troubles_of(&self, job: &WorkflowJob) -> Vec<String> {
        let of_job = self
            .problems
            .iter()
            .filter(|(subject, _)| *subject == job.id.to_string() || JobId::parse(subject).is_none());
        let words = |(_, problem): &(String, String)| {
            format!("the runner cannot advance it: {problem}; the next step tries again")
        };
        of_job.map(words).collect()
    }

    /// Why a workflow job did not succeed; sets the answer and the next commands.
    pub(super) fn explain_failure(
        &self,
        job: &WorkflowJob,
        explanation: &mut Explanation,
    ) -> Result<WorkflowExplanation> {
        let culprit = self.culprit(job, 0)?;
        let of_job = error_text(job.error_code.as_deref(), job.error_message.as_deref());
        let nodes = match &culprit {
            Some((owner, node)) => vec![self.node(owner, node)?],
            None => Vec::new(),
        };
        explanation.reasons.extend(self.decided_to_end(job)?);
        let message = self.kill_message(job)?.filter(|of| job.error_message.as_ref() != Some(&of.message));
        let said = |of: KillMessage| format!("the kill node {} says: {}", of.id, of.message);
        explanation.reasons.extend(message.map(said));
        explanation.why = match (&culprit, &of_job) {
            // The job failed for a reason of its own; the node before it only led there.
            (Some((owner, node)), Some(error))
                if job.status == WorkflowStatus::Failed
                    && owner.job == job.job
                    && node.status != NodeStatus::Failed =>
            {
                explanation.reasons.push(format!("before that, node {} ended as {}", node.name, node.status));
                WorkflowWhy::Ended { job: job.id.clone(), status: job.status, error: Some(error.clone()) }
            }
            (Some((owner, node)), _) => {
                let error = self.node_error(owner, node)?.or(of_job);
                let (job, node, status) = (owner.id.clone(), node.name.clone(), node.status);
                WorkflowWhy::NodeFailed { job, node, status, error }
            }
            (None, Some(_)) => WorkflowWhy::Ended { job: job.id.clone(), status: job.status, error: of_job },
            (None, None) => self.who_ended(job)?,
        }
        .into();
        if let Some((owner, node)) = &culprit {
            // A decision or a fork that failed ran no command and has no log.
            let has_log = !self.snapshot.attempts_of_node(owner.job, &node.name)?.is_empty();
            let verb = if has_log { "log" } else { "explain" };
            explanation.next.push(own!("{verb} {}@{}", owner.id, node.name));
        }
        explanation.next.push(own!("info {}", job.id));
        Ok(workflow(job, nodes))
    }

    /// Returns why the decision that led straight to a kill node did so.
    fn decided_to_end(&self, job: &WorkflowJob) -> Result<Option<String>> {
        let nodes = self.snapshot.workflow_nodes(job.job)?;
        let Some(kill) = nodes.iter().find(|node| node.kind == NodeType::Kill) else { return Ok(None) };
        let leads_there =
            |node: &&WorkflowNode| node.kind == NodeType::Decision && node.transition.as_ref() == Some(&kill.name);
        let Some(decision) = nodes.iter().find(leads_there) else { return Ok(None) };
        let why = self.why_decided(job, decision)?;
        Ok(why.map(|why| format!("the decision {} led to {}: {why}", decision.name, kill.name)))
    }

    /// Returns since when a workflow job is suspended, and why; `None` when no event says so.
    fn suspended_since(&self, job: &WorkflowJob) -> Result<Option<Since>> {
        let events = self.snapshot.events_of_workflow(job.job)?;
        let mut of_job = events.into_iter().rev().filter(|event| event.node.is_none());
        let arrival = of_job.find(|event| event.to_status == job.status.as_str());
        Ok(arrival.map(|event| Since { when: self.when(event.at), by: ByOrBecause::of(&event) }))
    }

    /// Returns who ended a workflow job in which no node failed.
    fn who_ended(&self, job: &WorkflowJob) -> Result<WorkflowWhy> {
        let events = self.snapshot.events_of_workflow(job.job)?;
        let last = events.into_iter().rev().find(|event| event.node.is_none());
        let (id, status) = (job.id.clone(), job.status);
        Ok(match last {
            Some(event) => WorkflowWhy::EndedBy { job: id, status, by: ByOrBecause::of(&event), at: event.at },
            None => WorkflowWhy::Ended { job: id, status, error: None },
        })
    }

    /// The node that failed last, in the sub-workflow where it happened.
    pub(in crate::query) fn culprit(
        &self,
        job: &WorkflowJob,
        depth: u32,
    ) -> Result<Option<(WorkflowJob, WorkflowNode)>> {
        let nodes = self.snapshot.workflow_nodes(job.job)?;
        let failed = |node: &&WorkflowNode| {
            matches!(node.status, NodeStatus::Error | NodeStatus::Failed) && node.kind != NodeType::Kill
        };
        let Some(node) = nodes.iter().filter(failed).max_by_key(|node| (node.ended_at, node.sequence)) else {
            return Ok(None);
        };
        if node.kind.is_sub_workflow() && depth < DEEPEST {
            let children = self.snapshot.workflow_jobs_of_node(job.job, &node.name)?;
            let deeper = children.first().map(|child| self.culprit(child, depth + 1)).transpose()?;
            if let Some(found) = deeper.flatten() {
                return Ok(Some(found));
            }
        }
        Ok(Some((job.clone(), node.clone())))
    }
}

/// A workflow job and the nodes of it that matter.
pub(super) fn workflow(job: &WorkflowJob, nodes: Vec<NodeExplanation>) -> WorkflowExplanation {
    WorkflowExplanation { id: job.id.to_string(), name: job.name.clone(), status: job.status, nodes }
}

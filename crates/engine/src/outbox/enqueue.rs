//! The notifications about a changed status: HTTP requests (specification 15 and workflow specification 5).
//!
//! A notification is written to the outbox in the transaction that stores the change, so only stored changes are
//! reported. Every change of a coordinator action's status is reported (decision C13); for a workflow job those that
//! Oozie reports: it runs, it is suspended, it is over; for a node the start of its work and its transition. Decides
//! what is sent; `engine::outbox::deliver` decides when and how.

use howdah_store::{DeliverySubject, Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::delivery::{HttpGet, Payload, ProxyAddress, wrong_url};
use howdah_words::model::id::Target;
use howdah_words::model::node_type::{ActionKind, NodeType};
use howdah_words::model::row::{
    ActionKey, CoordinatorKey, CoordinatorNotification, Event, WorkflowJob, WorkflowKey, WorkflowNode,
    WorkflowNotification,
};
use howdah_words::model::status::{ActionStatus, NodeStatus, WorkflowStatus};
use howdah_words::model::time::Timestamp;

/// The kinds of nodes whose work Oozie does while it starts them: their start is not reported.
const SYNCHRONOUS: [NodeType; 2] = [NodeType::Action(ActionKind::Fs), NodeType::Action(ActionKind::Email)];

/// Job properties: the URLs of notifications, and their proxies.
const ACTION_URL: &str = "oozie.coord.action.notification.url";
const ACTION_PROXY: &str = "oozie.coord.action.notification.proxy";
const JOB_URL: &str = "oozie.wf.workflow.notification.url";
const NODE_URL: &str = "oozie.wf.action.notification.url";
const WORKFLOW_PROXY: &str = "oozie.wf.workflow.notification.proxy";

/// Returns a property that is not blank.
fn given(configuration: &Properties, name: &str) -> Option<String> {
    configuration.get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Returns the reasons why notifications cannot arrive (W0160): a URL that cannot be fetched, a proxy that cannot be
/// read. Each with the name of the property.
pub fn warnings(configuration: &Properties) -> Vec<(&'static str, Error)> {
    let warn = |name: &'static str, value: &str, why: &str| {
        (name, Error::with(ErrorCode::W0160, &[&format!("{name}={value}"), &why]))
    };
    let mut warnings = Vec::new();
    for name in [ACTION_URL, JOB_URL, NODE_URL] {
        let Some(url) = given(configuration, name) else { continue };
        warnings.extend(wrong_url(&url).map(|why| warn(name, &url, why)));
        warnings.extend(unknown_token(name, &url).map(|(token, tokens)| {
            let why = format!("{token} is not replaced, and is sent as it is");
            let (name, warning) = warn(name, &url, &why);
            (name, warning.help(format!("what is replaced is {}", tokens.join(", "))))
        }));
    }
    for name in [ACTION_PROXY, WORKFLOW_PROXY] {
        let unread = given(configuration, name).filter(|proxy| ProxyAddress::parse(proxy).is_none());
        warnings.extend(unread.map(|proxy| warn(name, &proxy, "this is no proxy, so none is used")));
    }
    warnings
}

/// Returns the first token of a URL that nothing replaces, and those that are replaced there.
fn unknown_token(name: &str, url: &str) -> Option<(String, &'static [&'static str])> {
    let tokens: &[&str] = match name {
        ACTION_URL => &["$actionId", "$status"],
        JOB_URL => &["$jobId", "$status", "$parentId"],
        _ => &["$jobId", "$nodeName", "$status"],
    };
    let rest = tokens.iter().fold(url.to_owned(), |url, token| url.replace(token, ""));
    let words = rest.split('$').skip(1);
    let word = words.map(|word| word.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default());
    let word = word.into_iter().find(|word| word.starts_with(|first: char| first.is_ascii_alphabetic()))?;
    Some((format!("${word}"), tokens))
}

/// Stores where changes of a coordinator's actions are sent from now on: at submission, and when the job gets another
/// configuration.
pub(crate) fn remember_coordinator(
    transaction: &Transaction<'_>,
    job: CoordinatorKey,
    configuration: &Properties,
) -> Result<()> {
    let url = given(configuration, ACTION_URL);
    let proxy = given(configuration, ACTION_PROXY);
    let notification = url.map(|url| CoordinatorNotification { job, url, proxy });
    transaction.set_coordinator_notification(job, notification.as_ref())
}

/// Stores where changes of a workflow job and of its nodes are sent from now on: at submission, and when the job gets
/// another configuration.
pub(crate) fn remember_workflow(
    transaction: &Transaction<'_>,
    job: WorkflowKey,
    configuration: &Properties,
) -> Result<()> {
    let job_url = given(configuration, JOB_URL);
    let node_url = given(configuration, NODE_URL);
    let proxy = given(configuration, WORKFLOW_PROXY);
    let wanted = job_url.is_some() || node_url.is_some();
    let notification = wanted.then_some(WorkflowNotification { job, job_url, node_url, proxy });
    transaction.set_workflow_notification(job, notification.as_ref())
}

/// Enqueues notifications for the actions `numbers` of a coordinator job that are now in `status`, if the job has a
/// notification URL.
pub(crate) fn notify_of_actions(
    transaction: &Transaction<'_>,
    job: CoordinatorKey,
    numbers: std::ops::RangeInclusive<u32>,
    status: ActionStatus,
    at: Timestamp,
) -> Result<()> {
    let Some(wanted) = transaction.coordinator_notification(job)? else { return Ok(()) };
    let Some(row) = transaction.coordinator_job_at(job)? else { return Ok(()) };
    for number in numbers {
        let id = Target::CoordinatorAction(row.id.clone(), number).to_string();
        let url = filled(&wanted.url, &[("$actionId", &id), ("$status", status.as_str())]);
        let payload = Payload::Http(HttpGet { url, proxy: wanted.proxy.clone() });
        transaction.enqueue(DeliverySubject::Action(ActionKey { job, number }), payload, at)?;
    }
    Ok(())
}

/// The receiver of the changes of one workflow job.
pub struct Listener<'a> {
    job: &'a WorkflowJob,
    wanted: WorkflowNotification,
}

impl<'a> Listener<'a> {
    /// Returns the listener of a job; `None` when there is none.
    pub fn of(transaction: &Transaction<'_>, job: &'a WorkflowJob) -> Result<Option<Self>> {
        Ok(transaction.workflow_notification(job.job)?.map(|wanted| Self { job, wanted }))
    }

    /// Enqueues the notification of a change of the job, if such a change is reported.
    pub(crate) fn notify_of_job(&self, transaction: &Transaction<'_>, event: &Event) -> Result<()> {
        let is_reported =
            WorkflowStatus::from_word(&event.to_status).is_some_and(|status| status != WorkflowStatus::Prep);
        let Some(url) = self.wanted.job_url.as_deref().filter(|_| is_reported) else { return Ok(()) };
        let parent = parent_id(transaction, self.job)?;
        let id = self.job.id.as_str();
        let url = filled(url, &[("$jobId", id), ("$status", &event.to_status), ("$parentId", &parent)]);
        self.send(transaction, DeliverySubject::Workflow(self.job.job), url, event.at)
    }

    /// Enqueues the notification of a change of a node, if such a change is reported; `node` is the row after the
    /// change.
    pub(crate) fn notify_of_node(
        &self,
        transaction: &Transaction<'_>,
        node: &WorkflowNode,
        event: &Event,
    ) -> Result<()> {
        let (Some(url), Some(status)) = (self.wanted.node_url.as_deref(), node_status(node, &event.to_status)) else {
            return Ok(());
        };
        let values = [("$jobId", self.job.id.as_str()), ("$nodeName", node.name.as_str()), ("$status", &status)];
        self.send(transaction, DeliverySubject::Node(self.job.job, &node.name), filled(url, &values), event.at)
    }

    fn send(
        &self,
        transaction: &Transaction<'_>,
        subject: DeliverySubject<'_>,
        url: String,
        at: Timestamp,
    ) -> Result<()> {
        let payload = Payload::Http(HttpGet { url, proxy: self.wanted.proxy.clone() });
        transaction.enqueue(subject, payload, at).map(drop)
    }
}

/// Returns the id of the coordinator action or the workflow job above a workflow job; empty for none.
fn parent_id(snapshot: &Snapshot, job: &WorkflowJob) -> Result<String> {
    if let (Some(above), Some(number)) = (job.parent_coordinator, job.parent_action) {
        let above = snapshot.coordinator_job_at(above)?;
        return Ok(above.map(|above| Target::CoordinatorAction(above.id, number).to_string()).unwrap_or_default());
    }
    let Some(above) = job.parent_workflow else { return Ok(String::new()) };
    Ok(snapshot.workflow_job_at(above)?.map(|above| above.id.to_string()).unwrap_or_default())
}

/// Returns the text for a node that entered a status: `S:` and the status for a start and a failure, `T:` and the node
/// that follows for an end; `None` for statuses that are not reported.
fn node_status(node: &WorkflowNode, status: &str) -> Option<String> {
    match NodeStatus::from_word(status)? {
        NodeStatus::Running if SYNCHRONOUS.contains(&node.kind) => None,
        NodeStatus::Running | NodeStatus::Failed => Some(format!("S:{status}")),
        NodeStatus::Ok | NodeStatus::Error | NodeStatus::Killed => {
            Some(format!("T:{}", node.transition.as_deref().unwrap_or("null")))
        }
        _ => None,
    }
}

/// Returns the text with every token replaced by its value, as plain text: nothing is encoded.
fn filled(url: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(url.to_owned(), |url, (token, value)| url.replace(token, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_nothing_replaces_is_named() {
        for (name, url, expect) in [
            (JOB_URL, "http://a/?id=$jobid&s=$status", Some("$jobid")),
            (JOB_URL, "http://a/?id=$jobId&s=$Status", Some("$Status")),
            (JOB_URL, "http://a/?id=$jobId&p=$parentId&s=$status", None),
            (NODE_URL, "http://a/?id=$jobId&n=$nodeName&s=$status", None),
            (NODE_URL, "http://a/?n=$node", Some("$node")),
            (ACTION_URL, "http://a/?id=$actionId&s=$status", None),
            (ACTION_URL, "http://a/?id=$jobId", Some("$jobId")),
            (ACTION_URL, "http://a/?price=$5", None),
        ] {
            assert_eq!(unknown_token(name, url).map(|(token, _)| token).as_deref(), expect, "{url}");
            let configuration = Properties::from([(name.to_owned(), url.to_owned())]);
            assert_eq!(warnings(&configuration).len(), usize::from(expect.is_some()), "{url}");
        }
    }

    #[test]
    fn every_token_is_replaced_and_nothing_encoded() {
        let check = |url: &str, expect: &str| {
            assert_eq!(filled(url, &[("$actionId", "0-1-h-C@3"), ("$status", "TIMEDOUT")]), expect, "{url}");
        };
        check("http://a/?id=$actionId&s=$status", "http://a/?id=0-1-h-C@3&s=TIMEDOUT");
        check("http://a/$status/$status", "http://a/TIMEDOUT/TIMEDOUT");
        check("http://a/$actionid/${status}/a b", "http://a/$actionid/${status}/a b");
        check("http://a/", "http://a/");
    }

    #[test]
    fn a_url_that_cannot_be_fetched_has_a_warning() {
        let check = |name: &str, value: &str, expect: Option<&str>| {
            let found = warnings(&[(name.to_owned(), value.to_owned())].into());
            assert_eq!(found.len(), usize::from(expect.is_some()), "{value}: {found:?}");
            assert!(
                found.iter().all(|(_, warning)| warning.message().ends_with(expect.unwrap_or_default())),
                "{found:?}"
            );
        };
        let scheme = Some("it does not begin with http:// or https:// and a host");
        check(ACTION_URL, "http://ops:8080/?a=$actionId&s=$status", None);
        check(JOB_URL, "https://ops", None);
        check(NODE_URL, " ", None);
        check(ACTION_URL, "ops:8080/x", scheme);
        check(JOB_URL, "http:///x", scheme);
        check(NODE_URL, "ftp://ops/", scheme);
        check(NODE_URL, "http://ops/a b", Some("a URL must not contain blanks"));
        check(ACTION_PROXY, "socks@ops:1080", None);
        check(WORKFLOW_PROXY, "ops", Some("this is no proxy, so none is used"));
    }

    #[test]
    fn a_node_reports_its_start_and_its_transition() {
        let check = |kind: &str, transition: Option<&str>, status: NodeStatus, expect: Option<&str>| {
            let kind = NodeType::from_word(kind).expect(kind);
            let transition = transition.map(str::to_owned);
            let node = WorkflowNode { status, transition, ..WorkflowNode::new(WorkflowKey::default(), "n", kind) };
            assert_eq!(node_status(&node, status.as_str()).as_deref(), expect, "{kind:?} {status}");
        };
        check("shell", None, NodeStatus::Prep, None);
        check("shell", None, NodeStatus::Running, Some("S:RUNNING"));
        check("fs", None, NodeStatus::Running, None);
        check("shell", None, NodeStatus::Done, None);
        check("shell", None, NodeStatus::UserRetry, None);
        check("shell", Some("next"), NodeStatus::Ok, Some("T:next"));
        check("shell", Some("kill"), NodeStatus::Error, Some("T:kill"));
        check(":FORK:", Some("*"), NodeStatus::Ok, Some("T:*"));
        check("shell", None, NodeStatus::Killed, Some("T:null"));
        check("shell", None, NodeStatus::Failed, Some("S:FAILED"));
    }
}

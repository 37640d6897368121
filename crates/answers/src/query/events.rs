//! `log --audit`, and `log` of a bundle: what happened, by whom and why.

use std::collections::HashSet;

use serde::Serialize;

use crate::query::context::Query;
use crate::query::filter::{LogFilter, LogSelection};
use crate::query::json;
use crate::query::status::AnyStatus;
use howdah_engine::apply::selection::named_actions;
use howdah_engine::transition::reason;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, JobKind, Target};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorKey, Event, EventKey};
use howdah_words::model::status::{ActionStatus, NodeStatus};
use howdah_words::model::time::Timestamp;

/// Most events that are read at a time while following.
const MOST_NEW_EVENTS: u32 = 10_000;

/// A change of a status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    #[serde(serialize_with = "json::time")]
    pub time: Timestamp,
    /// The job, the action, the range of actions or the node it happened to.
    pub id: String,
    pub from: Option<String>,
    pub to: String,
    /// The verb or the step that did it.
    pub origin: String,
    pub reason: Option<String>,
}

/// The events of a job, an action or a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventLogView {
    pub id: String,
    #[serde(serialize_with = "json::word")]
    pub status: AnyStatus,
    pub over: bool,
    pub events: Vec<EventView>,
    #[serde(skip)]
    pub last: Option<EventKey>,
}

/// Which events are wanted.
#[derive(Clone, Debug, Default)]
pub struct EventRequest {
    pub filter: LogFilter,
    /// Only those of these actions of a coordinator job.
    pub scope: Option<Scope>,
    /// Only those that came after this one.
    pub after: Option<EventKey>,
    /// Only so many of the oldest ones of a coordinator job; `None` for all.
    pub oldest: Option<u32>,
}

/// What events belong to, and its state.
struct EventSource {
    id: JobId,
    status: AnyStatus,
    over: bool,
    created: Timestamp,
    events: Vec<Event>,
    /// The last event that was looked at.
    last: Option<EventKey>,
}

impl Query<'_> {
    /// What happened to a job and what is in it, to an action, or to a node; oldest first.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job, action or node.
    pub fn events(&self, target: &Target, request: &EventRequest) -> Result<EventLogView> {
        let subject = match target {
            Target::CoordinatorAction(id, number) => self.events_of_action(id, *number, request.after)?,
            Target::Job(id) if id.kind() == JobKind::Coordinator => self.events_of_coordinator(id, request)?,
            Target::Job(id) if id.kind() == JobKind::Bundle => self.events_of_bundle(id, request.after)?,
            Target::Job(id) => self.events_of_workflow(id, None, request.after)?,
            Target::Node(id, node) => self.events_of_workflow(id, Some(node), request.after)?,
        };
        let last = subject.last.or(request.after);
        let selection = request.filter.selection(subject.created, self.now);
        let most = selection.limit.map_or(usize::MAX, |limit| limit as usize);
        let views = subject.events.iter().filter(|event| selection.overlaps(event.at, Some(event.at)));
        let views = views.map(|event| event_view(&subject.id, event)).filter(|view| wants(&selection, view));
        Ok(EventLogView {
            id: target.to_string(),
            status: subject.status,
            over: subject.over,
            events: views.take(most).collect(),
            last,
        })
    }

    fn events_of_coordinator(&self, id: &JobId, request: &EventRequest) -> Result<EventSource> {
        let job = self.coordinator_job(id)?;
        let (mut events, last) = match request.after {
            None => {
                let mut events = self.snapshot.events_of_coordinator(job.job, request.oldest.unwrap_or(u32::MAX))?;
                // A pause of all jobs concerns this one too.
                let of_site = self.snapshot.events_of_site()?;
                events.extend(of_site.into_iter().filter(|event| event.at >= job.created_at));
                events.sort_by_key(|event| event.event);
                let last = newest(&events);
                (events, last)
            }
            Some(after) => self.newer_events(job.job, after)?,
        };
        if let Some(scope) = &request.scope {
            let named = named_actions(self.snapshot, &job, scope)?;
            let numbers: HashSet<u32> = named.iter().map(|action| action.number).collect();
            events.retain(|event| is_about(event, &numbers));
        }
        Ok(EventSource {
            id: job.id.clone(),
            status: job.status.into(),
            over: job.status.is_terminal(),
            created: job.created_at,
            events,
            last,
        })
    }

    /// The events of a job that came after another one, and the last event that was looked at: however many of other
    /// jobs came meanwhile, none is read twice.
    fn newer_events(&self, job: CoordinatorKey, mut after: EventKey) -> Result<(Vec<Event>, Option<EventKey>)> {
        let mut found = Vec::new();
        loop {
            let page = self.snapshot.events_after(after, MOST_NEW_EVENTS)?;
            let Some(last) = page.last() else { return Ok((found, Some(after))) };
            after = last.event;
            found.extend(page.into_iter().filter(|event| event.coordinator_job == Some(job) || event.is_of_site()));
        }
    }

    /// What happened to a bundle; what happened to its coordinators is theirs.
    fn events_of_bundle(&self, id: &JobId, after: Option<EventKey>) -> Result<EventSource> {
        let job = self.bundle_job(id)?;
        let mut events = self.snapshot.events_of_bundle(job.job)?;
        events.retain(|event| after.is_none_or(|after| event.event > after));
        Ok(EventSource {
            id: job.id,
            status: job.status.into(),
            over: job.status.is_terminal(),
            created: job.created_at,
            last: newest(&events),
            events,
        })
    }

    fn events_of_action(&self, id: &JobId, number: u32, after: Option<EventKey>) -> Result<EventSource> {
        let job = self.coordinator_job(id)?;
        let action = self.coordinator_action(&job, number)?;
        let mut events = self.snapshot.events_of_action(ActionKey { job: job.job, number })?;
        events.retain(|event| after.is_none_or(|after| event.event > after));
        Ok(EventSource {
            id: job.id,
            status: action.status.into(),
            over: action.status.is_terminal(),
            created: action.created_at,
            last: newest(&events),
            events,
        })
    }

    fn events_of_workflow(&self, id: &JobId, node: Option<&str>, after: Option<EventKey>) -> Result<EventSource> {
        let job = self.workflow_job(id)?;
        let node = node.map(|name| self.workflow_node(&job, name)).transpose()?;
        let mut events = self.snapshot.events_of_workflow(job.job)?;
        events.retain(|event| after.is_none_or(|after| event.event > after));
        if let Some(node) = &node {
            events.retain(|event| event.node.as_ref() == Some(&node.name));
        }
        let (status, over) = match &node {
            Some(node) => (node.status.into(), node.status.is_terminal()),
            None => (job.status.into(), job.status.is_terminal()),
        };
        Ok(EventSource { id: job.id, status, over, created: job.created_at, last: newest(&events), events })
    }
}

fn newest(events: &[Event]) -> Option<EventKey> {
    events.last().map(|event| event.event)
}

fn is_about(event: &Event, numbers: &HashSet<u32>) -> bool {
    let Some(first) = event.action_number else { return false };
    let last = event.last_action_number.unwrap_or(first);
    // Whichever is shorter is gone through.
    if (last - first) as usize > numbers.len() {
        numbers.iter().any(|number| (first..=last).contains(number))
    } else {
        (first..=last).any(|number| numbers.contains(&number))
    }
}

fn event_view(job: &JobId, event: &Event) -> EventView {
    let id = match (event.action_number, event.last_action_number, &event.node) {
        (Some(first), Some(last), _) if last > first => format!("{job}@{first}-{last}"),
        (Some(number), ..) => format!("{job}@{number}"),
        (None, _, Some(node)) => format!("{job}@{node}"),
        (None, ..) if event.is_of_site() => "all jobs".to_owned(),
        (None, ..) => job.to_string(),
    };
    EventView {
        time: event.at,
        id,
        from: event.from_status.clone(),
        to: event.to_status.clone(),
        origin: event.origin.to_string(),
        reason: reason::of_event(event),
    }
}

fn wants(selection: &LogSelection, view: &EventView) -> bool {
    let EventView { id, from, to, origin, reason, .. } = view;
    let (from, reason) = (from.as_deref().unwrap_or_default(), reason.as_deref().unwrap_or_default());
    selection.wants(level(to, origin), &format!("{id} {from} -> {to} ({origin}): {reason}"))
}

/// The level of a change in the words of a log: what failed is an error, what came to nothing is a warning. What the
/// runner ends as KILLED has come to a kill node, because something failed.
fn level(to: &str, origin: &str) -> &'static str {
    const ERRORS: [&str; 2] = [ActionStatus::Failed.as_str(), NodeStatus::Error.as_str()];
    const WARNINGS: [&str; 4] = [
        ActionStatus::TimedOut.as_str(),
        ActionStatus::Killed.as_str(),
        ActionStatus::Skipped.as_str(),
        NodeStatus::UserRetry.as_str(),
    ];
    if ERRORS.contains(&to) || (to == ActionStatus::Killed.as_str() && origin == Origin::Runner.as_str()) {
        "ERROR"
    } else if WARNINGS.contains(&to) || JobStatus::from_word(to).is_some_and(JobStatus::is_with_error) {
        "WARN"
    } else {
        "INFO"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::context::run;
    use crate::query::testing::{NOW, Sandbox};

    #[test]
    fn events_of_other_jobs_hide_none_of_the_one_that_is_followed() {
        let mut sandbox = Sandbox::new();
        let id = sandbox.submit("", ("in", "out"));
        let target = Target::Job(id.clone());
        let mut request = EventRequest::default();
        let before = run(&mut sandbox.engine, NOW, |query| query.events(&target, &request)).unwrap();
        request.after = before.last;
        let store = &mut sandbox.engine.store;
        store
            .transact(|transaction| {
                let job = transaction.coordinator_job(&id)?.unwrap().job;
                for _ in 0..=MOST_NEW_EVENTS {
                    transaction.insert_event(&Event::new(NOW, "RUNNING", Origin::Runner))?;
                }
                let own = Event { coordinator_job: Some(job), ..Event::new(NOW, "KILLED", Origin::Kill) };
                transaction.insert_event(&own)
            })
            .unwrap();
        let found = run(&mut sandbox.engine, NOW, |query| query.events(&target, &request)).unwrap();
        assert_eq!(found.events.iter().map(|event| event.to.as_str()).collect::<Vec<_>>(), ["KILLED"]);
        assert!(found.last > before.last);
    }

    #[test]
    fn a_range_is_about_the_actions_in_it() {
        let event = |first: u32, last: u32| Event {
            action_number: Some(first),
            last_action_number: Some(last),
            ..Event::new(Timestamp::EPOCH, "WAITING", Origin::Materialize)
        };
        let check = |event: &Event, numbers: &[u32], expect: bool| {
            assert_eq!(is_about(event, &numbers.iter().copied().collect()), expect, "{numbers:?}");
        };
        check(&event(1, 1_000_000), &[500], true);
        check(&event(3, 5), &[1, 2, 5, 9], true);
        check(&event(3, 5), &[1, 2, 6, 9], false);
        check(&Event::new(Timestamp::EPOCH, "RUNNING", Origin::Start), &[1], false);
    }

    #[test]
    fn what_failed_is_an_error() {
        for (to, origin, expect) in [
            ("FAILED", "materialize", "ERROR"),
            ("KILLED", "runner", "ERROR"),
            ("KILLED", "kill", "WARN"),
            ("TIMEDOUT", "check_inputs", "WARN"),
            ("DONEWITHERROR", "runner", "WARN"),
            ("WAITING", "materialize", "INFO"),
        ] {
            assert_eq!(level(to, origin), expect, "{to} by {origin}");
        }
    }
}

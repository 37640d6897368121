//! How the actions of a shadow came to their statuses, and when.

use std::collections::BTreeMap;

use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot};
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, Event, ShadowJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// A job of a shadow with its actions.
#[derive(Debug)]
pub(super) struct HereJob {
    pub(super) job: CoordinatorJob,
    pub(super) followed: ShadowJob,
    pub(super) actions: BTreeMap<u32, HereAction>,
}

/// An action of a shadow.
#[derive(Clone, Debug)]
pub(super) struct HereAction {
    pub(super) status: ActionStatus,
    pub(super) nominal: Timestamp,
    pub(super) created: Timestamp,
    pub(super) ready: Option<Timestamp>,
    /// When it would have started, and its place in the order of all events.
    pub(super) started: Option<(Timestamp, usize)>,
    /// When it timed out, was skipped or was killed.
    pub(super) ended: Option<Timestamp>,
    pub(super) waits_for: Option<String>,
}

/// Reads a job of a shadow.
pub(super) fn read(snapshot: &Snapshot, followed: ShadowJob) -> Result<Option<HereJob>> {
    let Some(job) = snapshot.coordinator_job_at(followed.job)? else { return Ok(None) };
    let all = Page { offset: 0, len: u32::MAX };
    let rows = snapshot.action_page(job.job, &ActionFilter::default(), ActionOrder::OldestFirst, all)?.actions;
    let mut actions: BTreeMap<u32, HereAction> = rows.into_iter().map(|row| (row.number, unmoved(row))).collect();
    for (place, event) in snapshot.events_of_coordinator(job.job, u32::MAX)?.iter().enumerate() {
        let Some(first) = event.action_number else { continue };
        for number in first..=event.last_action_number.unwrap_or(first) {
            if let Some(action) = actions.get_mut(&number) {
                action.apply(event, place);
            }
        }
    }
    Ok(Some(HereJob { job, followed, actions }))
}

fn unmoved(row: CoordinatorAction) -> HereAction {
    HereAction {
        status: row.status,
        nominal: row.nominal_at,
        created: row.created_at,
        ready: None,
        started: None,
        ended: None,
        waits_for: row.first_missing.map(|missing| missing.as_str().to_owned()),
    }
}

impl HereAction {
    fn apply(&mut self, event: &Event, place: usize) {
        match ActionStatus::from_word(&event.to_status) {
            Some(ActionStatus::Ready) => self.ready = Some(event.at),
            // It was started when the shadow began: its order among the others is not known.
            Some(ActionStatus::Running) if event.from_status.is_none() => self.ready = Some(event.at),
            Some(ActionStatus::Running) if self.started.is_none() => self.started = Some((event.at, place)),
            Some(ActionStatus::TimedOut | ActionStatus::Skipped | ActionStatus::Killed) => self.ended = Some(event.at),
            _ => {}
        }
    }
}

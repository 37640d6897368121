//! Oozie's side of a takeover: stops a job through the web services, and reads what became of its actions.

use std::collections::BTreeMap;

use howdah_host::environment;
use howdah_host::oozie_server::{OozieServer, Reply};
use howdah_move::oozie_export::{CoordinatorRow, JobState, LocalSeconds};
use howdah_move::oozie_rest::{ActionAnswer, Ask, BundleAnswer, CoordinatorAnswer, PAGE};
use howdah_move::takeover::OozieCommand;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::{JobId, JobKind};

/// A running Oozie.
pub(super) struct Side(OozieServer);

impl Side {
    /// Returns the Oozie at a URL, asked as the user of this process.
    ///
    /// # Errors
    /// H0240 when the URL is not one, or H0110 and H0113 when the user table cannot be read.
    pub(super) fn at(url: &str) -> Result<Self> {
        OozieServer::new(url, &environment::user_name()?).map(Self)
    }

    /// Gives a command.
    ///
    /// # Errors
    /// H0236 when Oozie does not have the job, H0240 to H0242 when it is not reached or refuses.
    pub(super) fn give(&self, command: &OozieCommand) -> Result<()> {
        match self.0.put(&command.request())? {
            Reply::Done(_) => Ok(()),
            Reply::Absent(why) => Err(self.refused(&why)),
        }
    }

    /// Returns the state that a job has now; `None` when Oozie does not have it.
    ///
    /// # Errors
    /// H0236 for an answer that cannot be used, H0240 to H0242 when Oozie is not reached or refuses.
    pub(super) fn state(&self, id: &str) -> Result<Option<JobState>> {
        if JobId::parse(id).is_some_and(|id| id.kind() == JobKind::Bundle) {
            return self.bundle(id);
        }
        let mut actions = Vec::new();
        for offset in (1..).step_by(usize::try_from(PAGE).unwrap_or(1)) {
            let Reply::Done(text) = self.0.get(&Ask::Job(id, offset).path())? else { return Ok(None) };
            let answer = serde_json::from_str(&text).map_err(|cause| self.refused(&cause.to_string()))?;
            let mut answer = CoordinatorAnswer::read(&answer).map_err(|why| self.refused(&why))?;
            let is_last = answer.actions.len() < PAGE as usize;
            actions.append(&mut answer.actions);
            if is_last {
                return Ok(Some(state(answer.row, actions)));
            }
        }
        Ok(None)
    }

    fn bundle(&self, id: &str) -> Result<Option<JobState>> {
        let Reply::Done(text) = self.0.get(&Ask::Job(id, 1).path())? else { return Ok(None) };
        let answer = serde_json::from_str(&text).map_err(|cause| self.refused(&cause.to_string()))?;
        let BundleAnswer { row, coordinators } = BundleAnswer::read(&answer).map_err(|why| self.refused(&why))?;
        let status = Some(row.status);
        Ok(Some(JobState { id: Some(row.id), name: row.name, status, coordinators, ..JobState::default() }))
    }

    /// Returns the states of some jobs; jobs that Oozie does not have are left out.
    ///
    /// # Errors
    /// As [`Self::state`].
    pub(super) fn states<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Result<BTreeMap<String, JobState>> {
        let mut states = BTreeMap::new();
        for id in ids {
            if let Some(state) = self.state(id)? {
                states.insert(id.to_owned(), state);
            }
        }
        Ok(states)
    }

    fn refused(&self, why: &str) -> Error {
        Error::with(ErrorCode::H0236, &[&self.0.url(), &why])
    }
}

/// Returns what an answer says of a job.
fn state(row: CoordinatorRow, actions: Vec<ActionAnswer>) -> JobState {
    let at = |reading: Option<LocalSeconds>| reading.map(LocalSeconds::utc);
    let mut state = JobState {
        id: Some(row.id),
        name: row.name,
        user: row.user,
        status: Some(row.status),
        bundle: row.bundle,
        application: row.app_path,
        last_action: Some(actions.iter().map(|action| action.number).max().unwrap_or_default()),
        // Before its first action Oozie records no next time; it is the start.
        next: at(row.next.or_else(|| row.start.filter(|_| actions.is_empty()))),
        end: at(row.end),
        pause: at(row.pause),
        concurrency: i32::try_from(row.concurrency).ok(),
        ..JobState::default()
    };
    for action in actions {
        let workflow = action.workflow.filter(|id| !id.is_empty());
        state.add((action.number, action.status, workflow), |open| {
            open.nominal = action.nominal;
            open.created = action.created;
        });
    }
    state
}

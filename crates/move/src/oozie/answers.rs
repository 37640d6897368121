//! The answers of a server or of a folder, page by page.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::oozie_export::WorkflowRow;
use crate::oozie_rest::{Ask, BundleAnswer, CoordinatorAnswer, PAGE, list_of, workflow_of};
use howdah_host::files;
use howdah_host::oozie_server::{OozieServer, Reply};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// The most pages of one list.
const MOST_PAGES: u32 = 10_000;
/// The most bytes of a file with an answer.
const LARGEST_ANSWER: u64 = 256 << 20;

/// Where the answers come from.
#[derive(Debug)]
pub enum Answers {
    Server(OozieServer),
    Folder(PathBuf),
}

impl Answers {
    /// Returns whether a folder has answers: a first page of coordinator jobs.
    ///
    /// # Errors
    /// H0113 when the machine cannot tell.
    pub fn is_in(folder: &Path) -> Result<bool> {
        let first = folder.join(Ask::Jobs(JobKind::Coordinator, 1).file_name());
        Ok(files::look(&first)?.is_some())
    }

    /// Returns the jobs of a kind that are not over, or the newest workflow jobs: the ids.
    ///
    /// # Errors
    /// H0240 to H0244, H0110 when the answers cannot be read.
    pub(crate) fn live_jobs(&self, kind: JobKind) -> Result<Vec<String>> {
        let name = if kind == JobKind::Bundle { "bundleJobId" } else { "coordJobId" };
        let mut ids = Vec::new();
        self.pages(kind, &mut |job, ask| {
            let id = job[name].as_str().ok_or_else(|| self.unusable(ask, &format!("a job has no [{name}]")))?;
            ids.push(self.checked(id, ask)?);
            Ok(true)
        })?;
        Ok(ids)
    }

    /// Returns the workflow jobs that were created at `since` or later.
    ///
    /// # Errors
    /// As [`Answers::live_jobs`].
    pub(crate) fn workflows_since(&self, since: Timestamp) -> Result<Vec<WorkflowRow>> {
        let mut found = Vec::new();
        self.pages(JobKind::Workflow, &mut |job, ask| {
            let job = workflow_of(job).map_err(|why| self.unusable(ask, &why))?;
            // The newest come first. A job that has not started has no place in this order.
            let is_older = job.created.is_some_and(|created| created.utc() < since);
            found.extend((!is_older).then_some(job));
            Ok(!is_older)
        })?;
        Ok(found)
    }

    /// Passes each job of a list to `take`, until a page is not full or no job of a page is taken.
    fn pages(&self, kind: JobKind, take: &mut dyn FnMut(&Value, &Ask<'_>) -> Result<bool>) -> Result<()> {
        for page in 0..MOST_PAGES {
            let ask = Ask::Jobs(kind, page * PAGE + 1);
            let Some(answer) = self.json(&ask)? else {
                return if page == 0 { Err(self.absent(&ask)) } else { Ok(()) };
            };
            let jobs = list_of(answer, kind).map_err(|why| self.unusable(&ask, &why))?;
            let mut is_wanted = false;
            for job in &jobs {
                is_wanted |= take(job, &ask)?;
            }
            if jobs.len() < PAGE as usize || !is_wanted {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns a coordinator job with its actions; `None` when there is no such job.
    ///
    /// # Errors
    /// As [`Answers::live_jobs`].
    pub fn coordinator(&self, id: &str) -> Result<Option<CoordinatorAnswer>> {
        let mut found: Option<CoordinatorAnswer> = None;
        for page in 0..MOST_PAGES {
            let ask = Ask::Job(id, page * PAGE + 1);
            let Some(answer) = self.json(&ask)? else { break };
            let mut read = CoordinatorAnswer::read(&answer).map_err(|why| self.unusable(&ask, &why))?;
            let is_last = read.actions.len() < PAGE as usize;
            match &mut found {
                Some(known) => known.actions.append(&mut read.actions),
                None => found = Some(read),
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    /// Returns a bundle job; `None` when there is no such job.
    ///
    /// # Errors
    /// As [`Answers::live_jobs`].
    pub fn bundle(&self, id: &str) -> Result<Option<BundleAnswer>> {
        let ask = Ask::Job(id, 1);
        let answer = self.json(&ask)?;
        answer.map(|answer| BundleAnswer::read(&answer).map_err(|why| self.unusable(&ask, &why))).transpose()
    }

    /// Returns the definition of a job; `None` when there is none.
    ///
    /// # Errors
    /// As [`Answers::live_jobs`].
    pub fn definition(&self, id: &str) -> Result<Option<String>> {
        self.fetch(&Ask::Definition(id))
    }

    fn json(&self, ask: &Ask<'_>) -> Result<Option<Value>> {
        let Some(text) = self.fetch(ask)? else { return Ok(None) };
        let read = serde_json::from_str(&text);
        read.map(Some).map_err(|cause| self.unusable(ask, &format!("it is not JSON: {cause}")))
    }

    fn fetch(&self, ask: &Ask<'_>) -> Result<Option<String>> {
        match self {
            Self::Server(server) => match server.get(&ask.path())? {
                Reply::Done(body) => Ok(Some(body)),
                Reply::Absent(_) => Ok(None),
            },
            Self::Folder(folder) => {
                let file = folder.join(ask.file_name());
                if files::look(&file)?.is_none() {
                    return Ok(None);
                }
                files::read_text(&file, LARGEST_ANSWER).map(Some)
            }
        }
    }

    /// Returns an id that can be a part of a URL and of a file's name.
    fn checked(&self, id: &str, ask: &Ask<'_>) -> Result<String> {
        let is_plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if is_plain { Ok(id.to_owned()) } else { Err(self.unusable(ask, &format!("[{id}] is not the id of a job"))) }
    }

    fn unusable(&self, ask: &Ask<'_>, why: &str) -> Error {
        Error::with(ErrorCode::H0243, &[&self.place(ask), &why])
    }

    fn absent(&self, ask: &Ask<'_>) -> Error {
        match self {
            Self::Server(_) => self.unusable(ask, "the server has no such list; is this the address of an Oozie?"),
            Self::Folder(folder) => Error::with(ErrorCode::H0244, &[&folder.display(), &ask.file_name()]),
        }
    }

    fn place(&self, ask: &Ask<'_>) -> String {
        match self {
            Self::Server(server) => format!("{}/{}", server.url(), ask.path()),
            Self::Folder(folder) => folder.join(ask.file_name()).display().to_string(),
        }
    }
}

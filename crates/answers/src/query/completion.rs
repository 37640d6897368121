//! What a shell offers for the job, action or node that a person is about to name.
//!
//! Must be quick in a large database: it reads names, and few rows of one job.

use crate::query::target;
use howdah_engine::format::time;
use howdah_engine::lookup::Job;
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot};
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, Target};

/// How many names are looked at.
const MOST_NAMES: u32 = 10_000;
/// How many ids, or actions of a job, are offered.
const MOST_OFFERS: u32 = 200;

/// A word that a person may mean.
#[derive(Debug, PartialEq, Eq)]
pub struct Offer {
    pub word: String,
    /// A few words about it.
    pub about: Option<String>,
}

impl Offer {
    fn new(word: String, about: Option<String>) -> Self {
        Self { word, about }
    }
}

/// Returns the jobs whose name or id continues what is written; behind `@` the parts of the job.
pub fn jobs_and_parts(snapshot: &Snapshot, beginning: &str) -> Result<Vec<Offer>> {
    if let Some((job, part)) = beginning.rsplit_once('@').filter(|(job, _)| !job.is_empty())
        && let Ok(Target::Job(id)) = target::find(snapshot, job)
    {
        return parts(snapshot, &id, job, part);
    }
    let mut offers = names(snapshot, beginning)?;
    let words = [("@last", "the job that was submitted last"), ("@failed", "what failed last, in any job")];
    for (word, meaning) in words.into_iter().filter(|(word, _)| word.starts_with(beginning)) {
        offers.push(Offer::new(word.to_owned(), Some(meaning.to_owned())));
    }
    if !beginning.is_empty() && JobId::is_beginning(beginning) {
        for id in snapshot.jobs_beginning_with(beginning, MOST_OFFERS)? {
            let job = Job::of(snapshot, &id)?;
            offers.push(Offer::new(id.to_string(), Some(format!("{} {}", job.name(), job.status()))));
        }
    }
    Ok(offers)
}

/// Returns the names of jobs that need no quotes in a shell; a job with another name has its id.
fn names(snapshot: &Snapshot, beginning: &str) -> Result<Vec<Offer>> {
    let is_plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let mut names = snapshot.submitted_names(MOST_NAMES)?;
    names.retain(|name| is_plain(name) && !name.starts_with('-') && name.starts_with(beginning));
    names.sort_unstable();
    Ok(names.into_iter().map(|name| Offer::new(name, None)).collect())
}

/// Returns the parts of a job that continue `part`, each as `job@part`.
fn parts(snapshot: &Snapshot, id: &JobId, job: &str, part: &str) -> Result<Vec<Offer>> {
    let mut offers = match Job::of(snapshot, id)? {
        Job::Coordinator(coordinator) => {
            let page = Page { offset: 0, len: MOST_OFFERS };
            let found =
                snapshot.action_page(coordinator.job, &ActionFilter::default(), ActionOrder::NewestFirst, page)?;
            let about = |at, status| Some(format!("{} {status}", time(at)));
            let actions = found.actions.into_iter();
            actions.map(|action| (action.number.to_string(), about(action.nominal_at, action.status))).collect()
        }
        Job::Workflow(workflow) => {
            let nodes = snapshot.workflow_nodes(workflow.job)?.into_iter();
            nodes.map(|node| (node.name, Some(node.status.to_string()))).collect()
        }
        Job::Bundle(_) => Vec::new(),
    };
    if !offers.is_empty() {
        offers.extend([("last".to_owned(), None), ("failed".to_owned(), None)]);
    }
    offers.retain(|(word, _)| word.starts_with(part));
    Ok(offers.into_iter().map(|(word, about)| Offer::new(format!("{job}@{word}"), about)).collect())
}

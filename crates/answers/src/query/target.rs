//! What a user names on a command line: a job by its id, its name or the beginning of its id, with an optional part
//! behind `@`.
//!
//! Must not depend on the verb. A text that fits several jobs is refused with the candidates: nothing is guessed.

use howdah_engine::format::read_time;
use howdah_engine::lookup::Job;
use howdah_store::{ActionFilter, ActionList, ActionOrder, Page, Snapshot};
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::id::{JobId, Target};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, WorkflowJob, WorkflowNode};
use howdah_words::model::status::{ActionStatus, NodeStatus};
use howdah_words::model::time::Timestamp;

/// How many candidates a refusal names.
const MOST_CANDIDATES: usize = 10;

/// How many names are compared with a name that no job has.
const MOST_NAMES: u32 = 10_000;

/// How many names that begin with a text a refusal names.
const MOST_LONGER_NAMES: usize = 3;

/// The part of a job that was created or started last.
const LAST: &str = "last";

/// The part of a job that failed last.
const FAILED: &str = "failed";

/// Returns what a text names. A whole id names its job whether it exists or not; everything else is looked up.
///
/// # Errors
/// E0604 for a job that does not exist, E0605 for a part that does not exist, H0170 for a text that fits several jobs.
pub fn find(snapshot: &Snapshot, text: &str) -> Result<Target> {
    if let Some(target) = Target::parse(text).filter(Target::is_complete) {
        return Ok(target);
    }
    if let Some(rest) = text.strip_prefix("@last").filter(|rest| rest.is_empty() || rest.starts_with('@')) {
        let none = || Error::new(ErrorCode::E0604, text).help("no job was submitted to this database");
        let id = snapshot.latest_job()?.ok_or_else(none)?;
        return rest.strip_prefix('@').map_or_else(|| Ok(Target::Job(id.clone())), |name| part(snapshot, &id, name));
    }
    if text == "@failed" {
        let none = || Error::new(ErrorCode::E0604, text).help("no action and no workflow job has failed");
        return latest_failure(snapshot)?.ok_or_else(none);
    }
    // A name may contain an @.
    if let Some(job) = job(snapshot, text)? {
        return Ok(Target::Job(job));
    }
    let found = match text.rsplit_once('@') {
        Some((name, part)) => job(snapshot, name)?.map(|id| self::part(snapshot, &id, part)).transpose()?,
        None => None,
    };
    match found.or_else(|| Target::parse(text)) {
        Some(target) => Ok(target),
        None => Err(unknown(text, &snapshot.submitted_names(MOST_NAMES)?)),
    }
}

/// Returns the action of a coordinator, or the workflow job without one, that failed last.
fn latest_failure(snapshot: &Snapshot) -> Result<Option<Target>> {
    let statuses = vec![ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];
    let list = ActionList { statuses, since: None, nominal_until: None, jobs: None };
    let action = snapshot.actions_of_all_jobs(&list, Page { offset: 0, len: 1 })?.actions.pop();
    let id = snapshot.latest_failed_workflow_job()?;
    let workflow = id.map(|id| snapshot.workflow_job(&id)).transpose()?.flatten();
    let ended_at = workflow.as_ref().and_then(|job| job.ended_at);
    let is_action_later = |action: &CoordinatorAction| ended_at.is_none_or(|ended| action.modified_at >= ended);
    if let Some(action) = action.filter(is_action_later)
        && let Some(job) = snapshot.coordinator_job_at(action.job)?
    {
        return Ok(Some(Target::CoordinatorAction(job.id, action.number)));
    }
    Ok(workflow.map(|job| Target::Job(job.id)))
}

/// Returns the names that begin with a text, as a question; `None` when none does.
fn longer_names(name: &str, names: &[String]) -> Option<String> {
    let longer = names.iter().filter(|other| !name.is_empty() && other.starts_with(name)).map(String::as_str);
    let some: Vec<&str> = longer.take(MOST_LONGER_NAMES).collect();
    (!some.is_empty()).then(|| format!("did you mean {}?", some.join(" or ")))
}

/// Returns the error for a text that names no job; `names` are those of the jobs that exist.
fn unknown(text: &str, names: &[String]) -> Error {
    let name = text.rsplit_once('@').map_or(text, |(name, _)| name);
    if let Some(plain) = name.split(['*', '?']).max_by_key(|part| part.len()).filter(|plain| *plain != name) {
        let example = if plain.is_empty() { "status=RUNNING".to_owned() } else { format!("text={plain}") };
        let help = format!("a pattern names no job; verbs on several jobs choose them with --filter '{example}'");
        return Error::new(ErrorCode::E0604, text).help(help);
    }
    let near = did_you_mean(name, names.iter().map(String::as_str)).map(|near| format!("did you mean {near}?"));
    let help = near.or_else(|| longer_names(name, names)).unwrap_or_else(|| {
        "name a job by its name, its id or the beginning of its id (`howdah jobs` lists them), and an action or a \
             node of it as NAME@3"
            .to_owned()
    });
    Error::new(ErrorCode::E0604, text).help(help)
}

/// Returns the one job that a text without a part names; `None` when it fits none.
fn job(snapshot: &Snapshot, text: &str) -> Result<Option<JobId>> {
    if let Some(id) = JobId::parse(text).filter(JobId::is_complete) {
        return Ok(Some(id));
    }
    let most = u32::try_from(MOST_CANDIDATES + 1).unwrap_or(u32::MAX);
    let mut candidates = named(snapshot, text, most)?;
    if candidates.is_empty() && JobId::is_beginning(text) {
        candidates = snapshot.jobs_beginning_with(text, most)?;
    }
    match &candidates[..] {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => Err(ambiguous(snapshot, text, several)?),
    }
}

/// Returns the jobs that a name may mean. If one job with the name is not over and the others are, only that one.
fn named(snapshot: &Snapshot, name: &str, most: u32) -> Result<Vec<JobId>> {
    let mut candidates = snapshot.jobs_named(name, most)?;
    if let [first, second, ..] = &candidates[..]
        && !Job::of(snapshot, first)?.is_over()
        && Job::of(snapshot, second)?.is_over()
    {
        candidates.truncate(1);
    }
    Ok(candidates)
}

/// Returns how a command line can name a job that no other job has started: by its name when that names no other job,
/// else by its id.
pub(crate) fn shortest_name<'n>(
    snapshot: &Snapshot,
    (name, id): (&'n str, &'n JobId),
    is_over: bool,
) -> Result<&'n str> {
    let is_plain = !name.is_empty() && !name.contains('@') && !name.starts_with('-');
    // As [`named`]: the name means the only job that is not over, else the only job.
    let is_name = is_plain && !snapshot.has_namesake(name, id, is_over)?;
    Ok(if is_name { name } else { id.as_str() })
}

fn ambiguous(snapshot: &Snapshot, text: &str, candidates: &[JobId]) -> Result<Error> {
    let describe = |id: &JobId| {
        let job = Job::of(snapshot, id)?;
        Ok(format!("{id} ({}, {})", job.name(), job.status()))
    };
    let shown = candidates.iter().take(MOST_CANDIDATES).map(describe).collect::<Result<Vec<String>>>()?;
    let more = if candidates.len() > MOST_CANDIDATES { ", and more" } else { "" };
    let number = if more.is_empty() { shown.len().to_string() } else { format!("more than {MOST_CANDIDATES}") };
    let error = Error::with(ErrorCode::H0170, &[&text, &format!("it fits {number} jobs")]);
    Ok(error.help(format!("name one of {}{more}", shown.join(", "))))
}

/// Returns the part of a job that a text behind `@` names.
fn part(snapshot: &Snapshot, id: &JobId, part: &str) -> Result<Target> {
    match Job::of(snapshot, id)? {
        Job::Coordinator(job) => {
            action(snapshot, &job, part).map(|number| Target::CoordinatorAction(id.clone(), number))
        }
        Job::Workflow(job) => node(snapshot, &job, part).map(|name| Target::Node(id.clone(), name)),
        Job::Bundle(_) => {
            let help = "name a coordinator of the bundle, and its action: `howdah info` lists the coordinators";
            Err(Error::new(ErrorCode::E0605, format!("{id}@{part}")).help(help))
        }
    }
}

/// Returns the number of the action that a part names: its number, its nominal time, `last` or `failed`.
fn action(snapshot: &Snapshot, job: &CoordinatorJob, part: &str) -> Result<u32> {
    let none = |help: String| Error::new(ErrorCode::E0605, format!("{}@{part}", job.id)).help(help);
    if let Some(number) = part.parse().ok().filter(|number| *number > 0) {
        return Ok(number);
    }
    let (filter, absent) = match part {
        LAST => (ActionFilter::default(), "the job has no action yet; `howdah explain` says why".to_owned()),
        FAILED => {
            let statuses = vec![ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];
            (ActionFilter { statuses, ..ActionFilter::default() }, "no action of the job has failed".to_owned())
        }
        time => {
            let help = "an action is named by its number, its nominal time, `last` or `failed`";
            let at = read_time(time).map_err(|_| none(help.to_owned()))?;
            (ActionFilter { nominal_in: vec![at], ..ActionFilter::default() }, no_action_at(job, at))
        }
    };
    let page = snapshot.action_page(job.job, &filter, ActionOrder::NewestFirst, Page { offset: 0, len: 1 })?;
    page.actions.first().map(|action| action.number).ok_or_else(|| none(absent))
}

fn no_action_at(job: &CoordinatorJob, at: Timestamp) -> String {
    match job.next_materialized_at {
        Some(next) if at >= next => "no action of this nominal time is created yet".to_owned(),
        _ => format!("no action of the job has this nominal time; `howdah info {}` lists them", job.id),
    }
}

/// Returns the node that a part names: its name, `last` for the one that started last, `failed` for the one that failed
/// last. A node with such a name comes first.
fn node(snapshot: &Snapshot, job: &WorkflowJob, part: &str) -> Result<String> {
    if !matches!(part, LAST | FAILED) || snapshot.workflow_node(job.job, part)?.is_some() {
        return Ok(part.to_owned());
    }
    let failed = |node: &WorkflowNode| matches!(node.status, NodeStatus::Error | NodeStatus::Failed);
    let nodes = snapshot.workflow_nodes(job.job)?;
    let found = nodes.iter().filter(|node| part == LAST || failed(node)).max_by_key(|node| node.sequence);
    found.map(|node| node.name.clone()).ok_or_else(|| {
        let help = if part == LAST { "no node of the job has started" } else { "no node of the job has failed" };
        Error::new(ErrorCode::E0605, format!("{}@{part}", job.id)).help(help)
    })
}

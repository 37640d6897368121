//! `status`: whether all is well in the whole database, on one screen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::query::context::{self, Query};
use crate::query::{json, target};
use howdah_engine::Engine;
use howdah_engine::copy_check::{self, Place};
use howdah_engine::format::time;
use howdah_engine::overdue::{self, LateJob};
use howdah_engine::purge_record::PurgeRecord;
use howdah_engine::runner::demand;
use howdah_engine::runner::places::{Limit, Use};
use howdah_engine::runner::settings_check::{self, RunnerView};
use howdah_engine::tick_record::{Silence, TickRecord};
use howdah_host::{files, lock};
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorJob, StoreFailure, steps_in_words};
use howdah_words::model::time::{DAY, Timestamp};

/// How many late jobs, and how many next actions, are named.
const MOST_NAMED: usize = 5;
/// Below this share of free space the disk is reported, in percent.
const LITTLE_SPACE: u64 = 3;

/// The state of the whole database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteView {
    /// What needs attention, the most serious first; empty when all is well.
    pub problems: Vec<SiteProblem>,
    pub database: DatabaseView,
    pub tick: Option<TickView>,
    /// Since when nothing new starts, and who ordered it; `None` when jobs are not paused as a whole.
    pub pause: Option<SitePauseView>,
    /// How many actions an interrupted rerun of many actions has left.
    pub unfinished_rerun: Option<usize>,
    /// The same in words.
    #[serde(skip)]
    pub left_by_rerun: Option<String>,
    /// The stores of files that gave no answer when a tick last asked them.
    pub stores: Vec<StoreView>,
    /// The process that advances workflow jobs; `None` when there is none, or when it cannot be seen.
    pub runner: Option<RunnerView>,
    /// Whether workflow jobs need a runner and it is known that none is running.
    pub runner_missing: bool,
    pub coordinator_jobs: BTreeMap<String, u32>,
    pub bundle_jobs: BTreeMap<String, u32>,
    /// Those that have not ended.
    pub workflow_jobs: BTreeMap<String, u32>,
    /// The places for commands that are taken or waited for, and those of pools.
    pub places: Vec<PlacesView>,
    pub actions: BTreeMap<String, u32>,
    /// Actions that ended without success in the last 24 hours, without those that a user killed.
    pub failed_last_day: u32,
    /// The same of workflow jobs that no other job has started, and of coordinators that could not create actions.
    pub failed_jobs_last_day: u32,
    /// Coordinators that the failure policy has suspended.
    pub suspended_by_policy: u32,
    /// Workflow jobs that are suspended because a node cannot be started.
    pub blocked_workflow_jobs: u32,
    /// Whether something can happen only when a tick comes.
    pub needs_ticks: bool,
    pub late_jobs: u32,
    /// The jobs whose oldest open action is the latest.
    pub late: Vec<LateView>,
    pub next: Vec<NextView>,
    pub deliveries_pending: u32,
    /// In the last 24 hours.
    pub deliveries_given_up: u32,
    pub purge: PurgeView,
}

/// The places of one limit on how many commands run at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacesView {
    /// The setting that says how many there are, such as `howdah.pool.db`.
    pub setting: String,
    pub places: usize,
    pub taken: usize,
    /// How many nodes wait that need one.
    pub waiting: usize,
    /// What they are places of, in words.
    #[serde(skip)]
    pub of: String,
}

/// A store of files that gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreView {
    /// `scheme://authority` of the server.
    pub server: String,
    /// When it first gave no answer.
    #[serde(serialize_with = "json::time")]
    pub since_time: Timestamp,
    /// How often it was asked since then.
    pub failures: u32,
    /// When a tick asks it again.
    #[serde(serialize_with = "json::time")]
    pub next_time: Timestamp,
    /// Its last words.
    pub reason: String,
}

/// The purges that ticks start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PurgeView {
    /// Whether the site wants them (`howdah.purge`).
    pub is_on: bool,
    pub is_running: bool,
    /// When the last one started; `None` before the first one.
    #[serde(serialize_with = "json::time_or_null")]
    pub start_time: Option<Timestamp>,
    /// `None` when the next tick may start one.
    #[serde(serialize_with = "json::time_or_null")]
    pub next_time: Option<Timestamp>,
    /// What the last one deleted.
    pub bundle_jobs: u64,
    pub coordinator_jobs: u64,
    pub workflow_jobs: u64,
}

/// Something that needs attention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteProblem {
    /// Whether nothing or not everything can continue.
    pub critical: bool,
    pub text: String,
}

/// The file of the database, and its file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseView {
    pub path: PathBuf,
    #[serde(serialize_with = "json::time_or_null")]
    pub created_time: Option<Timestamp>,
    /// With SQLite's log beside it.
    pub bytes: u64,
    /// `None` when the file system does not tell.
    pub free_bytes: Option<u64>,
    pub free_percent: Option<u64>,
}

/// The latest tick of cron or of a daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TickView {
    #[serde(serialize_with = "json::time")]
    pub start_time: Timestamp,
    /// How long ago it started.
    pub seconds_ago: i64,
    /// `None` when it runs now, or was killed.
    pub took_milliseconds: Option<u64>,
    /// How often ticks come.
    pub interval_seconds: Option<i64>,
    /// Whether three ticks or more are missing, and jobs need them.
    pub is_silent: bool,
    /// That in words.
    #[serde(skip)]
    pub silence: Option<Silence>,
    /// The jobs that had a fault in it.
    pub faults: usize,
}

/// The pause of all jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SitePauseView {
    #[serde(serialize_with = "json::time")]
    pub time: Timestamp,
    pub user: String,
}

/// A job whose oldest open action takes much longer than usual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LateView {
    pub id: String,
    pub coord_job_name: String,
    #[serde(serialize_with = "json::time")]
    pub nominal_time: Timestamp,
    pub late_seconds: i64,
    #[serde(skip)]
    pub name: String,
}

/// The next action of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextView {
    pub coord_job_id: String,
    pub coord_job_name: String,
    #[serde(serialize_with = "json::time")]
    pub nominal_time: Timestamp,
}

/// Returns the state of the database.
///
/// # Errors
/// A failure of the database.
pub fn site(engine: &mut Engine, now: Timestamp) -> Result<SiteView> {
    let tick = TickRecord::read(engine).map(|record| tick_view(&record, now));
    let runner = settings_check::runner(engine);
    let (path, bytes) = (engine.store.path().to_owned(), engine.store.length());
    // What cannot be read is no reason for an alarm.
    let is_running = lock::is_held(&engine.runner_lock()).unwrap_or(true);
    let runner_missing = !is_running && demand::needs_runner(engine)?;
    let mut view = context::run(engine, now, |query| query.site((&path, bytes), tick, runner))?;
    view.runner_missing = runner_missing;
    if let Some(tick) = &mut view.tick {
        tick.silence = tick.silence.filter(|_| view.needs_ticks);
        tick.is_silent = tick.silence.is_some();
    }
    view.purge = purge_view(engine);
    view.problems = problems(&view);
    // What cannot be read is no reason for an alarm here either.
    if let Ok(Place::Elsewhere(refusal)) = copy_check::look(engine) {
        let text = format!("nothing works on this database: {}", refusal.message());
        view.problems.insert(0, SiteProblem { critical: true, text });
    }
    Ok(view)
}

fn tick_view(record: &TickRecord, now: Timestamp) -> TickView {
    TickView {
        start_time: record.at(),
        seconds_ago: (now - record.at()).max(0),
        took_milliseconds: record.took().and_then(|took| u64::try_from(took.as_millis()).ok()),
        interval_seconds: record.interval(),
        is_silent: false,
        silence: record.silence(now),
        faults: record.faults(),
    }
}

fn purge_view(engine: &Engine) -> PurgeView {
    let settings = &engine.settings.purge;
    let is_on = settings.is_on;
    let Some(record) = PurgeRecord::read(engine) else { return PurgeView { is_on, ..PurgeView::default() } };
    PurgeView {
        is_on,
        is_running: lock::is_held(&engine.purge_lock()).unwrap_or_default(),
        start_time: Some(record.at()),
        next_time: is_on.then(|| record.next(settings.interval_seconds)),
        bundle_jobs: record.bundles,
        coordinator_jobs: record.coordinators,
        workflow_jobs: record.workflows,
    }
}

impl Query<'_> {
    fn site(&self, file: (&Path, u64), tick: Option<TickView>, runner: Option<RunnerView>) -> Result<SiteView> {
        let snapshot = self.snapshot;
        let day_ago = self.now - DAY;
        let deliveries = snapshot.delivery_counts(day_ago)?;
        let failed = snapshot.unsuccessful_since(day_ago)?;
        let mut late = overdue::late_jobs(snapshot, self.now)?;
        let late_jobs = u32::try_from(late.len()).unwrap_or(u32::MAX);
        late.truncate(MOST_NAMED);
        let mut unfinished = Vec::new();
        for repair in snapshot.repairs()? {
            unfinished.extend(snapshot.open_repair_steps(&repair.plan)?);
        }
        let next = snapshot.next_coordinator_jobs(u32::try_from(MOST_NAMED).unwrap_or(u32::MAX))?;
        Ok(SiteView {
            problems: Vec::new(),
            database: self.database(file)?,
            tick,
            pause: self.site_pause.clone().map(|pause| SitePauseView { time: pause.at, user: pause.actor }),
            unfinished_rerun: (!unfinished.is_empty()).then_some(unfinished.len()),
            left_by_rerun: (!unfinished.is_empty()).then(|| steps_in_words(&unfinished)),
            stores: snapshot.store_failures()?.into_iter().map(store_view).collect(),
            runner,
            runner_missing: false,
            coordinator_jobs: snapshot.coordinator_job_counts()?,
            bundle_jobs: snapshot.bundle_job_counts()?,
            workflow_jobs: snapshot.active_workflow_counts()?,
            places: self.places_in_use()?,
            actions: snapshot.action_counts_of_all_jobs()?,
            failed_last_day: failed.actions,
            failed_jobs_last_day: failed.jobs,
            suspended_by_policy: snapshot.suspended_by_policy_count()?,
            blocked_workflow_jobs: snapshot.blocked_workflow_count()?,
            needs_ticks: snapshot.needs_ticks()?,
            late_jobs,
            late: late.into_iter().map(|late| self.late_view(late)).collect::<Result<_>>()?,
            next: next.iter().map(next_view).collect(),
            deliveries_pending: deliveries.pending,
            deliveries_given_up: deliveries.given_up,
            purge: PurgeView::default(),
        })
    }

    /// Returns the use of the limits that the site sets, and of the machine while something needs it.
    fn places_in_use(&self) -> Result<Vec<PlacesView>> {
        let (limits, taken, waiting) = self.command_places()?;
        let mut uses = limits.uses(&taken, &waiting);
        uses.retain(|limit| limit.limit != Limit::Machine || limit.taken + limit.waiting > 0);
        let view = |Use { limit, most, taken, waiting }: Use| PlacesView {
            setting: limit.setting(),
            places: most,
            taken,
            waiting,
            of: limit.to_string(),
        };
        Ok(uses.into_iter().map(view).collect())
    }

    fn database(&self, (path, bytes): (&Path, u64)) -> Result<DatabaseView> {
        let space = files::space(path);
        Ok(DatabaseView {
            path: path.to_owned(),
            created_time: self.snapshot.created_at()?,
            bytes,
            free_bytes: space.map(|space| space.free),
            free_percent: space.map(|space| space.free.saturating_mul(100) / space.all.max(1)),
        })
    }

    fn late_view(&self, LateJob { job, action }: LateJob) -> Result<LateView> {
        let name = target::shortest_name(self.snapshot, (&job.name, &job.id), job.status.is_terminal())?;
        Ok(LateView {
            id: format!("{}@{}", job.id, action.number),
            name: format!("{name}@{}", action.number),
            coord_job_name: job.name,
            nominal_time: action.nominal_at,
            late_seconds: action.seconds,
        })
    }
}

fn next_view(job: &CoordinatorJob) -> NextView {
    NextView {
        coord_job_id: job.id.to_string(),
        coord_job_name: job.name.clone(),
        nominal_time: job.next_materialized_at.unwrap_or(job.start_at),
    }
}

fn store_view(failure: StoreFailure) -> StoreView {
    let StoreFailure { server, since, failures, next_at, why } = failure;
    StoreView { server, since_time: since, failures, next_time: next_at, reason: why }
}

fn problems(view: &SiteView) -> Vec<SiteProblem> {
    let mut problems = Vec::new();
    let mut add = |critical: bool, text: String| problems.push(SiteProblem { critical, text });
    match &view.tick {
        Some(TickView { silence: Some(silence), .. }) => add(true, silence.to_string()),
        None if view.needs_ticks => add(true, "no tick has run on this database".to_owned()),
        Some(tick) if tick.faults > 0 => {
            let faults = u32::try_from(tick.faults).unwrap_or(u32::MAX);
            add(false, format!("the last tick had {}", number_of(faults, "fault")));
        }
        _ => {}
    }
    if let Some(pause) = &view.pause {
        let (at, user) = (time(pause.time), &pause.user);
        add(false, format!("all jobs are paused since {at} by {user} (`howdah resume --all`)"));
    }
    if let Some(left) = &view.left_by_rerun {
        add(false, format!("an interrupted rerun has left {left} (`howdah rerun --continue`)"));
    }
    for store in &view.stores {
        // It is asked again without a person, and the other jobs continue.
        add(false, format!("the store {} gives no answer since {}", store.server, time(store.since_time)));
    }
    if view.runner_missing {
        add(true, "no runner advances the workflow jobs; the next tick starts one".to_owned());
    }
    for problem in view.runner.iter().flat_map(|runner| &runner.problems) {
        add(true, format!("the runner cannot continue: {problem}"));
    }
    if view.database.free_percent.is_some_and(|percent| percent < LITTLE_SPACE) {
        add(true, "the disk of the database is nearly full".to_owned());
    }
    if view.blocked_workflow_jobs > 0 {
        let (jobs, waits) = (number_of(view.blocked_workflow_jobs, "workflow job"), view.blocked_workflow_jobs == 1);
        let waits = if waits { "waits" } else { "wait" };
        add(true, format!("{jobs} {waits} for a person: a node cannot be started"));
    }
    if view.suspended_by_policy > 0 {
        add(true, format!("{} suspended by the failure policy", number_of(view.suspended_by_policy, "job")));
    }
    for (number, noun) in [(view.failed_last_day, "action"), (view.failed_jobs_last_day, "job")] {
        if number > 0 {
            add(false, format!("{} failed in 24 h", number_of(number, noun)));
        }
    }
    if view.late_jobs > 0 {
        add(false, format!("{} late", number_of(view.late_jobs, "job")));
    }
    if view.deliveries_given_up > 0 {
        add(false, format!("deliveries given up in 24 h: {}", view.deliveries_given_up));
    }
    problems
}

/// Returns a number with its noun, such as `1 job` or `2 jobs`.
fn number_of(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

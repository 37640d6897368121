//! `metrics`: numbers of the whole database and of each live coordinator job, for a program that collects them.

use serde::Serialize;

use crate::query::context::{self, Query};
use howdah_engine::Engine;
use howdah_engine::tick_record::TickRecord;
use howdah_host::files;
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, CoordinatorJob};
use howdah_words::model::time::{DAY, Timestamp};

/// How many actions before the oldest open one are searched for the last success.
const MOST_SEARCHED: u32 = 1_000;

/// The numbers of one name; all are gauges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metric {
    /// With the unit at its end, as the format wants it.
    pub name: &'static str,
    /// The unit; empty for a number without one.
    pub unit: &'static str,
    pub help: &'static str,
    pub samples: Vec<Sample>,
}

/// One number with the labels that distinguish it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    pub labels: Vec<(&'static str, String)>,
    pub value: f64,
}

impl Metric {
    const fn new(name: &'static str, unit: &'static str, help: &'static str) -> Self {
        Self { name, unit, help, samples: Vec::new() }
    }

    #[expect(clippy::cast_precision_loss, reason = "times and counts are below 2^53")]
    fn add(&mut self, labels: &[(&'static str, &str)], value: i64) {
        let labels = labels.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        self.samples.push(Sample { labels, value: value as f64 });
    }
}

/// Returns the numbers of a database.
///
/// # Errors
/// A failure of the database.
pub fn metrics(engine: &mut Engine, now: Timestamp) -> Result<Vec<Metric>> {
    let mut metrics = of_ticks(TickRecord::read(engine).as_ref());
    let mut free = Metric::new("howdah_disk_free_bytes", "bytes", "Free space on the file system of the database");
    if let Some(space) = files::space(engine.store.path()) {
        free.add(&[], i64::try_from(space.free).unwrap_or(i64::MAX));
    }
    let mut size = Metric::new("howdah_database_bytes", "bytes", "The length of the file of the database");
    size.add(&[], i64::try_from(engine.store.length()).unwrap_or(i64::MAX));
    metrics.extend([free, size]);
    metrics.extend(context::run(engine, now, |query| {
        let mut metrics = query.of_the_whole()?;
        metrics.extend(query.of_jobs()?);
        Ok(metrics)
    })?);
    Ok(metrics)
}

fn of_ticks(record: Option<&TickRecord>) -> Vec<Metric> {
    let mut at = Metric::new("howdah_last_tick_timestamp_seconds", "seconds", "When the last tick started");
    let mut interval = Metric::new("howdah_tick_interval_seconds", "seconds", "How often ticks come");
    let mut took = Metric::new("howdah_last_tick_duration_seconds", "seconds", "How long the last tick took");
    if let Some(record) = record {
        at.add(&[], record.at().seconds());
        if let Some(seconds) = record.interval() {
            interval.add(&[], seconds);
        }
        took.samples.extend(record.took().map(|took| Sample { labels: Vec::new(), value: took.as_secs_f64() }));
    }
    vec![at, interval, took]
}

impl Query<'_> {
    fn of_the_whole(&self) -> Result<Vec<Metric>> {
        let mut jobs = Metric::new("howdah_jobs", "", "Jobs by kind and status; workflow jobs only while they live");
        let kinds = [
            ("coordinator", self.snapshot.coordinator_job_counts()?),
            ("bundle", self.snapshot.bundle_job_counts()?),
            ("workflow", self.snapshot.active_workflow_counts()?),
        ];
        for (kind, counts) in kinds {
            for (status, count) in counts {
                jobs.add(&[("kind", kind), ("status", &status)], count.into());
            }
        }
        let mut runner = Metric::new("howdah_runner_running", "", "1 when a process advances workflow jobs, else 0");
        runner.add(&[], self.runner_at_work.into());
        let mut waiting = Metric::new("howdah_nodes_waiting", "", "Workflow nodes that wait for their turn to start");
        waiting.add(&[], i64::from(self.snapshot.waiting_node_count()?));
        let deliveries = self.snapshot.delivery_counts(self.now - DAY)?;
        let mut pending = Metric::new("howdah_deliveries_pending", "", "Notifications that are not delivered yet");
        pending.add(&[], deliveries.pending.into());
        let mut given_up = Metric::new("howdah_deliveries_given_up", "", "Notifications given up in the last 24 hours");
        given_up.add(&[], deliveries.given_up.into());
        let mut failing = Metric::new("howdah_store_failing", "", "1 for each store of files that gives no answer");
        for failure in self.snapshot.store_failures()? {
            failing.add(&[("store", &failure.server)], 1);
        }
        Ok(vec![jobs, runner, waiting, failing, pending, given_up])
    }

    fn of_jobs(&self) -> Result<Vec<Metric>> {
        let mut actions = Metric::new("howdah_actions", "", "Actions of a live coordinator job by status");
        let mut lateness = Metric::new(
            "howdah_lateness_seconds",
            "seconds",
            "How long ago the nominal time of the oldest action was that has not ended; 0 without one",
        );
        let mut success =
            Metric::new("howdah_last_success_timestamp_seconds", "seconds", "When an action last succeeded");
        let mut duration =
            Metric::new("howdah_last_success_duration_seconds", "seconds", "How long its workflow job took");
        for job in self.snapshot.live_coordinator_jobs()? {
            let id = job.id.to_string();
            let labels = [("job", job.name.as_str()), ("id", id.as_str())];
            for (status, count) in self.snapshot.action_counts(job.job)? {
                actions.add(&[labels[0], labels[1], ("status", status.as_str())], count.into());
            }
            let oldest = self.snapshot.oldest_open_action(job.job)?;
            lateness.add(&labels, oldest.map_or(0, |oldest| (self.now - oldest.nominal_at).max(0)));
            let before = oldest.map_or(job.last_action_number + 1, |oldest| oldest.number);
            if let Some((at, took)) = self.last_success(&job, before)? {
                success.add(&labels, at.seconds());
                if let Some(took) = took {
                    duration.add(&labels, took);
                }
            }
        }
        Ok(vec![actions, lateness, success, duration])
    }

    /// Returns when an action before a number last succeeded, and how many seconds its workflow job took.
    fn last_success(&self, job: &CoordinatorJob, before: u32) -> Result<Option<(Timestamp, Option<i64>)>> {
        let Some(number) = self.snapshot.last_success_before(job.job, before, MOST_SEARCHED)? else { return Ok(None) };
        let Some(action) = self.snapshot.coordinator_action(ActionKey { job: job.job, number })? else {
            return Ok(None);
        };
        let workflow = self.snapshot.workflow_job_of_action(&action)?;
        let took = workflow.and_then(|workflow| Some(workflow.ended_at? - workflow.started_at?));
        Ok(Some((action.modified_at, took)))
    }
}

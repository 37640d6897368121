//! Tables `earlier_*`: what began after the backup that was put back, from the journal of starts.
//!
//! They are empty in a database that was never put back. A row of a job is used once: when its job is in the database
//! again, the job has what the row says. A backup of a database that was put back has the rows that it still needs.

use std::collections::BTreeMap;

use rusqlite::OptionalExtension as _;

use super::{Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, BundleKey, WorkflowKey};
use howdah_words::model::start::{Start, StartedBundle, StartedJob};

/// An attempt that began after the backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierStart {
    /// Its token.
    pub token: String,
    /// The name of its folder in that of its node.
    pub folder: String,
}

/// A workflow job that began after the backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierJob {
    /// Its id.
    pub id: JobId,
    /// The random id of its first run; `None` when nothing of that run began.
    pub life: Option<String>,
}

/// What was done with a start that the database does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// Its outcome is taken over.
    Noted,
    /// It belongs to a rerun of this action (`C@3`) or workflow job, which the database has as before.
    Rerun(String),
    /// The database does not have the job, coordinator or bundle with this id, to which it belongs.
    Unknown(String),
}

impl Snapshot {
    /// Whether the database has an attempt.
    pub fn has_attempt(&self, token: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM attempt WHERE token = ?1)";
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![token], |row| row.column(0)))
    }

    /// Whether a start that was written before the backup may have been under way while the database was copied: the
    /// database has the job of it, in the same run, and no attempt in its place.
    pub fn was_under_way(&self, start: &Start) -> Result<bool> {
        let Some(job) = start.jobs.last() else { return Ok(false) };
        let sql = "SELECT EXISTS (
            SELECT 1 FROM workflow_job WHERE id = ?1 AND coalesce(life, '') = ?2 AND ended_at IS NULL AND NOT EXISTS (
                SELECT 1 FROM attempt
                WHERE (attempt.job, node, run, number) = (workflow_job.job, ?3, workflow_job.run, ?4)))";
        self.run(|connection| {
            let parameters = params![job.job, job.life, start.node, start.number];
            connection.prepare_cached(sql)?.query_row(parameters, |row| row.column(0))
        })
    }

    /// Whether this is a backup that was put back, and that does not have all that began.
    pub fn was_put_back(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM earlier_start) OR EXISTS (SELECT 1 FROM earlier_rerun)";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// Whether a coordinator action was rerun after the backup, and not again since.
    pub fn was_rerun_earlier(&self, action: ActionKey) -> Result<bool> {
        let sql = "SELECT EXISTS (
            SELECT 1 FROM coordinator_action AS action JOIN coordinator_job USING (job)
                JOIN earlier_rerun ON subject = id || '@' || number
            WHERE action.job = ?1 AND number = ?2 AND action.run < earlier_rerun.run)";
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![action.job, action.number], |row| row.column(0))
        })
    }

    /// The folders of commands that may have been alive when the backup was put back, and that belong to a rerun of a
    /// coordinator action (`C@3`) or workflow job which this database does not have.
    pub fn earlier_commands(&self, subject: &str) -> Result<Vec<String>> {
        let sql = "SELECT folder FROM earlier_command WHERE subject = ?1 ORDER BY folder";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map(params![subject], |row| row.column(0))?.collect()
        })
    }

    /// The attempts of a run of a workflow job that began after the backup, by node and number.
    pub fn earlier_starts(&self, job: &JobId, life: &str) -> Result<BTreeMap<(String, u32), EarlierStart>> {
        let sql = "SELECT node, number, token, folder FROM earlier_start WHERE job = ?1 AND life = ?2";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![job.as_str(), life], |row| {
                let start = EarlierStart { token: row.column("token")?, folder: row.column("folder")? };
                Ok(((row.column("node")?, row.column("number")?), start))
            })?;
            rows.collect()
        })
    }

    /// The workflow job that an action started in its present run after the backup, and that is not here again yet.
    pub fn earlier_job_of_action(&self, action: ActionKey) -> Result<Option<EarlierJob>> {
        let parent = "SELECT id || '@' || number, run FROM coordinator_action JOIN coordinator_job USING (job)
            WHERE coordinator_action.job = ?1 AND number = ?2";
        self.earlier_job(parent, params![action.job, action.number])
    }

    /// The same of a sub-workflow node.
    pub fn earlier_job_of_node(&self, job: WorkflowKey, node: &str) -> Result<Option<EarlierJob>> {
        self.earlier_job("SELECT id || '@' || ?2, run FROM workflow_job WHERE job = ?1", params![job, node])
    }

    /// The id that a bundle gave to a coordinator after the backup, when it is not here again yet.
    pub fn earlier_coordinator(&self, bundle: BundleKey, name: &str) -> Result<Option<JobId>> {
        let sql = "SELECT earlier_coordinator.job FROM earlier_coordinator JOIN bundle_job ON bundle = bundle_job.id
            WHERE bundle_job.job = ?1 AND earlier_coordinator.name = ?2
                AND NOT EXISTS (SELECT 1 FROM coordinator_job WHERE id = earlier_coordinator.job)";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row(params![bundle, name], |row| row.column(0)).optional()
        })
    }

    fn earlier_job(&self, parent: &str, parameters: impl rusqlite::Params) -> Result<Option<EarlierJob>> {
        let sql = format!(
            "SELECT job, (SELECT life FROM earlier_job AS first WHERE first.job = earlier.job AND run = 0) AS life
             FROM earlier_job AS earlier
             WHERE (parent, parent_run) = ({parent}) AND NOT EXISTS (SELECT 1 FROM workflow_job WHERE id = earlier.job)
             ORDER BY earlier_job LIMIT 1"
        );
        self.run(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement
                .query_row(parameters, |row| Ok(EarlierJob { id: row.column("job")?, life: row.column("life")? }));
            found.optional()
        })
    }
}

impl Transaction<'_> {
    /// Notes a start that the database does not have. What was rerun after the backup stays as it is, and is not rerun
    /// by itself: a planned rerun of it ends.
    pub fn note_earlier(&self, start: &Start) -> Result<Earlier> {
        let Some((top, last)) = start.jobs.first().zip(start.jobs.last()) else { return Ok(Earlier::Noted) };
        self.note_earlier_coordinator(start)?;
        if !self.has_root(top)? {
            return Ok(Earlier::Unknown(coordinator_of(top).unwrap_or(&top.job).to_owned()));
        }
        if let Some(subject) = self.note_earlier_rerun(start)? {
            return Ok(Earlier::Rerun(subject));
        }
        self.run(|connection| {
            let sql = "INSERT OR IGNORE INTO earlier_job (parent, parent_run, job, run, life)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = connection.prepare_cached(sql)?;
            for StartedJob { parent, parent_run, job, run, life } in &start.jobs {
                insert.execute(params![parent, parent_run, job, run, life])?;
            }
            // The last line counts: a start that was not stored is written again with another token.
            let sql = "INSERT OR REPLACE INTO earlier_start (job, life, node, number, token, folder)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let Start { node, number, token, folder, .. } = start;
            connection.prepare_cached(sql)?.execute(params![last.job, last.life, node, number, token, folder])
        })?;
        Ok(Earlier::Noted)
    }

    /// Notes that a command of a rerun may still be alive; `folder` is that of its attempt, in the folder of all runs.
    pub fn note_earlier_command(&self, start: &Start, folder: &str) -> Result<()> {
        let sql = "INSERT OR IGNORE INTO earlier_command (subject, folder) VALUES (?1, ?2)";
        let action = start.jobs.first().and_then(|top| top.parent.as_ref());
        self.run(|connection| {
            let mut insert = connection.prepare_cached(sql)?;
            for subject in start.jobs.iter().map(|job| &job.job).chain(action) {
                insert.execute(params![subject, folder])?;
            }
            Ok(())
        })
    }

    /// Notes the rerun to which a start belongs, and ends what plans it again; returns the action or workflow job that
    /// was rerun, `None` when the start belongs to no rerun.
    fn note_earlier_rerun(&self, start: &Start) -> Result<Option<String>> {
        for (place, job) in start.jobs.iter().enumerate() {
            let above = job.parent.as_deref();
            let is_of_rerun = match above {
                Some(above) => job.parent_run > self.run_of(above)?.run,
                None => false,
            };
            let here = self.run_of(&job.job)?;
            // A rerun that is ordered after the restore deletes outputs, so it has to run.
            let is_rerun =
                job.run > here.run || (job.run == here.run && here.life.is_some_and(|life| life != job.life));
            if !is_of_rerun && !is_rerun {
                continue;
            }
            let action = above.filter(|_| place == 0);
            if let Some(action) = action {
                // Also where a person has rerun only its workflow job.
                self.note_rerun_of(action, job.parent_run.max(self.run_of(action)?.run + 1))?;
            }
            if is_rerun {
                self.note_rerun_of(&job.job, job.run)?;
            }
            let of_node = || above.and_then(|above| above.split('@').next()).filter(|_| !is_rerun);
            return Ok(Some(action.or_else(of_node).unwrap_or(&job.job).to_owned()));
        }
        Ok(None)
    }

    fn note_rerun_of(&self, subject: &str, run: u32) -> Result<()> {
        let sql = "INSERT INTO earlier_rerun (subject, run) VALUES (?1, ?2)
            ON CONFLICT DO UPDATE SET run = max(run, excluded.run)";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![subject, run]))?;
        self.end_planned_rerun(subject)
    }

    /// The present run of a workflow job, of the one that has a node (`W@node`) or of a coordinator action (`C@3`).
    fn run_of(&self, subject: &str) -> Result<PresentRun> {
        let (id, part) = subject.split_once('@').unwrap_or((subject, ""));
        let sql = "SELECT run, coalesce(life, '') AS life FROM workflow_job WHERE id = ?1
            UNION ALL SELECT run, NULL AS life FROM coordinator_action JOIN coordinator_job USING (job)
            WHERE id = ?1 AND number = CAST(?2 AS INTEGER)";
        let read = |row: &rusqlite::Row<'_>| Ok(PresentRun { run: row.column("run")?, life: row.column("life")? });
        self.run(|connection| {
            let found = connection.prepare_cached(sql)?.query_row(params![id, part], read).optional()?;
            Ok(found.unwrap_or(PresentRun { run: 0, life: None }))
        })
    }

    /// Ends the planned rerun of an action (`C@3`) or a workflow job, because it was made after the backup.
    fn end_planned_rerun(&self, subject: &str) -> Result<()> {
        let (id, part) = subject.split_once('@').unwrap_or((subject, ""));
        self.run(|connection| {
            let action = "(SELECT job FROM coordinator_job WHERE id = ?1) AND {number} = CAST(?2 AS INTEGER)";
            let plans =
                format!("UPDATE policy_rerun SET rerun_at = NULL WHERE job = {}", action.replace("{number}", "number"));
            connection.prepare(&plans)?.execute(params![id, part])?;
            let steps = format!(
                "UPDATE repair_step SET done = 1 WHERE coordinator_job = {}",
                action.replace("{number}", "action_number")
            );
            connection.prepare(&steps)?.execute(params![id, part])?;
            let sql = "UPDATE repair_step SET done = 1
                WHERE workflow_job = (SELECT job FROM workflow_job WHERE id = ?1)";
            connection.prepare(sql)?.execute(params![id])?;
            let sql = "DELETE FROM repair WHERE plan IN (SELECT plan FROM repair_step)
                AND NOT EXISTS (SELECT 1 FROM repair_step WHERE repair_step.plan = repair.plan AND done = 0)";
            connection.prepare(sql)?.execute([]).map(drop)
        })
    }

    /// Whether the database has the coordinator whose action started the job, or the job itself.
    fn has_root(&self, top: &StartedJob) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM coordinator_job WHERE id = ?1)
                OR EXISTS (SELECT 1 FROM workflow_job WHERE id = ?2)
                OR EXISTS (SELECT 1 FROM earlier_coordinator WHERE job = ?1)";
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![coordinator_of(top), top.job], |row| row.column(0))
        })
    }

    /// Notes the coordinator of a start when its bundle, which the database has, did not submit it yet.
    fn note_earlier_coordinator(&self, start: &Start) -> Result<()> {
        let coordinator = start.jobs.first().and_then(coordinator_of);
        let Some((StartedBundle { job, coordinator: name }, id)) = start.bundle.as_ref().zip(coordinator) else {
            return Ok(());
        };
        // A second coordinator of the same name was submitted by a person, in the place of the first one.
        let sql = "INSERT OR IGNORE INTO earlier_coordinator (bundle, name, job)
            SELECT ?1, ?2, ?3 FROM bundle_job JOIN bundle_coordinator ON bundle = bundle_job.job
            WHERE bundle_job.id = ?1 AND bundle_coordinator.name = ?2 AND coordinator_job IS NULL";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![job, name, id]).map(drop))
    }

    /// From now on no new job has the number of `id`, when it is an id of this database.
    pub fn skip_job_id(&self, id: &str) -> Result<()> {
        let Some((number, rest)) = id.split_once('-') else { return Ok(()) };
        let (Ok(number), Some((stamp, _))) = (number.parse::<u32>(), rest.rsplit_once('-')) else { return Ok(()) };
        let sql = "UPDATE birth SET next_number = ?1 + 1 WHERE stamp = ?2 AND next_number <= ?1";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![number, stamp]).map(drop))
    }

    /// Gives the present run of a job the random id that it had before the backup was put back.
    pub fn set_workflow_life(&self, job: WorkflowKey, life: &str) -> Result<()> {
        let sql = "UPDATE workflow_job SET life = ?2 WHERE job = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![job, life]).map(drop))
    }
}

/// The run in which the database has a workflow job or an action.
struct PresentRun {
    /// 0 when the database does not have it yet.
    run: u32,
    /// The random id of the run of a workflow job.
    life: Option<String>,
}

/// The id of the coordinator job whose action started a workflow job.
fn coordinator_of(top: &StartedJob) -> Option<&str> {
    top.parent.as_deref()?.split('@').next()
}

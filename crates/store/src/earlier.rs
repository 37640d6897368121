//! Tables `earlier_job` and `earlier_start`: what began after the backup that was put back, from the journal of starts.
//!
//! They are empty in a database that was never put back. A row is used once: when its job is in the database again, the
//! job has what the row says.

use std::collections::BTreeMap;

use rusqlite::OptionalExtension as _;

use super::{Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, WorkflowKey};
use howdah_words::model::start::{Start, StartedJob};

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
    /// It belongs to a rerun of this action (`C@3`) or workflow job, which the database has in an earlier run.
    Rerun(String),
    /// The database does not have the job or the coordinator to which it belongs.
    Unknown,
}

impl Snapshot {
    /// Whether the database has an attempt.
    pub fn has_attempt(&self, token: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM attempt WHERE token = ?1)";
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![token], |row| row.column(0)))
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
    /// Forgets what an earlier restore has noted.
    pub fn clear_earlier(&self) -> Result<()> {
        self.run(|connection| connection.execute_batch("DELETE FROM earlier_job; DELETE FROM earlier_start"))
    }

    /// Notes a start that the database does not have.
    pub fn note_earlier(&self, start: &Start) -> Result<Earlier> {
        let Some((top, last)) = start.jobs.first().zip(start.jobs.last()) else { return Ok(Earlier::Unknown) };
        if !self.has_root(top)? {
            return Ok(Earlier::Unknown);
        }
        // A rerun that is ordered after the restore deletes outputs, so it has to run.
        for job in &start.jobs {
            if job.run > self.run_of(&job.job)? {
                return Ok(Earlier::Rerun(job.parent.clone().unwrap_or_else(|| job.job.clone())));
            }
            if let Some(parent) = job.parent.as_ref().filter(|_| job.parent_run > 0)
                && job.parent_run > self.run_of(parent)?
            {
                return Ok(Earlier::Rerun(parent.clone()));
            }
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

    /// The present run of a workflow job, of the one that has a node (`W@node`) or of a coordinator action (`C@3`); 0
    /// when the database does not have it yet.
    fn run_of(&self, subject: &str) -> Result<u32> {
        let (id, part) = subject.split_once('@').unwrap_or((subject, ""));
        let sql = "SELECT coalesce((SELECT run FROM workflow_job WHERE id = ?1),
            (SELECT run FROM coordinator_action JOIN coordinator_job USING (job)
             WHERE id = ?1 AND number = CAST(?2 AS INTEGER)), 0)";
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![id, part], |row| row.column(0)))
    }

    /// Ends the planned rerun of an action (`C@3`) or a workflow job, because it was made after the backup.
    pub fn end_planned_rerun(&self, subject: &str) -> Result<()> {
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
                OR EXISTS (SELECT 1 FROM workflow_job WHERE id = ?2)";
        let coordinator = top.parent.as_deref().and_then(|parent| parent.split('@').next());
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![coordinator, top.job], |row| row.column(0))
        })
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

//! Tables `incident`, `alert`, `coordinator_trouble` and `policy_rerun`: what happened to jobs, who was told of it, and
//! what the failure policy of a site has done and will do.
//!
//! An incident is stored in the transaction of its change, and removed in the one that stores what follows from it.

use rusqlite::OptionalExtension as _;

use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::row::{
    ActionGroup, ActionKey, BundleKey, CoordinatorKey, Event, Incident, IncidentKey, IncidentState, PolicyRerun,
    SentAlert, WorkflowKey,
};
use howdah_words::model::time::Timestamp;

table_row! {
    Incident {
        incident, at, event, coordinator_job, action_number, last_action_number, workflow_job, bundle_job, actor,
        reason, state,
    }
}

table_row! { SentAlert { hook, event, coordinator_job, workflow_job, bundle_job, sent_at, counted } }

table_row! { PolicyRerun { job, number, reruns, rerun_at } }

/// The job of an alert: at most one of the three.
type Subject = (Option<CoordinatorKey>, Option<WorkflowKey>, Option<BundleKey>);

impl Snapshot {
    /// At most `most` incidents, oldest first.
    pub fn incidents(&self, most: u32) -> Result<Vec<Incident>> {
        let sql = "SELECT * FROM incident ORDER BY incident LIMIT ?1";
        self.run(|connection| query_rows(connection, sql, params![most]))
    }

    /// At most `most` incidents that no process has seen, oldest first.
    pub fn new_incidents(&self, most: u32) -> Result<Vec<Incident>> {
        let sql = "SELECT * FROM incident WHERE state = 'NEW' ORDER BY incident LIMIT ?1";
        self.run(|connection| query_rows(connection, sql, params![most]))
    }

    /// The latest alerts about a job to all hooks; without a job, those that are about none.
    pub fn sent_alerts(&self, subject: Subject) -> Result<Vec<SentAlert>> {
        let sql = "SELECT * FROM alert
            WHERE coalesce(coordinator_job, 0) = coalesce(?1, 0) AND coalesce(workflow_job, 0) = coalesce(?2, 0)
                AND coalesce(bundle_job, 0) = coalesce(?3, 0)
            ORDER BY alert";
        self.run(|connection| query_rows(connection, sql, params![subject.0, subject.1, subject.2]))
    }

    /// How many actions of a coordinator failed in a row.
    pub fn failures_in_a_row(&self, job: CoordinatorKey) -> Result<u32> {
        let sql = "SELECT failures FROM coordinator_trouble WHERE job = ?1";
        let read = |row: &rusqlite::Row<'_>| row.column(0);
        let failures: Option<u32> =
            self.run(|connection| connection.prepare_cached(sql)?.query_row(params![job], read).optional())?;
        Ok(failures.unwrap_or(0))
    }

    /// The action of a coordinator that was last found to be late.
    pub fn overdue_number(&self, job: CoordinatorKey) -> Result<Option<u32>> {
        let sql = "SELECT overdue_number FROM coordinator_trouble WHERE job = ?1";
        let read = |row: &rusqlite::Row<'_>| row.get::<_, Option<u32>>(0);
        let number = self.run(|connection| connection.prepare_cached(sql)?.query_row(params![job], read).optional())?;
        Ok(number.flatten())
    }

    /// The reruns of an action by the failure policy; `None` without one.
    pub fn policy_rerun(&self, action: ActionKey) -> Result<Option<PolicyRerun>> {
        let sql = "SELECT * FROM policy_rerun WHERE job = ?1 AND number = ?2";
        self.run(|connection| query_one(connection, sql, params![action.job, action.number]))
    }

    /// Whether a policy of at most `most` reruns will rerun an action, or any action of a job: a rerun is planned, or
    /// a failure without a user's command is not judged yet.
    pub fn has_coming_rerun(&self, (job, number): (CoordinatorKey, Option<u32>), most: u32) -> Result<bool> {
        let sql = include_str!("sql/incident/has_coming_rerun.sql");
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![job, number, most], |row| row.column(0))
        })
    }

    /// The reruns by the failure policy that are due, earliest first, at most `most`, those behind `after`; none of a
    /// job that is suspended.
    pub fn due_policy_reruns(
        &self,
        now: Timestamp,
        after: Option<&PolicyRerun>,
        most: u32,
    ) -> Result<Vec<PolicyRerun>> {
        let sql = include_str!("sql/incident/due_reruns.sql");
        let first = Timestamp::from_seconds(i64::MIN);
        let (at, job, number) = after.map_or((first, CoordinatorKey::default(), 0), |plan| {
            (plan.rerun_at.unwrap_or(first), plan.job, plan.number)
        });
        let parameters = named_params! { ":now": now, ":at": at, ":job": job, ":number": number, ":most": most };
        self.run(|connection| query_rows(connection, sql, parameters))
    }
}

impl Transaction<'_> {
    /// Adds an incident.
    pub fn insert_incident(&self, incident: &Incident) -> Result<()> {
        let sql = "INSERT INTO incident (
                at, event, coordinator_job, action_number, last_action_number, workflow_job, bundle_job, actor, reason
            ) VALUES (
                :at, :event, :coordinator_job, :action_number, :last_action_number, :workflow_job, :bundle_job, :actor,
                :reason
            )";
        self.run(|connection| execute_row(connection, sql, incident, &[])).map(drop)
    }

    /// Adds the incident that a job has recovered, with an event of its success; nothing for a job without trouble.
    pub fn insert_recovery(&self, event: &Event) -> Result<()> {
        let sql = include_str!("sql/incident/insert_recovery.sql");
        let parameters = named_params! {
            ":at": event.at, ":coordinator_job": event.coordinator_job, ":action_number": event.action_number,
            ":workflow_job": event.workflow_job, ":bundle_job": event.bundle_job,
        };
        self.run(|connection| connection.prepare_cached(sql)?.execute(parameters)).map(drop)
    }

    /// Sets what has followed from an incident so far.
    pub fn set_incident_state(&self, incident: IncidentKey, state: IncidentState) -> Result<()> {
        let sql = "UPDATE incident SET state = ?2 WHERE incident = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![incident, state])).map(drop)
    }

    /// Removes an incident.
    pub fn delete_incident(&self, incident: IncidentKey) -> Result<()> {
        let sql = "DELETE FROM incident WHERE incident = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![incident])).map(drop)
    }

    /// Stores the latest alert of its kind.
    pub fn set_sent_alert(&self, alert: &SentAlert) -> Result<()> {
        let sql = include_str!("sql/incident/set_alert.sql");
        self.run(|connection| execute_row(connection, sql, alert, &[])).map(drop)
    }

    /// Forgets the alerts about a job, to all hooks.
    pub fn forget_alerts(&self, subject: Subject) -> Result<()> {
        let sql = "DELETE FROM alert
            WHERE coalesce(coordinator_job, 0) = coalesce(?1, 0) AND coalesce(workflow_job, 0) = coalesce(?2, 0)
                AND coalesce(bundle_job, 0) = coalesce(?3, 0)";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![subject.0, subject.1, subject.2]))
            .map(drop)
    }

    /// Sets how many actions of a coordinator failed in a row.
    pub fn set_failures_in_a_row(&self, job: CoordinatorKey, failures: u32) -> Result<()> {
        let sql = "INSERT INTO coordinator_trouble (job, failures) VALUES (?1, ?2)
            ON CONFLICT (job) DO UPDATE SET failures = excluded.failures";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![job, failures])).map(drop)
    }

    /// Sets the action of a coordinator that was last found to be late.
    pub fn set_overdue_number(&self, job: CoordinatorKey, number: u32) -> Result<()> {
        let sql = "INSERT INTO coordinator_trouble (job, overdue_number) VALUES (?1, ?2)
            ON CONFLICT (job) DO UPDATE SET overdue_number = excluded.overdue_number";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![job, number])).map(drop)
    }

    /// Stores the reruns of an action.
    pub fn set_policy_rerun(&self, rerun: &PolicyRerun) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO policy_rerun (job, number, reruns, rerun_at)
            VALUES (:job, :number, :reruns, :rerun_at)";
        self.run(|connection| execute_row(connection, sql, rerun, &[])).map(drop)
    }

    /// Forgets the reruns of an action, unless another process has changed them since they were read.
    pub fn forget_planned_rerun(&self, plan: &PolicyRerun) -> Result<()> {
        let sql = "DELETE FROM policy_rerun WHERE job = ?1 AND number = ?2 AND reruns = ?3 AND rerun_at IS ?4";
        let parameters = params![plan.job, plan.number, plan.reruns, plan.rerun_at];
        self.run(|connection| connection.prepare_cached(sql)?.execute(parameters)).map(drop)
    }

    /// Forgets the reruns of an action.
    pub fn forget_policy_rerun(&self, action: ActionKey) -> Result<()> {
        let sql = "DELETE FROM policy_rerun WHERE job = ?1 AND number = ?2";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![action.job, action.number])).map(drop)
    }

    /// Forgets the reruns of all actions of a group.
    pub fn forget_policy_reruns(&self, group: &ActionGroup) -> Result<()> {
        let sql = "DELETE FROM policy_rerun WHERE job = ?1 AND number BETWEEN ?2 AND ?3";
        let parameters = params![group.job, group.number, group.last_number];
        self.run(|connection| connection.prepare_cached(sql)?.execute(parameters)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, coordinator, fresh, workflow};
    use super::*;
    use howdah_words::model::alert::AlertEvent;
    use howdah_words::model::origin::Origin;

    #[test]
    fn a_job_recovers_only_from_something() {
        let (_folder, mut store) = fresh();
        let found = store.transact(|transaction| {
            let (job, other) = (coordinator(transaction)?.job, workflow(transaction)?.job);
            let of_job = Event { coordinator_job: Some(job), ..Event::new(NOW, "SUCCEEDED", Origin::Runner) };
            let of_other = Event { workflow_job: Some(other), ..Event::new(NOW, "SUCCEEDED", Origin::Runner) };
            let mut found = Vec::new();
            let mut check = || {
                transaction.insert_recovery(&of_job)?;
                transaction.insert_recovery(&of_other)?;
                let incidents = transaction.incidents(9)?;
                let recovered = incidents.iter().filter(|incident| incident.event == AlertEvent::Recovered);
                found.push(recovered.map(|incident| incident.workflow_job.is_some()).collect::<Vec<_>>());
                incidents.iter().try_for_each(|incident| transaction.delete_incident(incident.incident))
            };
            check()?;
            transaction
                .insert_incident(&Incident { coordinator_job: Some(job), ..Incident::new(NOW, AlertEvent::Failed) })?;
            check()?;
            transaction.set_failures_in_a_row(job, 1)?;
            check()?;
            let alert = SentAlert {
                hook: "h".to_owned(),
                event: AlertEvent::Killed,
                coordinator_job: None,
                workflow_job: Some(other),
                bundle_job: None,
                sent_at: NOW,
                counted: 0,
            };
            transaction.set_sent_alert(&alert)?;
            check()?;
            Ok(found)
        });
        assert_eq!(found.unwrap(), [vec![], vec![false], vec![false], vec![false, true]]);
    }

    #[test]
    fn the_latest_alert_of_a_kind_replaces_the_one_before() {
        let (_folder, mut store) = fresh();
        store
            .transact(|transaction| {
                let job = coordinator(transaction)?.job;
                let alert = |hook: &str, coordinator_job, counted| SentAlert {
                    hook: hook.to_owned(),
                    event: AlertEvent::Failed,
                    coordinator_job,
                    workflow_job: None,
                    bundle_job: None,
                    sent_at: NOW,
                    counted,
                };
                for counted in [0, 1] {
                    transaction.set_sent_alert(&alert("", Some(job), counted))?;
                    transaction.set_sent_alert(&alert("a", Some(job), 0))?;
                    transaction.set_sent_alert(&alert("", None, 5))?;
                }
                assert_eq!(
                    transaction.sent_alerts((Some(job), None, None))?,
                    [alert("", Some(job), 1), alert("a", Some(job), 0)]
                );
                transaction.forget_alerts((Some(job), None, None))?;
                assert_eq!(transaction.sent_alerts((Some(job), None, None))?, []);
                assert_eq!(transaction.sent_alerts((None, None, None))?, [alert("", None, 5)]);
                Ok(())
            })
            .unwrap();
    }
}

//! Stores a new version of a job, in a transaction of the caller.

use crate::apply::change;
use crate::apply::coordinator::{CommandContext, apply};
use crate::apply::invocation::Invocation;
use crate::due::due_at;
use crate::format;
use crate::lookup::unknown;
use crate::settings::Settings;
use crate::submit::coordinator::{PreparedCoordinator, insert_definition};
use crate::transition::coordinator::{change_job, is_current};
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::Timestamp;

/// A new version of a job, for the state in which the job was read.
pub(crate) struct NewVersion<'a> {
    job: &'a CoordinatorJob,
    prepared: &'a PreparedCoordinator,
    /// With the attributes that the job takes over.
    row: CoordinatorJob,
    given: Invocation,
    /// The end that the job gets before it takes the version over.
    end: Option<(NewValues, Invocation)>,
}

impl<'a> NewVersion<'a> {
    /// Takes the row that a new job would have for the attributes.
    pub(super) fn of(
        (job, prepared): (&'a CoordinatorJob, &'a PreparedCoordinator),
        row: CoordinatorJob,
        new_end: Option<Timestamp>,
        when: (Effect, Timestamp),
    ) -> Result<Self> {
        let mut given = Invocation::new(Origin::Update, when)?;
        given.detail = Some(format!("definition {}", job.definition_version + 1));
        let change = |end| -> Result<_> {
            let values = NewValues { end: Some(end), ..NewValues::default() };
            let mut given = Invocation::new(Origin::Change, when)?;
            given.detail = Some(values.text(format::notation()));
            Ok((values, given))
        };
        Ok(Self { job, prepared, row, given, end: new_end.map(change).transpose()? })
    }

    /// Sets the new end where there is one, and stores the version and the changes of the job.
    ///
    /// # Errors
    /// E1100 when a command or a tick changed the job since it was read: the version would undo that change. E1023 when
    /// the job ended meanwhile, what `change` refuses, or a failure of the database.
    pub(crate) fn store(&self, transaction: &Transaction<'_>, settings: &Settings) -> Result<()> {
        let Self { job, prepared, row: new, given, end } = self;
        check_unmoved(transaction, job)?;
        if let Some((values, given)) = end {
            let context = CommandContext { cause: given.cause(), settings };
            let outcome = apply(transaction, job, change::decide(transaction, job, values), context)?;
            outcome.refused.map_or(Ok(()), Err)?;
        }
        let mut row = transaction.coordinator_job_at(job.job)?.ok_or_else(|| unknown(&job.id))?;
        row.definition_version += 1;
        insert_definition(transaction, (row.job, row.definition_version), prepared, given.now)?;
        row.app_path.clone_from(&new.app_path);
        row.group_name.clone_from(&new.group_name);
        row.acl.clone_from(&new.acl);
        row.timeout_minutes = new.timeout_minutes;
        row.concurrency = new.concurrency;
        row.execution = new.execution;
        row.throttle = new.throttle;
        row.due_at = due_at(&row, settings.window.lookup_seconds);
        change_job(transaction, &mut row, given.cause())?;
        Ok(())
    }
}

/// Refuses a job that has changed since it was read.
fn check_unmoved(transaction: &Transaction<'_>, job: &CoordinatorJob) -> Result<()> {
    if is_current(transaction, job)? {
        return Ok(());
    }
    check_status(&transaction.coordinator_job_at(job.job)?.ok_or_else(|| unknown(&job.id))?)?;
    let error = Error::new(ErrorCode::E1100, format!("{} was changed meanwhile", job.id));
    Err(error.help("nothing was updated: run the command again to see what it would change now"))
}

/// Refuses a job that has ended.
///
/// # Errors
/// E1023.
pub(super) fn check_status(job: &CoordinatorJob) -> Result<()> {
    if job.status.is_terminal() && job.status != JobStatus::Ignored {
        return Err(Error::new(ErrorCode::E1023, "Can't update coord job. Job has finished processing")
            .help(format!("{} is {}: submit a new job, which may start where this one ended", job.id, job.status)));
    }
    Ok(())
}

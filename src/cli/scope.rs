//! The selection of actions that several verbs share: `JOB@3`, `--action`, `--date`.

use clap::Args;

use crate::cli::exit::Failure;
use crate::cli::moment::Moments;
use crate::cli::targets::Targets;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::id::{JobId, Target};

/// The selection of actions of a coordinator job.
// The comments are the help that a terminal shows, where back quotes would only be noise.
#[allow(clippy::doc_markdown)]
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ScopeArgs {
    /// Only these actions of one coordinator job: numbers and ranges such as 1,3-4
    #[arg(long, value_name = "NUMBERS", conflicts_with = "date", allow_hyphen_values = true)]
    pub(crate) action: Option<String>,
    /// Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A
    /// time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the
    /// last one, so that 2026-03-01::2026-03-01 is the whole day
    #[arg(long, value_name = "DATES", allow_hyphen_values = true)]
    pub(crate) date: Option<String>,
}

/// A job, or some actions of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobScope {
    pub(crate) job: JobId,
    /// `None`: the whole job.
    pub(crate) actions: Option<Scope>,
}

impl ScopeArgs {
    /// Returns the actions selected by `--action` or `--date`; `None` without either.
    ///
    /// # Errors
    /// E0302, E0308.
    pub(crate) fn scope(&self, moments: &Moments) -> Result<Option<Scope>> {
        match (&self.action, &self.date) {
            (Some(numbers), _) => Scope::numbers(numbers).map(Some),
            (None, Some(dates)) => Scope::dates(&moments.list_written_out(dates), moments.processing()).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns the meaning of `JOB`, `JOB@3`, or `JOB` with `--action` or `--date`.
    ///
    /// # Errors
    /// As [`Targets::target`]; E0302 and E0308 for an invalid selection of actions, H0002 when actions are selected in
    /// both ways.
    pub(crate) fn of(&self, targets: &mut Targets<'_>, job: &str, moments: &Moments) -> Result<JobScope, Failure> {
        let actions = self.scope(moments)?;
        match targets.target(job)? {
            Target::Job(job) => Ok(JobScope { job, actions }),
            Target::CoordinatorAction(id, number) if actions.is_none() => {
                Ok(JobScope { job: id, actions: Some(Scope::Numbers(ActionNumbers::one(number))) })
            }
            Target::CoordinatorAction(id, number) => {
                let both = format!("{id}@{number} and --action or --date both name actions");
                Err(Error::new(ErrorCode::H0002, both).help(format!("write {id} --action {number},...")).into())
            }
            Target::Node(id, _) => {
                Err(Error::new(ErrorCode::E0302, job).help(format!("name the whole job, {id}")).into())
            }
        }
    }

    /// Returns the same as [`Self::of`] for several jobs; with `--action` or `--date` only one is allowed.
    ///
    /// # Errors
    /// Like [`Self::of`]; H0002 for several jobs.
    pub(crate) fn of_each(
        &self,
        targets: &mut Targets<'_>,
        jobs: &[String],
        moments: &Moments,
    ) -> Result<Vec<JobScope>, Failure> {
        self.check_number(jobs)?;
        jobs.iter().map(|job| self.of(targets, job, moments)).collect()
    }

    /// Refuses several jobs with `--action` or `--date`.
    ///
    /// # Errors
    /// H0002.
    pub(crate) fn check_number(&self, jobs: &[String]) -> Result<()> {
        if jobs.len() > 1 && !self.is_empty() {
            let error = Error::new(ErrorCode::H0002, "--action and --date choose actions of one job");
            return Err(error.help("give one job at a time, or write JOB@3 for each action"));
        }
        Ok(())
    }

    /// Returns whether neither `--action` nor `--date` was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.action.is_none() && self.date.is_none()
    }
}

//! Arguments that several verbs share.

use std::path::PathBuf;

use clap::Args;

use crate::cli::exit::Failure;
use crate::cli::moment::Moments;
use crate::cli::targets::Targets;
use crate::coordinator::operation::scope::Scope;
use crate::error::{Error, ErrorCode, Result};
use crate::host::environment;
use crate::model::action_numbers::ActionNumbers;
use crate::model::effect::Effect;
use crate::model::id::{JobId, JobKind, Target};
use crate::output::form::Form;
use crate::output::table_zone::TableZone;

/// Arguments of every verb.
// The comments are the help that a terminal shows, where back quotes would only be noise.
#[allow(clippy::doc_markdown)]
#[derive(Args, Debug, Default)]
pub(crate) struct GlobalArgs {
    /// The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Settings under Oozie's names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the
    /// XDG configuration folder, if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) site: Option<PathBuf>,
    /// Where a store's files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to
    /// $HOWDAH_MOUNTS and the site's howdah.mounts
    #[arg(long = "mount", global = true, value_name = "URI-PREFIX=DIR")]
    pub(crate) mounts: Vec<String>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing about what was not done; print bare values where the verb prints values
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// The time to use as now (YYYY-MM-DDTHH:MMZ)
    #[arg(long, global = true, hide = true, value_name = "TIME")]
    pub(crate) now: Option<String>,
}

impl GlobalArgs {
    /// Returns the output form of the command.
    pub(crate) fn form(&self) -> Form {
        match (self.json, self.quiet) {
            (true, _) => Form::Json,
            (false, true) => Form::Quiet,
            (false, false) => Form::Text,
        }
    }
}

/// The properties of a job.
#[derive(Args, Clone, Debug)]
pub(crate) struct PropertyArgs {
    /// A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml
    #[arg(long, short, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A property that overrides the file; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) definitions: Vec<String>,
}

impl PropertyArgs {
    /// Returns the files and folders that the options name: the file of properties, and the applications of
    /// definitions.
    pub(crate) fn named_files(&self) -> Vec<PathBuf> {
        let application = |definition: &String| {
            let (name, value) = definition.split_once('=')?;
            let path = value.trim().strip_prefix("file://").unwrap_or(value.trim());
            (name.trim().ends_with(".application.path") && path.starts_with('/')).then(|| PathBuf::from(path))
        };
        self.config.iter().cloned().chain(self.definitions.iter().filter_map(application)).collect()
    }
}

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

/// The zone of the times in a table.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ZoneArgs {
    /// Show times in this zone, such as Europe/Vienna or GMT+05:30 [default: the processing time zone; always UTC with
    /// --json]
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Show times in the zone of this machine; overrides --timezone
    #[arg(long)]
    localtime: bool,
}

impl ZoneArgs {
    /// Returns the requested zone.
    ///
    /// # Errors
    /// H0002 for an unknown zone.
    pub(crate) fn zone(&self) -> Result<TableZone> {
        match (self.localtime, &self.timezone) {
            (true, _) => environment::local_zone().map_or_else(|| Ok(TableZone::default()), |id| TableZone::parse(&id)),
            (false, Some(id)) => TableZone::parse(id),
            (false, None) => Ok(TableZone::default()),
        }
    }
}

/// Reads a type of jobs: `coordinator` or a prefix of it, `wf` or `workflow`; letter case does not count.
///
/// # Errors
/// A sentence for a text that is not a type.
pub(crate) fn job_kind(text: &str) -> Result<JobKind, String> {
    match text.to_ascii_lowercase().as_str() {
        "wf" | "workflow" => Ok(JobKind::Workflow),
        word if word.starts_with("coord") => Ok(JobKind::Coordinator),
        "bundle" => Ok(JobKind::Bundle),
        _ => Err("it must be coordinator, wf or bundle".to_owned()),
    }
}

/// Whether a verb only shows what it would do.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct DryRunArgs {
    /// Show what would be done, but do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl DryRunArgs {
    /// Returns whether the changes of the verb are stored.
    pub(crate) fn effect(self) -> Effect {
        if self.dry_run { Effect::DryRun } else { Effect::Stored }
    }
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
    fn scope(&self, moments: &Moments) -> Result<Option<Scope>> {
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

//! Arguments that several verbs share.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

use crate::output::form::Form;
use crate::output::table_zone::TableZone;
use howdah_host::environment;
use howdah_host::user_set::UserSet;
use howdah_store::Page;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobKind;

/// The heading of the options of every verb in a help text.
pub(crate) const OF_EVERY_VERB: &str = "Options of every verb";

/// Arguments of every verb.
// The comments are the help that a terminal shows, where back quotes would only be noise.
#[allow(clippy::doc_markdown)]
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct GlobalArgs {
    /// The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]
    #[arg(long, global = true, help_heading = OF_EVERY_VERB, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Settings under Oozie's names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the
    /// XDG configuration folder, if it is there]
    #[arg(long, global = true, help_heading = OF_EVERY_VERB, value_name = "FILE")]
    pub(crate) site: Option<PathBuf>,
    /// Where a store's files are: a folder, such as hdfs://namenode:8020=/data, or a server, such as
    /// hdfs://namenode:8020=webhdfs://namenode:9870 or webhdfs://namenode:9870 alone; may be repeated and is added to
    /// $HOWDAH_MOUNTS and the site's howdah.mounts
    #[arg(long = "mount", global = true, help_heading = OF_EVERY_VERB, value_name = "URI-PREFIX=DIR")]
    pub(crate) mounts: Vec<String>,
    /// Print one JSON document instead of text; --json=oozie of jobs and info prints that of Oozie's web services
    #[arg(
        long, global = true, help_heading = OF_EVERY_VERB, value_name = "FORM", num_args = 0..=1,
        require_equals = true, default_missing_value = "howdah", hide_possible_values = true
    )]
    pub(crate) json: Option<JsonForm>,
    /// Print nothing about what was not done; print bare values where the verb prints values
    #[arg(long, short, global = true, help_heading = OF_EVERY_VERB)]
    pub(crate) quiet: bool,
    /// The time to use as now (YYYY-MM-DDTHH:MMZ)
    #[arg(long, global = true, help_heading = OF_EVERY_VERB, hide = true, value_name = "TIME")]
    pub(crate) now: Option<String>,
    /// Whether a database that does not exist is taken for one without jobs, by a command that creates none.
    #[arg(skip)]
    pub(crate) empty_for_none: bool,
    /// Of whose jobs a reader sees the secret values; `None` for those for whom this process may work.
    #[arg(skip)]
    pub(crate) reads_for: Option<UserSet>,
}

/// Which names and dates a JSON document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JsonForm {
    /// Those of howdah: dates as `2026-03-01T05:00Z`.
    Howdah,
    /// Those of Oozie's web services.
    Oozie,
}

impl GlobalArgs {
    /// Returns whether one JSON document is printed.
    pub(crate) const fn is_json(&self) -> bool {
        self.json.is_some()
    }

    /// Returns whether that document is the one of Oozie's web services.
    pub(crate) const fn is_oozie_json(&self) -> bool {
        matches!(self.json, Some(JsonForm::Oozie))
    }

    /// Returns the output form of the command.
    pub(crate) fn form(&self) -> Form {
        match (self.is_json(), self.quiet) {
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
    #[arg(long, short, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(config_file))]
    pub(crate) config: Option<PathBuf>,
    /// A property that overrides the file; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) definitions: Vec<String>,
}

/// Reads the name of a file of properties. Oozie's `-config FILE` would be read as `-c onfig`.
fn config_file(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path.as_os_str() == "onfig" { Err("Oozie's -config is -c here") } else { Ok(path) }
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

/// The part of a list that is shown.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct PageArgs {
    /// The first entry to list, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    offset: u32,
    /// How many entries to list
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    len: u32,
}

impl PageArgs {
    /// Returns the part.
    pub(crate) const fn page(self) -> Page {
        Page { offset: self.offset - 1, len: self.len }
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

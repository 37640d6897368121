//! Arguments that several verbs share.

use std::path::PathBuf;

use clap::Args;

use crate::error::{Error, ErrorCode, Result};
use crate::model::id::Target;
use crate::output::form::Form;

/// Arguments of every verb.
// The comments are the help that a terminal shows, where back quotes would only be noise.
#[allow(clippy::doc_markdown)]
#[derive(Args, Debug)]
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
    /// Say nothing about what was not done; print bare values where values are asked for
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// The time to take for now (YYYY-MM-DDTHH:MMZ)
    #[arg(long, global = true, hide = true, value_name = "TIME")]
    pub(crate) now: Option<String>,
}

impl GlobalArgs {
    /// How the command answers.
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
    /// A property that wins over the file; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) definitions: Vec<String>,
}

/// Reads a job id with an optional `@` part.
///
/// # Errors
/// E0604 for a text that is no id.
pub(crate) fn target(text: &str) -> Result<Target> {
    Target::parse(text).ok_or_else(|| {
        let help =
            "an id looks like 0000000-261120093000123-howdah-C, or ...-C@3 for an action; `howdah jobs` lists them";
        Error::new(ErrorCode::E0604, text).help(help)
    })
}

//! `oozie`: Oozie's own command line, on the database of this machine instead of a server.
//!
//! Reads the words as Oozie's client does, calls the same engine functions and queries as howdah's verbs, and prints
//! Oozie's texts. The exit status is 0 or 255. Must not decide anything about jobs.

mod admin;
mod call;
mod command_line;
mod control;
mod help;
mod job;
mod jobs;
mod logs;
mod one_action;
mod options;
mod rerun;
mod show;
mod submission;

#[cfg(feature = "serve")]
pub(crate) use call::OOZIE_VERSION;
#[cfg(feature = "serve")]
pub(crate) use control::not_empty;
#[cfg(feature = "serve")]
pub(crate) use submission::dry_run;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::oozie::call::{Call, Done, Refusal, print};
use crate::cli::oozie::command_line::CommandLine;
use crate::cli::session;
use crate::output::diagnostic;

/// Understand Oozie's own command line: `job`, `jobs`, `admin`, `validate`
///
/// Takes the options of Oozie's client in every spelling, prints its texts byte by byte and ends with its exit status,
/// 0 or 255, so that scripts need no change. A link to this program with the name `oozie` does the same. There is no
/// server: -oozie, OOZIE_URL, -auth and their relatives are accepted and have no effect. `howdah oozie help job` lists
/// the options.
// The comments are the help that a terminal shows, where back quotes would only be noise.
#[allow(clippy::doc_markdown)]
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah oozie job -config job.properties -run\n\
\x20 howdah oozie job -info 0000000-261120093000123-oozie-oozi-C -len 10 -timezone Europe/Vienna\n\
\x20 howdah oozie jobs -jobtype coordinator -filter status=RUNNING\n\
\x20 ln -s \"$(command -v howdah)\" ~/bin/oozie")]
pub(crate) struct OozieArgs {
    /// A sub-command of Oozie's command line, and its options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    words: Vec<String>,
}

/// The options that create or continue work.
const WORK: [&str; 7] = ["run", "submit", "start", "resume", "rerun", "change", "update"];

/// Runs a command of Oozie.
pub(crate) fn oozie(global: &GlobalArgs, arguments: &OozieArgs) -> Result<Status, Failure> {
    // Oozie's client prints no warnings, and scripts read both of its outputs.
    // Before the first submission, Oozie has a database without jobs.
    let silent = GlobalArgs { json: None, quiet: true, empty_for_none: true, ..global.clone() };
    let now = session::clock(&silent)?.now();
    let done = CommandLine::parse(&arguments.words).map_err(Refusal::Usage).and_then(|line| {
        perform(&Call { global: &silent, line: &line, now })?;
        Ok(WORK.iter().any(|option| line.has(option)))
    });
    Ok(match done {
        Ok(creates_work) => {
            // The one exception: the work does not run.
            if creates_work {
                session::warn_of_silence_after(global);
            }
            Status::Done
        }
        Err(refusal) => {
            diagnostic::write_stderr(&refusal.text());
            Status::OozieRefused
        }
    })
}

fn perform(call: &Call<'_>) -> Done {
    match call.line.sub_command.name {
        "job" => job::job(call),
        "jobs" => jobs::jobs(call),
        "admin" => admin::admin(call),
        "validate" => admin::validate(call),
        "info" => admin::info(call),
        "version" => print(format!("Oozie client build version: {}\n", call::OOZIE_VERSION)),
        "help" => print(help::help(call.line.arguments.first().map(String::as_str))),
        "pig" | "hive" | "sqoop" | "mapreduce" => one_action::submit(call),
        name => Err(Refusal::Client(format!("[{name}] is not available without a server: use `howdah sla list`"))),
    }
}

//! `howdah path`: where the files of URIs are on this machine; needs no database.

use clap::Args;
use serde::Serialize;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::screen::Screen;
use crate::output::{diagnostic, json};
use howdah_engine::definition_file::locate;
use howdah_host::located::Base;
use howdah_words::error::Error;

/// Print where the files of URIs are on this machine, by the mounts
///
/// Prints one path on each line, in the order of the URIs, without looking whether something is there. A plain
/// absolute path and a file: URI are paths of this machine. For a store that is not mounted there is an error in place
/// of the path, and the exit status is 1. A command of a job has the mounts of the job in its
/// environment.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah path hdfs://namenode:8020/in/2026/03\n\
\x20 ls \"$(howdah path \"$INPUT\")\"")]
pub(crate) struct PathArgs {
    /// A URI, or an absolute path
    #[arg(value_name = "URI", required = true)]
    uris: Vec<String>,
}

/// A URI and its path, for a program.
#[derive(Serialize)]
struct PathView<'a> {
    uri: &'a str,
    /// `None` for a store that is not mounted, and for what is no path.
    path: Option<String>,
    error: Option<String>,
}

/// Prints the paths.
pub(crate) fn path(global: &GlobalArgs, arguments: &PathArgs) -> Result<Status, Failure> {
    let mounts = session::mounts(global, &session::settings(global)?)?;
    let mut screen = Screen::open();
    let mut problems: Vec<Error> = Vec::new();
    let mut views = Vec::new();
    for uri in &arguments.uris {
        let located = locate(&mounts, uri, &Base::this_machine());
        let (path, error) = match &located {
            Ok(located) => (Some(located.place().into_owned()), None),
            Err(error) => (None, Some(error.to_string())),
        };
        views.push(PathView { uri, path, error });
        match located {
            Ok(located) if !global.is_json() => screen.write_bytes(format!("{}\n", located.place()))?,
            Ok(_) => {}
            Err(error) => problems.push(error),
        }
    }
    if global.is_json() {
        json::print(&mut screen, &views)?;
    }
    // What was found is printed before the problems.
    drop(screen);
    diagnostic::explain(&problems);
    Ok(if problems.is_empty() { Status::Done } else { Status::Unsuccessful })
}

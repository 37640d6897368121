//! `howdah metrics`: numbers for a program that collects them.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::screen::Screen;
use crate::output::{json, metrics as show};
use howdah_answers::query::metrics as query;
use howdah_host::files;

/// Print numbers for a monitoring program, in the text format of OpenMetrics
///
/// The last tick, its duration and the interval of ticks; jobs by status; of each live coordinator job the actions by
/// status, how late the oldest open one is, the last success and how long it took; nodes that wait for their turn;
/// stores of files that give no answer; deliveries; the size of the database and the room on its disk.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah metrics\n\
\x20 howdah metrics --output /var/lib/node_exporter/howdah.prom")]
pub(crate) struct MetricsArgs {
    /// Write to this file, which is replaced as a whole, such as one in the folder of a node exporter
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Prints or writes the numbers.
pub(crate) fn metrics(global: &GlobalArgs, arguments: &MetricsArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let mut engine = session::query_engine(global)?;
    let metrics = query::metrics(&mut engine, now)?;
    let text = if global.is_json() { json::text(&metrics) } else { show::text(&metrics) };
    match &arguments.output {
        Some(file) => files::write_atomically_for_all(file, text.as_bytes())?,
        None => Screen::open().write(text)?,
    }
    Ok(Status::Done)
}

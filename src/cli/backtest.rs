//! `howdah backtest`: recomputes the actions of an Oozie database from its export; needs no database and no clock.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::backtest as show;
use howdah_calendar::Zone;
use howdah_host::line_files::LineFiles;
use howdah_move::backtest::{self, Request};
use howdah_words::error::{Error, ErrorCode};

/// Recompute the actions that an Oozie database records, and compare
///
/// EXPORT is the zip file that Oozie's own tool writes (`oozie-setup.sh export FILE`), or a folder with the files of
/// that zip. Each action of each coordinator job is computed again from the stored definition and configuration: its
/// number and nominal time, inputs, outputs, missing dependencies, timeout, the path of its workflow, its configuration
/// where Oozie had resolved it, and the order of start where the export shows it. No database is opened, nothing is
/// looked for on any file system, and the time of day has no meaning.
///
/// A difference that howdah makes on purpose has the number of its row in COMPATIBILITY.md, such as C18. Settings of a
/// site file count: with the timeouts of the Oozie server there, they are compared too.
///
/// The exit status is 0 when all actions are equal or their differences are explained, 1 when one is not or a row
/// cannot be used, 2 when the command line is wrong.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah backtest ooziedb.zip\n\
\x20 howdah backtest ooziedb.zip --site oozie-site.xml --json\n\
\x20 howdah backtest ooziedb/ --zone America/Los_Angeles")]
pub(crate) struct BacktestArgs {
    /// The export: a zip file, or a folder with its files
    #[arg(value_name = "EXPORT")]
    export: PathBuf,
    /// The zone of the machine that wrote the export, whose dates have none [default: found from the rows]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
}

/// Compares the actions of an export.
pub(crate) fn backtest(global: &GlobalArgs, arguments: &BacktestArgs) -> Result<Status, Failure> {
    let settings = session::settings(global)?;
    let zone = arguments.zone.as_deref().map(|id| {
        Zone::parse(id).map_err(|error| Error::new(ErrorCode::H0002, format!("--zone: {error}")).help(error.help()))
    });
    let zone = zone.transpose()?;
    let mut files = LineFiles::open(&arguments.export)?;
    let request = Request { settings: &settings.submit, zone: zone.as_ref() };
    let report = backtest::backtest(&mut files, request)?;
    show::print(&report, global.form())?;
    Ok(if report.is_good() { Status::Done } else { Status::Unsuccessful })
}

//! `howdah validate`: judges definitions without a job and without a database.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::engine::validate::{self, Target, Verdict};
use crate::host::files;
use crate::output::validation::Validation;

/// Check coordinators, workflows, bundles, dataset files and configurations
///
/// Every problem of every file is reported at once: the schema, the expressions, the graph of a workflow. In a folder
/// the files are known by their root element, and other XML is passed over; a file that is named is always checked.
/// Files of job properties are checked when they are named. The exit status is 1 when a file is invalid.
#[derive(Args, Debug)]
pub(crate) struct ValidateArgs {
    /// Files and folders; - is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// Judges what the arguments name.
pub(crate) fn validate(global: &GlobalArgs, arguments: &ValidateArgs) -> Result<Status, Failure> {
    let settings = session::settings(global)?;
    let targets = arguments.paths.iter().map(|path| target(path)).collect::<Result<Vec<_>, _>>()?;
    let mut validation = Validation::begin(global.form())?;
    validate::validate(targets, &settings, &mut |verdict: Verdict| validation.show(&verdict))?;
    Ok(if validation.end()? { Status::Done } else { Status::Unsuccessful })
}

fn target(path: &Path) -> Result<Target, Failure> {
    if path == Path::new("-") {
        return Ok(Target::Bytes("<stdin>".to_owned(), files::read_standard_input(validate::LARGEST_INPUT)?));
    }
    Ok(Target::Path(path.to_owned()))
}

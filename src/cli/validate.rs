//! `howdah validate`: checks definitions without a database.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::validation::{Format, Validation};
use howdah_answers::check::validate::{self, Job, Policy, Quotable, Request, Target, Verdict};
use howdah_host::{environment, files};
use howdah_words::error::{Error, ErrorCode};

/// Check coordinators, workflows, bundles, dataset files and configurations
///
/// All problems of every file are reported at once: the schema, the expressions, the graph of a workflow. For a file
/// with very many, 50 or 100 of one kind, only the first are reported, and the last of these mentions it. In a folder
/// the files are recognized by their root element, or by the names under which Oozie looks for them; other XML is
/// skipped, and links to folders are not followed. A file that is named is always checked. Files of job properties are
/// checked when they are named. --deny warnings does not affect notes.
///
/// With -c or -D, definitions are checked as they would be submitted with these properties: undefined variables are
/// errors, default files and included dataset files are read, and the workflow of a coordinator and the coordinators of
/// a bundle are checked too if they can be found. Without them, any variable may be defined, and nothing that depends
/// on one is checked.
///
/// --deny turns warnings and notes into errors, --allow hides them. A code counts more than `warnings`; a code that is
/// both allowed and denied is denied. The order of the options has no meaning.
///
/// The exit status is 0 when every file is valid, 1 when one is not, 2 when the command line is wrong.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah validate apps --deny warnings --allow W0105\n\
\x20 howdah validate -c job.properties\n\
\x20 howdah validate -c job.properties coordinator.xml --mount hdfs://namenode:8020=/data\n\
\x20 howdah validate apps --format sarif > howdah.sarif")]
pub(crate) struct ValidateArgs {
    /// Files and folders; - is standard input [default: the application that the properties name]
    #[arg(required_unless_present_any = ["config", "definitions"], value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    properties: PropertyArgs,
    /// The form of the report [default: human]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,
    /// Hide the warnings and notes with this code; may be repeated
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    allow: Vec<String>,
    /// Treat the warnings and notes with this code as errors, or all warnings; may be repeated
    #[arg(long, value_name = "CODE|warnings", value_delimiter = ',')]
    deny: Vec<String>,
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    let named = |name: String| Format::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, format)| format);
    PossibleValuesParser::new(Format::ALL.map(|(name, _)| name))
        .map(move |name| named(name).expect("the parser lets only these names pass"))
}

/// Checks the files in the arguments.
pub(crate) fn validate(global: &GlobalArgs, arguments: &ValidateArgs) -> Result<Status, Failure> {
    let format = format(global, arguments)?;
    let policy = Policy::parse(words(&arguments.allow), words(&arguments.deny))?;
    let now = session::clock(global)?.now();
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    session::warn_of_site(global, &settings, &mounts);
    let (job, targets) = match job(&arguments.properties)? {
        Ok(job) => (job, targets(arguments)?),
        Err(unusable) => (None, vec![unusable]),
    };
    let quotable = Quotable::named(arguments.properties.named_files().iter().chain(&arguments.paths));
    let request =
        Request { mounts: &mounts, settings: &settings, now, job: job.as_ref(), policy: &policy, quotable: &quotable };
    let mut validation = Validation::begin(format, global.form(), environment::current_folder())?;
    validate::validate(request, targets, &mut |verdict: Verdict| validation.show(&verdict))?;
    Ok(if validation.end()? { Status::Done } else { Status::Unsuccessful })
}

fn words(list: &[String]) -> impl Iterator<Item = &str> {
    list.iter().map(|word| word.trim())
}

fn format(global: &GlobalArgs, arguments: &ValidateArgs) -> Result<Format, Failure> {
    match (global.is_json(), arguments.format) {
        (true, None | Some(Format::Json)) => Ok(Format::Json),
        (true, Some(_)) => {
            let error = Error::new(ErrorCode::H0002, "--json and another --format contradict each other");
            Err(error.help("--json means --format json; give one of them").into())
        }
        (false, format) => Ok(format.unwrap_or(Format::Human)),
    }
}

/// Returns the job of `-c` and `-D`, if they are given, or a file of properties that cannot be used.
fn job(arguments: &PropertyArgs) -> Result<Result<Option<Job>, Target>, Failure> {
    if arguments.config.is_none() && arguments.definitions.is_empty() {
        return Ok(Ok(None));
    }
    let name = arguments.config.as_ref().map_or("-D".to_owned(), |file| file.display().to_string());
    match session::job_properties(arguments.config.as_deref(), &arguments.definitions) {
        Ok(properties) => Ok(Ok(Some(Job { name, properties }))),
        Err(failure) if failure.status() == Status::Usage => Err(failure),
        Err(failure) => Ok(Err(Target::Unusable(name, failure.errors))),
    }
}

fn targets(arguments: &ValidateArgs) -> Result<Vec<Target>, Failure> {
    if arguments.paths.is_empty() {
        return Ok(vec![Target::NamedApplication]);
    }
    arguments.paths.iter().map(|path| target(path)).collect()
}

fn target(path: &Path) -> Result<Target, Failure> {
    if path == Path::new("-") {
        return Ok(Target::Bytes("<stdin>".to_owned(), files::read_standard_input(validate::LARGEST_INPUT)?));
    }
    Ok(Target::Path(path.to_owned()))
}

//! `howdah eval`: the value of an expression; needs no database.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::eval as show;
use howdah_answers::check::evaluate::{self, ActionChoice, Phase, Question, Setup};
use howdah_host::files;
use howdah_words::error::{Error, ErrorCode, Result};

/// Print the value of an expression and its type
///
/// A text without any '${' is one expression; with it, it is a template as in definitions. The allowed functions of an
/// expression depend on its place in a definition: name the phase, or a coordinator file and an action, so that dataIn,
/// nominalTime and the others are those of that action. With --quiet only the value is printed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah eval '10 / 4'\n\
\x20 howdah eval '${coord:days(2)}' --phase frequency\n\
\x20 howdah eval 'coord:dateOffset(\"2026-03-08T00:00Z\", -1, \"DAY\")'\n\
\x20 howdah eval 'coord:dataIn(\"input\")' -c job.properties --coordinator coordinator.xml --action 3\n\
\x20 howdah eval 'coord:current(-1)' --phase create -c job.properties --coordinator coordinator.xml --action 3")]
pub(crate) struct EvalArgs {
    /// The expression, or a template with '${...}'
    #[arg(value_name = "EXPR", allow_negative_numbers = true)]
    expression: String,
    /// The phase of evaluation [default: start with --coordinator, else only what needs no context]
    #[arg(long, value_name = "PHASE", value_parser = phases())]
    phase: Option<Phase>,
    /// A coordinator definition, or its folder
    #[arg(long, value_name = "FILE", requires = "action")]
    coordinator: Option<PathBuf>,
    /// The number of an action of the coordinator
    #[arg(
        long,
        value_name = "N",
        requires = "coordinator",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000),
    )]
    action: Option<u32>,
    /// The data-in or data-out whose dataset is used in create and create-range [default: the first]
    #[arg(long, value_name = "NAME", requires = "coordinator")]
    event: Option<String>,
    #[command(flatten)]
    properties: PropertyArgs,
}

/// Returns the names of the phases.
fn phases() -> impl TypedValueParser<Value = Phase> {
    let names = Phase::ALL.iter().map(|phase| PossibleValue::new(phase.as_str()).help(phase.about()));
    PossibleValuesParser::new(names).map(|word| Phase::from_word(&word).expect("only these names are possible"))
}

/// Prints the value.
pub(crate) fn eval(global: &GlobalArgs, arguments: &EvalArgs) -> Result<Status, Failure> {
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    let now = session::clock(global)?.now();
    let PropertyArgs { config, definitions } = &arguments.properties;
    let properties = session::job_properties(config.as_deref(), definitions)?;
    let file = arguments.coordinator.as_deref().map(absolute).transpose()?;
    let which = arguments.action.map(|number| ActionChoice { number, event: arguments.event.as_deref() });
    let question = Question {
        expression: &arguments.expression,
        phase: arguments.phase,
        properties: &properties,
        coordinator: file.as_deref().zip(which),
    };
    let evaluation = evaluate::evaluate(&question, Setup { settings: &settings, mounts: &mounts, now })?;
    show::print(&evaluation, global.form())?;
    Ok(Status::Done)
}

/// Returns a path in the form of a job's applications; URIs do not change.
fn absolute(path: &Path) -> Result<String> {
    if path.to_string_lossy().contains("://") {
        return Ok(path.to_string_lossy().into_owned());
    }
    match files::absolute(path) {
        Ok(path) => Ok(path.to_string_lossy().into_owned()),
        Err(error) => Err(Error::with(ErrorCode::H0110, &[&path.display(), &error])),
    }
}

//! The questions before something that cannot be taken back: whether the outputs of actions may be deleted, whether
//! many actions run, whether deleted outputs may be given up, whether commands on another machine are left alone.

use crate::cli::args::GlobalArgs;
use crate::output::form::Form;
use crate::output::repair::number_of;
use crate::output::text;
use howdah_engine::verbs::rerun::Output;
use howdah_host::terminal;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;

/// Asks whether outputs that were listed may be deleted, unless nothing is stored or the answer was given.
///
/// # Errors
/// Like [`confirm`].
pub(crate) fn ask_for_outputs(
    global: &GlobalArgs,
    outputs: &[Output],
    (effect, yes): (Effect, bool),
) -> Result<(), Error> {
    if effect == Effect::Stored && !yes { confirm(outputs, global.form()) } else { Ok(()) }
}

/// Asks whether a plan may be carried out: whether its outputs may be deleted or, without any, whether more than one
/// action runs.
///
/// # Errors
/// Like [`confirm`].
pub(crate) fn ask_for_plan(
    global: &GlobalArgs,
    (actions, outputs): (usize, &[Output]),
    (effect, yes): (Effect, bool),
) -> Result<(), Error> {
    ask_for_outputs(global, outputs, (effect, yes))?;
    let was_asked = outputs.iter().any(|output| output.deleted_kind().is_some());
    if effect == Effect::DryRun || yes || was_asked || actions < 2 {
        return Ok(());
    }
    if global.form() == Form::Json {
        let why = format!("{actions} actions would run, and --json does not ask");
        return Err(Error::new(ErrorCode::H0124, why).help("list them with --dry-run --json, then give --yes"));
    }
    if terminal::is_attended() && text::ask(&format!("Run {actions} actions?")) {
        return if terminal::says_yes() { Ok(()) } else { Err(Error::new(ErrorCode::H0124, "the answer was no")) };
    }
    let why = format!("{actions} actions would run, and there is no terminal to ask");
    Err(Error::new(ErrorCode::H0124, why).help("--yes runs them without asking"))
}

/// Asks whether the outputs may be deleted; does not ask when there are none.
///
/// # Errors
/// H0124 when the answer is no, or there is no terminal; also with JSON output, where it never asks.
fn confirm(outputs: &[Output], form: Form) -> Result<(), Error> {
    let doomed = outputs.iter().filter(|output| output.deleted_kind().is_some()).count();
    let outputs = number_of(doomed, "output");
    if doomed == 0 {
        return Ok(());
    }
    let what = format!("{outputs} would be deleted");
    let keep = "--nocleanup keeps the outputs";
    ask(&format!("Delete {outputs} and rerun?"), (&what, "--yes deletes without asking", keep), (BY_DRY_RUN, form))
}

/// Asks whether the rest of an interrupted rerun may be forgotten, although it has deleted outputs.
///
/// # Errors
/// As [`ask_for_outputs`].
pub(crate) fn confirm_loss(outputs: u32, form: Form) -> Result<(), Error> {
    let what = format!("{} of an interrupted rerun stay deleted", number_of(outputs as usize, "output"));
    let go_on = "`howdah rerun --continue` does the rest";
    ask("Forget the rest of the rerun?", (&what, "--yes forgets it without asking", go_on), (BY_DRY_RUN, form))
}

/// Asks whether the database is used here although commands may still run where it was used before.
///
/// # Errors
/// As [`ask_for_outputs`].
pub(crate) fn confirm_elsewhere(commands: usize, form: Form) -> Result<(), Error> {
    let what = format!("{} may still run elsewhere", number_of(commands, "command"));
    let first = "end them there first";
    ask("Use the database here?", (&what, "--yes does not ask", first), ("without --json they are listed", form))
}

/// How to see what a rerun would do, where it does not ask.
const BY_DRY_RUN: &str = "list them with --dry-run --json";

/// Asks a question; the texts say what would be done, how to answer in advance, what to do instead, and how to see it.
fn ask(question: &str, (what, yes, instead): (&str, &str, &str), (listed, form): (&str, Form)) -> Result<(), Error> {
    if form == Form::Json {
        let why = format!("{what}, and --json does not ask");
        let help = format!("{listed}, then give --yes; {instead}");
        return Err(Error::new(ErrorCode::H0124, why).help(help));
    }
    if terminal::is_attended() && text::ask(question) {
        return if terminal::says_yes() { Ok(()) } else { Err(Error::new(ErrorCode::H0124, "the answer was no")) };
    }
    let why = format!("{what}, and there is no terminal to ask");
    Err(Error::new(ErrorCode::H0124, why).help(format!("{yes}, {instead}")))
}

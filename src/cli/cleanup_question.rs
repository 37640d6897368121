//! The question before a rerun: whether the outputs of its actions may be deleted, and whether many actions run.

use crate::cli::args::GlobalArgs;
use crate::engine::verbs::rerun::Output;
use crate::error::{Error, ErrorCode};
use crate::host::terminal;
use crate::model::effect::Effect;
use crate::output::form::Form;
use crate::output::text;

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
    let outputs = if doomed == 1 { "1 output".to_owned() } else { format!("{doomed} outputs") };
    if doomed == 0 {
        return Ok(());
    }
    if form == Form::Json {
        let why = format!("{outputs} would be deleted, and --json does not ask");
        let help = "list them with --dry-run --json, then give --yes; --nocleanup keeps the outputs";
        return Err(Error::new(ErrorCode::H0124, why).help(help));
    }
    if terminal::is_attended() && text::ask(&format!("Delete {outputs} and rerun?")) {
        return if terminal::says_yes() { Ok(()) } else { Err(Error::new(ErrorCode::H0124, "the answer was no")) };
    }
    let why = format!("{outputs} would be deleted, and there is no terminal to ask");
    Err(Error::new(ErrorCode::H0124, why).help("--yes deletes without asking, --nocleanup keeps the outputs"))
}

//! The value of an expression with its type.

use serde_json::json;

use crate::output::form::Form;
use crate::output::json;
use crate::output::screen::Screen;
use crate::output::text::block;
use howdah_answers::check::evaluate::{Evaluation, Phase};
use howdah_words::error::Result;

/// Prints the value.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print(evaluation: &Evaluation, form: Form) -> Result<()> {
    let mut screen = Screen::open();
    let Evaluation { text, value, type_name, phase, notes } = evaluation;
    let phase = phase.map(Phase::as_str);
    match form {
        Form::Json => {
            let document = json!({ "value": value, "text": text, "type": type_name, "phase": phase, "notes": notes });
            json::print(&mut screen, &document)
        }
        // A program gets the value itself.
        Form::Quiet if screen.layout().width.is_none() => screen.write_bytes(format!("{text}\n")),
        Form::Quiet => screen.write(format!("{text}\n")),
        Form::Text => {
            let value = if text.is_empty() { "(nothing)".to_owned() } else { text.clone() };
            let mut lines = vec![("Value", Some(value)), ("Type", Some((*type_name).to_owned()))];
            lines.push(("Phase", phase.map(str::to_owned)));
            lines.extend(notes.iter().map(|note| ("Note", Some(note.clone()))));
            screen.write(block(&lines))
        }
    }
}

//! `howdah db here`: the database is used here from now on.

use serde_json::{Value, json};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::question;
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::visible::visible;
use crate::output::{json, text};
use howdah_engine::format::time;
use howdah_engine::verbs::here::{self, LeftBehind};
use howdah_engine::{Engine, copy_check};

/// Lists what may still run elsewhere and asks, then records the place of the database.
pub(super) fn here(global: &GlobalArgs, engine: &mut Engine, yes: bool) -> Result<Status, Failure> {
    let left = here::left_behind(engine)?;
    if !left.is_empty() && global.form() != Form::Json {
        text::line(
            "Commands that may still run where the database was used before; here they count as lost, and a node",
        )?;
        text::line("with retry-max starts again:")?;
        for command in &left {
            text::line(&format!("  {}", in_words(command)))?;
        }
    }
    if !left.is_empty() && !yes {
        question::confirm_elsewhere(left.len(), global.form())?;
    }
    copy_check::accept(engine)?;
    let path = engine.store.path();
    if global.is_json() {
        let left: Vec<Value> = left.iter().map(to_json).collect();
        json::print(&mut Screen::open(), &json!({"database": path, "mayRunElsewhere": left}))?;
    } else if !global.quiet {
        text::line(&format!("{} is the database from now on", path.display()))?;
    }
    Ok(Status::Done)
}

fn in_words(command: &LeftBehind) -> String {
    let process = command.pid.map_or_else(|| "not known to have begun".to_owned(), |pid| format!("process {pid}"));
    format!("{}  attempt {}, since {}, {process}", visible(&command.id), command.attempt, time(command.since))
}

fn to_json(command: &LeftBehind) -> Value {
    json!({"id": command.id, "attempt": command.attempt, "startTime": time(command.since), "pid": command.pid})
}

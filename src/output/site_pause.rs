//! What `pause --all` and `resume --all` did.

use serde_json::json;

use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{json, text};
use howdah_engine::format::time;
use howdah_engine::verbs::pause_all::PauseOutcome;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::row::SitePause;

/// Shows what the verb did, or with a dry run would do.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn show(outcome: &PauseOutcome, effect: Effect, form: Form) -> Result<()> {
    let PauseOutcome { pause, before } = outcome;
    match form {
        Form::Json => json::print(
            &mut Screen::open(),
            &json!({
                "dryRun": effect == Effect::DryRun,
                "changed": pause.is_some() != before.is_some(),
                "paused": pause.is_some(),
                "pauseTime": pause.as_ref().map(|pause| time(pause.at)),
                "user": pause.as_ref().map(|pause| &pause.actor),
            }),
        ),
        Form::Quiet if effect == Effect::Stored => Ok(()),
        Form::Quiet | Form::Text => text::line(&sentence(outcome, effect)),
    }
}

fn sentence(PauseOutcome { pause, before }: &PauseOutcome, effect: Effect) -> String {
    let would = if effect == Effect::DryRun { "Dry run: this would be done, and nothing is. " } else { "" };
    match (before, pause) {
        (Some(SitePause { at, actor }), Some(_)) => {
            format!("All jobs are paused since {} by {actor}: there was nothing to change.", time(*at))
        }
        (None, Some(_)) => format!(
            "{would}All jobs are paused: nothing new starts before `howdah resume --all`. What runs continues to its \
             end."
        ),
        (Some(SitePause { at, actor }), None) => {
            format!("{would}All jobs continue; they were paused since {} by {actor}.", time(*at))
        }
        (None, None) => "The jobs are not paused as a whole: there was nothing to change.".to_owned(),
    }
}

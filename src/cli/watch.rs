//! `--watch`: shows an answer again and again. A terminal is redrawn; elsewhere each change is one line.

use std::time::Duration;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::moment::read_duration;
use crate::cli::session;
use crate::output::changes::{Changes, Shown, Wanted};
use crate::output::screen::Screen;
use howdah_engine::Engine;
use howdah_engine::format::{in_words, time_with_seconds};
use howdah_host::clock;
use howdah_words::error::Result;
use howdah_words::model::time::Timestamp;

/// Whether an answer is shown once or again and again.
// The comments are the help that a terminal shows, where back quotes would only be noise.
#[allow(clippy::doc_markdown)]
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct WatchArgs {
    /// Show it again every 2 seconds, or as often as --watch=10s says, until Ctrl-C. A terminal is redrawn; a file or a
    /// pipe gets one line for each change
    #[arg(
        long, value_name = "DURATION", num_args = 0..=1, require_equals = true, default_missing_value = "2s",
        conflicts_with = "json"
    )]
    watch: Option<String>,
}

impl WatchArgs {
    /// Returns whether the answer is shown again and again.
    pub(crate) const fn is_on(&self) -> bool {
        self.watch.is_some()
    }

    /// Shows an answer once, or until it can change no more.
    ///
    /// # Errors
    /// The error of `answer`; H0002 for an interval that is no duration; H0111 when standard output cannot be written.
    pub(crate) fn show(
        &self,
        global: &GlobalArgs,
        mut answer: impl FnMut(&mut Engine, Timestamp, Wanted) -> Result<Shown>,
    ) -> Result<Status, Failure> {
        let clock = session::clock(global)?;
        let Some(interval) = &self.watch else {
            let mut engine = session::query_engine(global)?;
            let mut screen = Screen::open();
            let wanted = Wanted::Text(screen.layout());
            screen.write(answer(&mut engine, clock.now(), wanted)?.text)?;
            return Ok(Status::Done);
        };
        let seconds = read_duration("--watch", interval)?.max(1);
        // It stays open for long, and other processes must be able to write to the database.
        let mut engine = session::watching_engine(global)?;
        let mut changes = Changes::default();
        loop {
            let now = clock.now();
            // The size of the terminal may have changed.
            let mut screen = Screen::open();
            let layout = screen.layout();
            let is_terminal = layout.width.is_some();
            let shown = answer(&mut engine, now, if is_terminal { Wanted::Text(layout) } else { Wanted::States })?;
            if is_terminal {
                let head = format!("{}, every {}; Ctrl-C ends it", time_with_seconds(now), in_words(seconds));
                screen.redraw(&head, &shown.text)?;
            } else {
                screen.write(changes.lines(&shown.states, now))?;
            }
            if shown.is_over || screen.is_closed() {
                return Ok(Status::Done);
            }
            drop(screen);
            clock::pause(Duration::from_secs(seconds.unsigned_abs()));
        }
    }
}

//! What a foreground run and a daemon report while they work. Must not depend on how a report is shown.

use crate::Engine;
use howdah_words::error::{Error, Result};

/// The watcher of a foreground run or a daemon.
pub trait Watcher {
    /// Something may have changed.
    fn changed(&mut self, engine: &Engine) -> Result<()>;
    /// A job or action had a fault, which is recorded.
    fn fault(&mut self, subject: &str, error: &Error);
    /// This process advances workflow jobs from now on, or, as it seems, this other one does.
    fn runner(&mut self, _: Advancer) {}
    /// A tick starts.
    fn tick_starts(&mut self, _: &Engine) {}
    /// A tick ended; `None`: another process ticks.
    fn tick_ended(&mut self, _is_well: Option<bool>) {}
}

/// Which process advances the workflow jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advancer {
    /// This one.
    Own,
    /// Another one; its number, when it is known.
    Other(Option<i32>),
}

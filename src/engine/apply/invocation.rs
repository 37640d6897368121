//! A command as an operator gave it: its name, its user, and whether it is a dry run.

use crate::engine::transition::cause::{Cause, Request};
use crate::error::Result;
use crate::host::environment;
use crate::model::effect::Effect;
use crate::model::origin::Origin;
use crate::model::time::Timestamp;

/// A command as an operator gave it.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    /// The command as the user types it; the origin of its events.
    pub(crate) verb: Origin,
    /// The user who gave it.
    actor: String,
    /// The given values, for its events.
    pub(crate) detail: Option<String>,
    /// Whether it sets or removes the pause time of its job.
    pub(crate) sets_pause: bool,
    /// Whether it is stored or a dry run.
    pub(crate) effect: Effect,
    pub(crate) now: Timestamp,
}

impl Invocation {
    /// Creates a command of the user of this process.
    ///
    /// # Errors
    /// H0110, H0113 when the user table cannot be read: the events must name the user.
    pub(crate) fn new(verb: Origin, (effect, now): (Effect, Timestamp)) -> Result<Self> {
        Ok(Self { verb, actor: environment::user_name()?, detail: None, sets_pause: false, effect, now })
    }

    /// Returns the cause of the changes of this command.
    pub(crate) fn cause(&self) -> Cause<'_> {
        self.cause_with(self.detail.as_deref())
    }

    /// Returns the cause of the changes of this command, with other values.
    pub(crate) fn cause_with<'a>(&'a self, detail: Option<&'a str>) -> Cause<'a> {
        let request = Request { actor: &self.actor, detail, sets_pause: self.sets_pause };
        Cause::new(self.now, self.verb).asked(request)
    }
}

//! A verb as an operator gave it: its name, who gave it, and whether it is only tried.

use crate::engine::transition::cause::{Cause, Request};
use crate::error::Result;
use crate::host::environment;
use crate::model::effect::Effect;
use crate::model::origin::Origin;
use crate::model::time::Timestamp;

/// A verb as an operator gave it.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The verb as the user types it; the origin of its events.
    pub(crate) verb: Origin,
    /// The user who gave it.
    actor: String,
    /// With which values, for its events.
    pub(crate) detail: Option<String>,
    /// Whether it sets the pause time of its job, or takes it away.
    pub(crate) sets_pause: bool,
    /// Whether it is only tried.
    pub(crate) effect: Effect,
    pub(crate) now: Timestamp,
}

impl Given {
    /// A verb given by the user of this process.
    ///
    /// # Errors
    /// H0110, H0113 when the user table cannot be read: the events must tell who it was.
    pub(crate) fn new(verb: Origin, (effect, now): (Effect, Timestamp)) -> Result<Self> {
        Ok(Self { verb, actor: environment::user_name()?, detail: None, sets_pause: false, effect, now })
    }

    /// The cause of what the verb changes.
    pub(crate) fn cause(&self) -> Cause<'_> {
        self.cause_with(self.detail.as_deref())
    }

    /// The cause of what the verb changes, with other values.
    pub(crate) fn cause_with<'a>(&'a self, detail: Option<&'a str>) -> Cause<'a> {
        let request = Request { actor: &self.actor, detail, sets_pause: self.sets_pause };
        Cause::new(self.now, self.verb).asked(request)
    }
}

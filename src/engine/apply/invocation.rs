//! A verb as an operator gave it: its name, who gave it, and whether it is only tried.

use crate::engine::transition::cause::Cause;
use crate::engine::transition::reason;
use crate::error::Result;
use crate::host::environment;
use crate::model::time::Timestamp;

pub(crate) use crate::store::Effect;

/// A verb as an operator gave it.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The verb as the user types it; the origin of its events.
    pub(crate) verb: &'static str,
    /// What the events tell: the verb and who gave it.
    pub(crate) reason: String,
    /// Whether it is only tried.
    pub(crate) effect: Effect,
    pub(crate) now: Timestamp,
}

impl Given {
    /// A verb given by the user of this process.
    ///
    /// # Errors
    /// H0110, H0113 when the user table cannot be read: the events must tell who it was.
    pub(crate) fn new(verb: &'static str, (effect, now): (Effect, Timestamp)) -> Result<Self> {
        Ok(Self { verb, reason: reason::given(verb, &environment::user_name()?), effect, now })
    }

    /// The cause of what the verb changes.
    pub(crate) fn cause(&self) -> Cause<'_> {
        Cause::new(self.now, self.verb).because(&self.reason)
    }
}

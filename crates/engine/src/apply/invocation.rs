//! A command as an operator gave it: its name, its user, and whether it is a dry run.

use crate::transition::cause::{Cause, Request};
use howdah_host::environment;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::origin::Origin;
use howdah_words::model::time::Timestamp;

/// A command as an operator gave it.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The command as the user types it; the origin of its events.
    pub verb: Origin,
    /// The user who gave it, or the reason of the failure policy.
    given_by: GivenBy,
    /// The given values, for its events.
    pub detail: Option<String>,
    /// Whether it sets or removes the pause time of its job.
    pub sets_pause: bool,
    /// Whether it is stored or a dry run.
    pub effect: Effect,
    pub now: Timestamp,
}

/// Who gave a command.
#[derive(Clone, Debug)]
enum GivenBy {
    User(String),
    /// With its reason.
    Policy(String),
}

impl Invocation {
    /// Creates a command of the user of this process.
    ///
    /// # Errors
    /// H0110, H0113 when the user table cannot be read: the events must name the user.
    pub fn new(verb: Origin, (effect, now): (Effect, Timestamp)) -> Result<Self> {
        Ok(Self::of_user(verb, environment::user_name()?, (effect, now)))
    }

    /// Creates a command of a user.
    pub(crate) fn of_user(verb: Origin, user: String, (effect, now): (Effect, Timestamp)) -> Self {
        let given_by = GivenBy::User(user);
        Self { verb, given_by, detail: None, sets_pause: false, effect, now }
    }

    /// Creates a command that the failure policy of a job gives for a reason.
    pub(crate) fn of_policy(verb: Origin, reason: String, (effect, now): (Effect, Timestamp)) -> Self {
        Self { verb, given_by: GivenBy::Policy(reason), detail: None, sets_pause: false, effect, now }
    }

    /// Returns the cause of the changes of this command.
    pub fn cause(&self) -> Cause<'_> {
        self.cause_with(self.detail.as_deref())
    }

    /// Returns the cause of the changes of this command, with other values.
    pub(crate) fn cause_with<'a>(&'a self, detail: Option<&'a str>) -> Cause<'a> {
        let cause = Cause::new(self.now, self.verb);
        match &self.given_by {
            GivenBy::User(actor) => cause.asked(Request { actor, detail, sets_pause: self.sets_pause }),
            GivenBy::Policy(reason) => cause.because(reason),
        }
    }
}

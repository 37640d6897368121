//! Who changes something, when and why; every event contains it.

use howdah_words::model::origin::Origin;
use howdah_words::model::row::Event;
use howdah_words::model::time::Timestamp;

/// Who changes something, when and why.
#[derive(Clone, Copy, Debug)]
pub struct Cause<'a> {
    pub at: Timestamp,
    /// The command or the step of the tick.
    pub origin: Origin,
    why: Why<'a>,
}

/// Why something changes.
#[derive(Clone, Copy, Debug)]
enum Why<'a> {
    /// The name of the step is reason enough.
    NotGiven,
    /// It follows from something else.
    Because(&'a str),
    /// A user gave the command.
    Asked(Request<'a>),
}

/// A command that a user gave.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub actor: &'a str,
    /// The given values.
    pub detail: Option<&'a str>,
    /// Whether it sets or removes the pause time of its job.
    pub sets_pause: bool,
}

impl<'a> Cause<'a> {
    /// Creates a cause without a reason.
    pub const fn new(at: Timestamp, origin: Origin) -> Self {
        Self { at, origin, why: Why::NotGiven }
    }

    /// Returns the cause with a reason.
    pub const fn because(self, reason: &'a str) -> Self {
        Self { why: Why::Because(reason), ..self }
    }

    /// Returns the cause with a user's command.
    pub const fn asked(self, request: Request<'a>) -> Self {
        Self { why: Why::Asked(request), ..self }
    }

    /// Returns the cause with a reason, unless it has a reason or a user's command already.
    pub(crate) const fn or_because(self, reason: Option<&'a str>) -> Self {
        match (self.why, reason) {
            (Why::NotGiven, Some(reason)) => self.because(reason),
            _ => self,
        }
    }

    /// Creates an event of this cause; the caller sets its subject.
    pub fn event(&self, from: Option<&str>, to: &str) -> Event {
        let event = Event { from_status: from.map(str::to_owned), ..Event::new(self.at, to, self.origin) };
        match self.why {
            Why::NotGiven => event,
            Why::Because(reason) => Event { reason: Some(reason.to_owned()), ..event },
            Why::Asked(Request { actor, detail, sets_pause }) => {
                Event { actor: Some(actor.to_owned()), reason: detail.map(str::to_owned), sets_pause, ..event }
            }
        }
    }
}

//! Who changes something, when and why: what every event tells.

use crate::model::origin::Origin;
use crate::model::row::Event;
use crate::model::time::Timestamp;

/// Who changes something, when and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause<'a> {
    pub(crate) at: Timestamp,
    /// The verb or the step of tick.
    pub(crate) origin: Origin,
    why: Why<'a>,
}

/// Why something changes.
#[derive(Clone, Copy, Debug)]
enum Why<'a> {
    /// The name of the step says it.
    Unsaid,
    /// It follows from something else.
    Because(&'a str),
    /// A user gave the verb.
    Asked(Request<'a>),
}

/// A verb that a user gave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) actor: &'a str,
    /// With which values.
    pub(crate) detail: Option<&'a str>,
    /// Whether it sets the pause time of its job, or takes it away.
    pub(crate) sets_pause: bool,
}

impl<'a> Cause<'a> {
    /// A cause without a reason.
    pub(crate) const fn new(at: Timestamp, origin: Origin) -> Self {
        Self { at, origin, why: Why::Unsaid }
    }

    /// The same cause of what follows from something else.
    pub(crate) const fn because(self, reason: &'a str) -> Self {
        Self { why: Why::Because(reason), ..self }
    }

    /// The same cause of what a user asked for.
    pub(crate) const fn asked(self, request: Request<'a>) -> Self {
        Self { why: Why::Asked(request), ..self }
    }

    /// The same cause with a reason, unless it has one or a user asked for it.
    pub(crate) const fn or_because(self, reason: Option<&'a str>) -> Self {
        match (self.why, reason) {
            (Why::Unsaid, Some(reason)) => self.because(reason),
            _ => self,
        }
    }

    /// An event of this cause about nothing yet.
    pub(crate) fn event(&self, from: Option<&str>, to: &str) -> Event {
        let event = Event { from_status: from.map(str::to_owned), ..Event::new(self.at, to, self.origin) };
        match self.why {
            Why::Unsaid => event,
            Why::Because(reason) => Event { reason: Some(reason.to_owned()), ..event },
            Why::Asked(Request { actor, detail, sets_pause }) => {
                Event { actor: Some(actor.to_owned()), reason: detail.map(str::to_owned), sets_pause, ..event }
            }
        }
    }
}

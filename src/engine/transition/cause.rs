//! Who changes something, when and why: what every event tells.

use crate::model::time::Timestamp;
use crate::store::Event;

/// Who changes something, when and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause<'a> {
    pub(crate) at: Timestamp,
    /// The verb or the step of tick.
    pub(crate) origin: &'a str,
    pub(crate) reason: Option<&'a str>,
}

impl<'a> Cause<'a> {
    /// A cause without a reason.
    pub(crate) const fn new(at: Timestamp, origin: &'a str) -> Self {
        Self { at, origin, reason: None }
    }

    /// The same cause with a reason.
    pub(crate) const fn because(self, reason: &'a str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// An event of this cause about nothing yet.
    pub(crate) fn event(&self, from: Option<&str>, to: &str) -> Event {
        Event {
            from_status: from.map(str::to_owned),
            reason: self.reason.map(str::to_owned),
            ..Event::new(self.at, to, self.origin)
        }
    }
}

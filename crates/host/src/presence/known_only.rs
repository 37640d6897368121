//! What is known already of paths, for a step that must not look at anything now.

use std::cell::Cell;

use super::{Presence, State};
use crate::default_store::Qualified;
use howdah_words::model::row::CoordinatorKey;

/// Answers only what is known without a look; all else is deferred.
pub struct KnownOnly<'a> {
    presence: &'a dyn Presence,
    has_deferred: Cell<bool>,
}

impl<'a> KnownOnly<'a> {
    /// What `presence` knows already.
    pub const fn of(presence: &'a dyn Presence) -> Self {
        Self { presence, has_deferred: Cell::new(false) }
    }

    /// Whether anything was asked that is not known: then what follows from the answers is not known either.
    pub const fn has_deferred(&self) -> bool {
        self.has_deferred.get()
    }
}

impl Presence for KnownOnly<'_> {
    fn check(&self, uri: &Qualified<'_>) -> State {
        self.presence.known(uri).unwrap_or_else(|| {
            self.has_deferred.set(true);
            State::Deferred
        })
    }

    fn known(&self, uri: &Qualified<'_>) -> Option<State> {
        self.presence.known(uri)
    }

    fn asks_for(&self, job: CoordinatorKey) {
        self.presence.asks_for(job);
    }
}

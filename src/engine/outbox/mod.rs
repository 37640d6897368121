//! Notifications and alerts: written to the outbox with the change that they report, delivered afterwards.

pub(crate) mod deliver;
pub(crate) mod enqueue;
pub(crate) mod retry;
pub(crate) mod schedule;
pub(crate) mod subject;
pub(crate) mod transport;

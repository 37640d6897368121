//! Notifications and alerts: written to the outbox with the change that they report, delivered afterwards.

pub mod deliver;
pub mod enqueue;
pub mod retry;
pub mod schedule;
pub mod subject;
pub mod transport;

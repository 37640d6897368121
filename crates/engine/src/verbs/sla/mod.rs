//! `howdah sla enable`, `disable` and `change`: which late actions are reported, and what is promised of them.
//!
//! Actions that exist are changed in their registrations. Later actions use a new version of the job's definition, as
//! after an update; existing actions keep theirs.

mod alerts;
mod change;
mod record;
mod registered;

pub use alerts::{Alerts, set_alerts};
pub use change::change;

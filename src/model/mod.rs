//! Plain data in Oozie's spelling: times, ids, statuses, properties, deliveries; the rows of the database.
//!
//! Decides nothing but the steps of a job's life cycle ([`job_status`]), and must not depend on the origin of its
//! values.

pub(crate) mod action_numbers;
pub(crate) mod alert;
pub(crate) mod cpu_time;
pub(crate) mod delivery;
pub(crate) mod effect;
pub(crate) mod id;
pub(crate) mod job_status;
pub(crate) mod missing_input;
pub(crate) mod node_type;
pub(crate) mod origin;
pub(crate) mod partition;
pub(crate) mod place;
pub(crate) mod row;
pub(crate) mod secret;
pub(crate) mod status;
pub(crate) mod time;

/// Job properties and configurations: name to value, in the order of the names.
pub(crate) type Properties = std::collections::BTreeMap<String, String>;

//! Plain data in Oozie's spelling: times, ids, statuses, properties, deliveries; the rows of the database.
//!
//! Decides nothing but the steps of a job's life cycle ([`job_status`]), and must not depend on the origin of its
//! values.

pub mod action_numbers;
pub mod alert;
pub mod cpu_time;
pub mod delivery;
pub mod effect;
pub mod id;
pub mod job_status;
pub mod missing_input;
pub mod node_type;
pub mod origin;
pub mod partition;
pub mod place;
pub mod row;
pub mod secret;
pub mod secret_name;
pub mod secret_text;
pub mod start;
pub mod status;
pub mod time;

/// Job properties and configurations: name to value, in the order of the names.
pub type Properties = std::collections::BTreeMap<String, String>;

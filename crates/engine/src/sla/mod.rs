//! SLA registrations: created with an action or a workflow job, observed until its end, and reported.

pub mod alert;
pub mod observation;
pub mod registration;
pub mod summary;
pub mod workflow;

//! SLA registrations: created with an action or a workflow job, observed until its end, and reported.

pub(crate) mod alert;
pub(crate) mod observation;
pub(crate) mod registration;
pub(crate) mod summary;
pub(crate) mod workflow;

//! Submission: from job properties to a stored job.

pub mod bundle;
pub mod bundle_definition;
pub mod bundle_members;
pub mod coordinator;
pub(crate) mod given_values;
pub(crate) mod known_workflows;
pub mod pools;
pub mod request;
pub mod shadow;
pub mod submission;
pub mod unmounted;
pub(crate) mod unused_properties;
pub mod warnings;
pub mod workflow;
pub mod workflow_lint;

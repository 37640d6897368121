//! Submission: from job properties to a stored job.

pub(crate) mod bundle;
pub(crate) mod bundle_definition;
pub(crate) mod bundle_members;
pub(crate) mod coordinator;
pub(crate) mod given_values;
pub(crate) mod known_workflows;
pub(crate) mod pools;
pub(crate) mod request;
pub(crate) mod shadow;
pub(crate) mod submission;
pub(crate) mod unmounted;
pub(crate) mod unused_properties;
pub(crate) mod warnings;
pub(crate) mod workflow;
pub(crate) mod workflow_lint;

//! Plain rows of the database: what is stored of jobs, actions, nodes, attempts and their relatives.
//!
//! `store` reads and writes them, `store/row.rs` says how; the pure modules decide about them.
#![expect(clippy::struct_field_names, reason = "the key of a table has its name: it joins as `USING (attempt)`")]

mod action_range;
mod attempt;
mod bundle_coordinator;
mod bundle_job;
mod coordinator_action;
mod coordinator_definition;
mod coordinator_job;
mod delivery;
mod event;
mod incident;
mod key;
mod notification;
mod repair;
mod shadow;
mod site_pause;
mod sla;
mod store_failure;
mod takeover;
#[cfg(any(test, feature = "internals"))]
pub(crate) mod testing;
mod workflow_job;
mod workflow_node;

pub(crate) use action_range::{ActionGroup, ActionRange};
pub(crate) use attempt::{Attempt, AttemptState};
pub(crate) use bundle_coordinator::{BundleCoordinator, BundleMember};
pub(crate) use bundle_job::BundleJob;
pub(crate) use coordinator_action::{ActionKey, CoordinatorAction};
pub(crate) use coordinator_definition::{CoordinatorDefinition, Include, Includes};
pub(crate) use coordinator_job::CoordinatorJob;
pub(crate) use delivery::{Delivery, DeliveryState};
pub(crate) use event::Event;
pub(crate) use incident::{Incident, IncidentState, PolicyRerun, SentAlert};
pub(crate) use key::{
    AttemptKey, BundleKey, CoordinatorKey, DeliveryKey, DocumentKey, EventKey, IncidentKey, SlaKey, TakeoverKey,
    WorkflowKey,
};
pub(crate) use notification::{CoordinatorNotification, WorkflowNotification};
pub(crate) use repair::{Repair, RepairStep, steps_in_words};
pub(crate) use shadow::{Shadow, ShadowJob};
pub(crate) use site_pause::SitePause;
pub(crate) use sla::{SlaRegistration, SlaSummary};
pub(crate) use store_failure::StoreFailure;
pub(crate) use takeover::{BundleTakeover, Takeover};
pub(crate) use workflow_job::WorkflowJob;
pub(crate) use workflow_node::{CLUSTER, CommandNeeds, RunningNode, WaitingNode, WorkflowNode};

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
mod workflow_job;
mod workflow_node;

pub use action_range::{ActionGroup, ActionRange};
pub use attempt::{Attempt, AttemptState};
pub use bundle_coordinator::{BundleCoordinator, BundleMember};
pub use bundle_job::BundleJob;
pub use coordinator_action::{ActionKey, CoordinatorAction};
pub use coordinator_definition::{CoordinatorDefinition, Include, Includes};
pub use coordinator_job::CoordinatorJob;
pub use delivery::{Delivery, DeliveryState};
pub use event::Event;
pub use incident::{Incident, IncidentState, PolicyRerun, SentAlert};
pub use key::{
    AttemptKey, BundleKey, CoordinatorKey, DeliveryKey, DocumentKey, EventKey, IncidentKey, SlaKey, TakeoverKey,
    WorkflowKey,
};
pub use notification::{CoordinatorNotification, WorkflowNotification};
pub use repair::{Repair, RepairStep, steps_in_words};
pub use shadow::{Shadow, ShadowJob};
pub use site_pause::SitePause;
pub use sla::{SlaRegistration, SlaSummary};
pub use store_failure::StoreFailure;
pub use takeover::{BundleTakeover, Takeover};
pub use workflow_job::WorkflowJob;
pub use workflow_node::{CLUSTER, CommandNeeds, RunningNode, WaitingNode, WorkflowNode};

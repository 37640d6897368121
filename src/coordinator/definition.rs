//! A coordinator application after everything that submission can evaluate is evaluated.
//!
//! Compiled once per job; what depends on an action stays a parsed template.

use std::sync::Arc;

use crate::calendar::Schedule;
use crate::coordinator::input_logic::InputLogic;
use crate::dataset::Dataset;
use crate::el::Template;
use crate::error::{Location, SourceText};
use crate::model::status::Execution;
use crate::xml::Text;

/// A coordinator application, ready to materialize actions.
#[derive(Clone, Debug)]
pub(crate) struct Coordinator {
    /// The name shown to users: the attribute with the job's variables filled in.
    pub(crate) name: String,
    /// The name attribute as written; `coord:name()` returns this text.
    pub(crate) written_name: String,
    pub(crate) schedule: Schedule,
    /// The evaluated frequency: a number, or a cron expression.
    pub(crate) frequency_text: String,
    /// The place of the frequency in the definition.
    pub(crate) frequency_place: Location,
    pub(crate) controls: Controls,
    pub(crate) inputs: Vec<DataEvent>,
    /// The input logic; `None` when an action waits for all inputs.
    pub(crate) logic: Option<InputLogic>,
    pub(crate) outputs: Vec<DataEvent>,
    /// The workflow application that each action runs.
    pub(crate) app_path: String,
    pub(crate) configuration: Vec<ConfigurationValue>,
    /// The children of the SLA element, in order.
    pub(crate) sla: Vec<ConfigurationValue>,
}

/// How many actions of a job may wait and run, and for how long they wait (coordinator specification 6.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Controls {
    /// Minutes an action waits for its inputs; negative: no limit.
    pub(crate) timeout_minutes: i64,
    /// Actions that may run at a time; negative: no limit.
    pub(crate) concurrency: i64,
    pub(crate) execution: Execution,
    /// Actions that may be WAITING at a time.
    pub(crate) throttle: u32,
}

/// A `data-in` or `data-out`.
#[derive(Clone, Debug)]
pub(crate) struct DataEvent {
    pub(crate) name: String,
    pub(crate) dataset: Arc<Dataset>,
    pub(crate) instances: Arc<Instances>,
    /// Whether a rerun keeps the data of the event (`nocleanup`).
    pub(crate) nocleanup: bool,
}

/// The instances of an event.
#[derive(Clone, Debug)]
pub(crate) enum Instances {
    /// `<instance>` elements, in document order.
    Single(Vec<Expression>),
    /// `<start-instance>` and `<end-instance>`.
    Range { start: Expression, end: Expression },
}

/// An expression text and its place.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) template: Template,
    pub(crate) text: Text,
    pub(crate) source: Arc<SourceText>,
}

/// A named text of the action's configuration, or of its SLA element.
#[derive(Clone, Debug)]
pub(crate) struct ConfigurationValue {
    pub(crate) name: String,
    pub(crate) value: Expression,
}

//! A coordinator application after everything that submission can evaluate is evaluated.
//!
//! Compiled once per job; what depends on an action stays a parsed template.

use std::sync::Arc;

use crate::coordinator::input_logic::InputLogic;
use crate::dataset::Dataset;
use howdah_calendar::Schedule;
use howdah_el::Template;
use howdah_words::error::{Location, SourceText};
use howdah_words::model::status::Execution;
use howdah_xml::Text;

/// A coordinator application, ready to materialize actions.
#[derive(Clone, Debug)]
pub struct Coordinator {
    /// The name shown to users: the attribute with the job's variables filled in.
    pub name: String,
    /// The name attribute as written; `coord:name()` returns this text.
    pub written_name: String,
    pub schedule: Schedule,
    /// The evaluated frequency: a number, or a cron expression.
    pub frequency_text: String,
    /// The place of the frequency in the definition.
    pub frequency_place: Location,
    pub controls: Controls,
    pub inputs: Vec<DataEvent>,
    /// The input logic; `None` when an action waits for all inputs.
    pub logic: Option<InputLogic>,
    pub outputs: Vec<DataEvent>,
    /// The workflow application that each action runs.
    pub app_path: String,
    pub configuration: Vec<ConfigurationValue>,
    /// The children of the SLA element, in order.
    pub sla: Vec<ConfigurationValue>,
}

/// How many actions of a job may wait and run, and for how long they wait (coordinator specification 6.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controls {
    /// Minutes an action waits for its inputs; negative: no limit.
    pub timeout_minutes: i64,
    /// Actions that may run at a time; negative: no limit.
    pub concurrency: i64,
    pub execution: Execution,
    /// Actions that may be WAITING at a time.
    pub throttle: u32,
}

/// A `data-in` or `data-out`.
#[derive(Clone, Debug)]
pub struct DataEvent {
    pub name: String,
    pub dataset: Arc<Dataset>,
    pub instances: Arc<Instances>,
    /// Whether a rerun keeps the data of the event (`nocleanup`).
    pub nocleanup: bool,
}

/// The instances of an event.
#[derive(Clone, Debug)]
pub enum Instances {
    /// `<instance>` elements, in document order.
    Single(Vec<Expression>),
    /// `<start-instance>` and `<end-instance>`.
    Range { start: Expression, end: Expression },
}

/// An expression text and its place.
#[derive(Clone, Debug)]
pub struct Expression {
    pub template: Template,
    pub text: Text,
    pub source: Arc<SourceText>,
}

/// A named text of the action's configuration, or of its SLA element.
#[derive(Clone, Debug)]
pub struct ConfigurationValue {
    pub name: String,
    pub value: Expression,
}

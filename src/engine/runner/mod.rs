//! The runner: advances workflow jobs step by step, and starts and watches their attempts.

pub(crate) mod action_defaults;
pub(crate) mod advance;
pub(crate) mod attempts;
pub(crate) mod collected;
pub(crate) mod context;
pub(crate) mod demand;
pub(crate) mod expressions;
pub(crate) mod job;
pub(crate) mod kept;
pub(crate) mod observation;
pub(crate) mod places;
pub(crate) mod problem;
pub(crate) mod results;
#[cfg(feature = "internals")]
pub(crate) mod scripted;
pub(crate) mod settings_check;
pub(crate) mod slurm;
pub(crate) mod start_action;
pub(crate) mod step;
pub(crate) mod step_report;

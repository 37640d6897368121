//! The runner: advances workflow jobs step by step, and starts and watches their attempts.

pub mod advance;
pub mod attempts;
pub mod collected;
pub mod context;
pub mod demand;
pub mod expressions;
pub(crate) mod external_status;
pub mod job;
pub mod kept;
pub mod observation;
pub mod places;
pub mod problem;
mod progress;
pub mod results;
pub mod scripted;
pub mod settings_check;
pub mod slurm;
pub mod start_action;
pub(crate) mod start_record;
pub mod step;
pub(crate) mod step_report;

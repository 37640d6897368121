//! Jobs and actions in the JSON of Oozie's web services: its field names, its dates, null for what does not exist.
//!
//! Used by `serve` and by `--json=oozie`. What Oozie has and howdah does not is null, or left out where a client reads
//! a number. Must not decide anything about jobs.

mod bundle;
mod coordinator;
#[cfg(feature = "serve")]
mod dependencies;
mod workflow;

pub(crate) use bundle::{bulk, bundle, bundles};
pub(crate) use coordinator::{action, coordinator, coordinators};
#[cfg(feature = "serve")]
pub(crate) use dependencies::missing_dependencies;
#[cfg(feature = "serve")]
pub(crate) use workflow::retries;
pub(crate) use workflow::{node, runs, workflow, workflows};

use serde_json::{Value, json};

use crate::output::oozie::OozieZone;
use howdah_words::model::time::Timestamp;

/// How jobs are written: by default in GMT.
#[derive(Clone, Debug)]
pub(crate) struct WebStyle {
    /// The zone of the dates.
    pub(crate) zone: OozieZone,
    /// The start of the URL of a job's page, where there is a server.
    pub(crate) pages: Option<String>,
}

impl Default for WebStyle {
    fn default() -> Self {
        Self { zone: OozieZone::of("GMT"), pages: None }
    }
}

impl WebStyle {
    /// Writes a date, or null.
    fn date(&self, at: Option<Timestamp>) -> Value {
        self.zone.web_date(at).map_or(Value::Null, Value::String)
    }

    /// Writes the URL of a job's page, or null.
    fn page(&self, id: &str) -> Value {
        self.pages.as_ref().map_or(Value::Null, |pages| Value::String(format!("{pages}{id}")))
    }
}

/// Returns a page of a list under its name.
fn list(name: &str, jobs: &[Value], total: u32, (offset, len): (u32, u32)) -> Value {
    json!({ name: jobs, "total": total, "offset": offset, "len": len })
}

//! What is known of an application after its definition was read, whether or not it is accepted.
//!
//! A value is absent when it was refused, or depends on a property that nobody gave. Decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::calendar::Schedule;
use crate::coordinator::definition::{ConfigurationValue, DataEvent, Instances};
use crate::dataset::Dataset;
use crate::error::Location;

/// An application as far as it is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pub(crate) schedule: Option<Schedule>,
    /// The place of the frequency.
    pub(crate) frequency_place: Option<Location>,
    /// The `concurrency` that the definition writes.
    pub(crate) concurrency: Option<(i64, Location)>,
    /// The throttle that the `throttle` of the definition comes to.
    pub(crate) throttle: Option<i64>,
    pub(crate) inputs: Vec<EventOutline>,
    pub(crate) outputs: Vec<EventOutline>,
    /// The texts of the SLA element.
    pub(crate) sla: Vec<ConfigurationValue>,
    /// Variables whose values are not known, each with the place of its first use.
    pub(crate) unknown_variables: BTreeMap<String, Location>,
}

/// A `data-in` or `data-out` as far as it is known.
#[derive(Clone, Debug)]
pub(crate) struct EventOutline {
    pub(crate) name: String,
    /// The place of the name.
    pub(crate) place: Location,
    pub(crate) dataset: Option<Arc<Dataset>>,
    pub(crate) instances: Option<Arc<Instances>>,
    /// Whether no text of its instances names anything that is not known.
    pub(crate) is_settled: bool,
    /// Whether a rerun leaves what it names alone.
    pub(crate) nocleanup: bool,
}

impl EventOutline {
    /// The event, when nothing of it was refused.
    pub(crate) fn event(&self) -> Option<DataEvent> {
        let (dataset, instances) = (self.dataset.clone()?, self.instances.clone()?);
        Some(DataEvent { name: self.name.clone(), dataset, instances, nocleanup: self.nocleanup })
    }
}

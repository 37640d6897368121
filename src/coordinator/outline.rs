//! What is known of an application after its definition was read, whether or not it is accepted.
//!
//! A value is absent when it was refused, or depends on a property without a value. Decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::calendar::Schedule;
use crate::coordinator::definition::{ConfigurationValue, DataEvent, Instances};
use crate::dataset::Dataset;
use crate::error::Location;

/// The known parts of an application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pub(crate) schedule: Option<Schedule>,
    /// The place of the frequency.
    pub(crate) frequency_place: Option<Location>,
    /// The `concurrency` of the definition.
    pub(crate) concurrency: Option<(i64, Location)>,
    /// The effective throttle of the definition.
    pub(crate) throttle: Option<i64>,
    pub(crate) inputs: Vec<EventOutline>,
    pub(crate) outputs: Vec<EventOutline>,
    /// The texts of the SLA element.
    pub(crate) sla: Vec<ConfigurationValue>,
    /// Variables whose values are not known, each with the place of its first use.
    pub(crate) unknown_variables: BTreeMap<String, Location>,
}

/// The known parts of a `data-in` or `data-out`.
#[derive(Clone, Debug)]
pub(crate) struct EventOutline {
    pub(crate) name: String,
    /// The place of the name.
    pub(crate) place: Location,
    pub(crate) dataset: Option<Arc<Dataset>>,
    pub(crate) instances: Option<Arc<Instances>>,
    /// Whether everything that the texts of its instances name is known.
    pub(crate) is_known: bool,
    /// Whether a rerun keeps its data.
    pub(crate) nocleanup: bool,
}

impl EventOutline {
    /// Returns the event, when nothing of it was refused.
    pub(crate) fn event(&self) -> Option<DataEvent> {
        let (dataset, instances) = (self.dataset.clone()?, self.instances.clone()?);
        Some(DataEvent { name: self.name.clone(), dataset, instances, nocleanup: self.nocleanup })
    }
}

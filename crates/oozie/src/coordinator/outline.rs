//! What is known of an application after its definition was read, whether or not it is accepted.
//!
//! A value is absent when it was refused, or depends on a property without a value. Decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::coordinator::definition::{ConfigurationValue, DataEvent, Instances};
use crate::dataset::Dataset;
use howdah_calendar::Schedule;
use howdah_words::error::Location;

/// The known parts of an application.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub schedule: Option<Schedule>,
    /// The place of the frequency.
    pub frequency_place: Option<Location>,
    /// The `concurrency` of the definition.
    pub concurrency: Option<(i64, Location)>,
    /// The effective throttle of the definition.
    pub throttle: Option<i64>,
    pub inputs: Vec<EventOutline>,
    pub outputs: Vec<EventOutline>,
    /// The texts of the SLA element.
    pub sla: Vec<ConfigurationValue>,
    /// Variables whose values are not known, each with the place of its first use.
    pub unknown_variables: BTreeMap<String, Location>,
}

/// The known parts of a `data-in` or `data-out`.
#[derive(Clone, Debug)]
pub struct EventOutline {
    pub name: String,
    /// The place of the name.
    pub place: Location,
    pub dataset: Option<Arc<Dataset>>,
    pub instances: Option<Arc<Instances>>,
    /// Whether everything that the texts of its instances name is known.
    pub is_known: bool,
    /// Whether a rerun keeps its data.
    pub nocleanup: bool,
}

impl EventOutline {
    /// Returns the event, when nothing of it was refused.
    pub fn event(&self) -> Option<DataEvent> {
        let (dataset, instances) = (self.dataset.clone()?, self.instances.clone()?);
        Some(DataEvent { name: self.name.clone(), dataset, instances, nocleanup: self.nocleanup })
    }
}

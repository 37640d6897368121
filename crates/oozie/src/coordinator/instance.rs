//! An instance of an input or output of an action.

use crate::dataset::Dataset;
use howdah_calendar::ProcessingZone;
use howdah_words::error::Result;
use howdah_words::model::time::Timestamp;

/// A dataset instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub nominal: Timestamp,
    pub uri: String,
    /// The URI with its done-flag.
    pub dependency: String,
}

impl Instance {
    /// Returns the instance of `dataset` at a time.
    ///
    /// # Errors
    /// E1004 when it has no URI.
    pub fn of(dataset: &Dataset, nominal: Timestamp, processing: ProcessingZone) -> Result<Self> {
        let uri = dataset.uri(nominal, processing)?;
        let dependency = dataset.done_flag.dependency(&uri);
        Ok(Self { nominal, uri, dependency })
    }

    /// Returns the instances at times that a search found; each of them has a URI.
    pub fn found(dataset: &Dataset, times: Vec<Timestamp>, processing: ProcessingZone) -> impl Iterator<Item = Self> {
        times.into_iter().filter_map(move |at| Self::of(dataset, at, processing).ok())
    }
}

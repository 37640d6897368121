//! A synchronous dataset (coordinator specification 5.1).

use std::sync::{Arc, LazyLock};

use crate::dataset::UriTemplate;
use howdah_calendar::{EndOf, ProcessingZone, Sequence, Unit, Zone};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::partition::HCATALOG;
use howdah_words::model::time::Timestamp;

/// How to detect that an instance is complete (specification 5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoneFlag {
    /// The element is absent: `_SUCCESS` inside the instance's directory.
    Default,
    /// The element is empty: the directory itself.
    Directory,
    /// A file of that name inside the instance's directory.
    Named(String),
}

impl DoneFlag {
    /// Returns the flag of an element's text; `None` when there is no element.
    pub(crate) fn from_element(text: Option<&str>) -> Self {
        match text {
            None => Self::Default,
            Some("") => Self::Directory,
            Some(name) => Self::Named(name.to_owned()),
        }
    }

    /// Returns what must exist for the instance at `uri` to be complete.
    pub fn dependency(&self, uri: &str) -> String {
        // HCatalog partitions have no files of their own.
        if uri.starts_with(HCATALOG) {
            return uri.to_owned();
        }
        match self {
            Self::Default => [uri, "/_SUCCESS"].concat(),
            Self::Directory => uri.to_owned(),
            Self::Named(name) => [uri, "/", name].concat(),
        }
    }
}

/// A synchronous dataset, its expressions evaluated.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub name: String,
    pub sequence: Sequence,
    pub uri_template: UriTemplate,
    pub done_flag: DoneFlag,
}

/// A dataset of every day.
static STAND_IN: LazyLock<Arc<Dataset>> = LazyLock::new(|| {
    let every_day = Sequence::new(Timestamp::EPOCH, Unit::Day.times(1), EndOf::None, Zone::utc());
    Arc::new(Dataset {
        name: String::new(),
        sequence: every_day.expect("a day after the epoch is within the supported years"),
        uri_template: UriTemplate::parse("/").expect("a path is a template"),
        done_flag: DoneFlag::Default,
    })
});

impl Dataset {
    /// Returns a dataset in place of one that is not known or not needed.
    pub fn placeholder() -> Arc<Self> {
        Arc::clone(&STAND_IN)
    }

    /// Returns the zone in which instances are counted.
    pub fn zone(&self) -> &Zone {
        self.sequence.zone()
    }

    /// Returns the first instance: the declared one, moved to the end of its day, week or month where the frequency
    /// requires it.
    pub fn initial(&self) -> Timestamp {
        self.sequence.initial()
    }

    /// Returns the URI of the instance at a time.
    ///
    /// # Errors
    /// E1004 when an expression of the template has no value at that time.
    pub fn uri(&self, at: Timestamp, processing: ProcessingZone) -> Result<String> {
        self.uri_template.resolve(at, processing).map_err(|error| {
            let at = processing.format(at);
            let why = format!("the <uri-template> of dataset [{}] has no value at {at}: {error}", self.name);
            Error::new(ErrorCode::E1004, why)
                .help("write an expression of ${YEAR} to ${MINUTE} that has a value for every instance")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn done_flags() {
        for (element, uri, expect) in [
            (None, "hdfs://h/a", "hdfs://h/a/_SUCCESS"),
            (Some(""), "hdfs://h/a", "hdfs://h/a"),
            (Some("trigger.dat"), "/a", "/a/trigger.dat"),
            (None, "hcat://h:1/db/t/d=1", "hcat://h:1/db/t/d=1"),
        ] {
            assert_eq!(DoneFlag::from_element(element).dependency(uri), expect);
        }
    }
}

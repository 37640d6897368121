//! The filters of `jobs` and `info`, and the URIs of datasets and mounts.

use super::assert_shown;
use crate::calendar::ProcessingZone;
use crate::dataset::{UriTemplate, check_uri};
use crate::engine::view::filter::{self, JobType};
use crate::model::time::Timestamp;

/// Reads the text as a filter and as a URI.
pub(super) fn holds(text: &str) {
    for kind in [JobType::Coordinator, JobType::Workflow] {
        if let Err(problem) = filter::jobs(text, kind) {
            assert_shown(&problem);
        }
    }
    if let Err(problem) = filter::actions(text) {
        assert_shown(&problem);
    }
    if let Err(problem) = check_uri(text) {
        assert_shown(&problem);
    }
    if let Ok(template) = UriTemplate::parse(text) {
        let _ = template.resolve(Timestamp::EPOCH, ProcessingZone::UTC);
        let _ = template.text();
    }
}

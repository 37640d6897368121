//! The filters of `jobs`, `info` and `log`, and the URIs of datasets and mounts.

use super::assert_shown;
use howdah_answers::query::filter::{ActionsFilter, BulkFilter, JobsFilter, LogFilter};
use howdah_calendar::ProcessingZone;
use howdah_oozie::dataset::{UriTemplate, check_uri};
use howdah_words::error::Error;
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// Reads the text as a filter and as a URI.
pub(super) fn holds(text: &str) {
    for kind in [JobKind::Coordinator, JobKind::Workflow, JobKind::Bundle] {
        show(JobsFilter::parse(text, kind).and_then(|filter| filter.matching(Timestamp::EPOCH)));
    }
    show(ActionsFilter::parse(text).and_then(|filter| filter.matching()));
    show(BulkFilter::parse(text));
    show(LogFilter::parse(text).map(|filter| filter.selection(Timestamp::EPOCH, Timestamp::EPOCH)));
    if let Err(problem) = check_uri(text) {
        assert_shown(&problem);
    }
    if let Ok(template) = UriTemplate::parse(text) {
        let _ = template.resolve(Timestamp::EPOCH, ProcessingZone::UTC);
        let _ = template.text();
    }
}

fn show<T>(read: Result<T, Error>) {
    if let Err(problem) = read {
        assert_shown(&problem);
    }
}

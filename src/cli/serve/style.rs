//! What the parameters of a request say about the answer: zone, page, numbers.

use serde_json::Value;

use crate::cli::serve::refusal::Refusal;
use crate::output::oozie::OozieZone;
use crate::output::oozie_json::WebStyle;
use howdah_host::web::{Answer, Request};
use howdah_store::Page;
use howdah_words::model::secret::masked;

/// How many jobs are listed when no number is given.
const MOST_JOBS: u32 = 50;
/// How many jobs, or actions of a job, are listed at most; clients ask for up to 10,000 at a time.
pub(super) const LARGEST_PAGE: u32 = 10_000;

/// Returns how jobs are written: `timezone`, else GMT.
pub(super) fn of(request: &Request) -> WebStyle {
    let pages = request.header("host").map(|host| format!("http://{host}/job/"));
    WebStyle { zone: OozieZone::of(request.parameter("timezone").unwrap_or("GMT")), pages }
}

/// Returns an answer in JSON. Credentials in URLs become stars, as in everything that howdah shows.
pub(super) fn json(status: u16, document: &Value) -> Answer {
    Answer::new(status, "application/json;charset=UTF-8", masked(&document.to_string()).into_owned())
}

/// Returns the value of a parameter that is a number; an empty one counts as absent.
pub(super) fn number(request: &Request, name: &str) -> Result<Option<i32>, Refusal> {
    let given = request.parameter(name).filter(|text| !text.is_empty());
    given.map(|text| text.parse().map_err(|_| Refusal::parameter(name, text))).transpose()
}

/// Returns a number of at least 1; a smaller one means the default.
pub(super) fn positive(request: &Request, name: &str, default: u32) -> Result<u32, Refusal> {
    let given = number(request, name)?.and_then(|number| u32::try_from(number).ok());
    Ok(given.filter(|number| *number > 0).unwrap_or(default))
}

/// Returns the part of a list of jobs: `offset`, counted from 1, and `len`.
pub(super) fn page(request: &Request) -> Result<Page, Refusal> {
    let len = positive(request, "len", MOST_JOBS)?.min(LARGEST_PAGE);
    Ok(Page { offset: positive(request, "offset", 1)? - 1, len })
}

/// Returns whether a parameter says yes; an empty value means no.
pub(super) fn says_yes(request: &Request, name: &str) -> bool {
    request.parameter(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

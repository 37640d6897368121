//! What a route returns, and which methods it has.

use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::host::web::{Answer, Request};

/// What is returned for a request.
pub(super) type Answered = Result<Answer, Refusal>;

/// Refuses a method that does not only read.
pub(super) fn reading(request: &Request) -> Result<(), Refusal> {
    if request.is_reading() { Ok(()) } else { Err(Refusal::no_method(&request.method)) }
}

/// Answers a request that changes something, when the client may.
pub(super) fn changing(site: &Site, request: &Request, answer: impl FnOnce(&Site, &Request) -> Answered) -> Answered {
    site.guard.check_change(request)?;
    answer(site, request)
}

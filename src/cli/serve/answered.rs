//! What a route returns, and which methods it has.

use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use howdah_host::web::{Answer, Request};
use howdah_words::error::{Error, ErrorCode};

/// What is returned for a request.
pub(super) type Answered = Result<Answer, Refusal>;

/// Refuses a method that does not only read.
pub(super) fn reading(request: &Request) -> Result<(), Refusal> {
    if request.is_reading() { Ok(()) } else { Err(Refusal::no_method(&request.method)) }
}

/// Answers a request that changes something. Who may ask for it was checked by the server, which hands such a request
/// to a process that may change something, and every other request to one that may not.
pub(super) fn changing(site: &Site, request: &Request, answer: impl FnOnce(&Site, &Request) -> Answered) -> Answered {
    if !site.allows_changes {
        return Err(Refusal::with_status(&Error::new(ErrorCode::H0197, "this process only reads"), 403));
    }
    answer(site, request)
}

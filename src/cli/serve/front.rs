//! What the server does with a request: it refuses what may not be asked for, answers what is always the same, and lets
//! a worker answer everything else.

use serde_json::json;

use crate::cli::serve::answered::{Answered, reading};
use crate::cli::serve::guard::Guard;
use crate::cli::serve::lane::Lane;
use crate::cli::serve::workers::Workers;
use crate::cli::serve::{pages, style};
use howdah_host::web::{Answer, Request};

/// The header that says what a document may load and run.
const POLICY: &str = "content-security-policy";

/// Answers a request.
pub(super) fn receive(guard: &Guard, workers: &Workers, mut request: Request) -> Answer {
    let answered = guard.check(&request).and_then(|()| {
        let lane = Lane::of(&request);
        match lane {
            Lane::Here => return constant(&request),
            Lane::Changes => guard.check_change(&request)?,
            Lane::Database | Lane::Files => {}
        }
        request.client = guard.client(&request)?;
        Ok(workers.answer(lane, request))
    });
    guarded(answered.unwrap_or_else(|refusal| refusal.answer()))
}

/// Adds what protects a browser: no page of another site may show or guess what is answered, and a document that is not
/// a page of ours, such as a definition, loads and runs nothing.
fn guarded(answer: Answer) -> Answer {
    let has_policy = answer.header(POLICY).is_some();
    let answer = if has_policy { answer } else { answer.with(POLICY, "default-src 'none'; sandbox") };
    answer.with("x-content-type-options", "nosniff").with("cache-control", "no-store")
}

/// Returns what is always the same.
fn constant(request: &Request) -> Answered {
    if request.method == "OPTIONS" {
        return Ok(Answer::empty(200).with("allow", "GET, HEAD, POST, PUT, OPTIONS"));
    }
    reading(request)?;
    match request.path.last().map(String::as_str) {
        Some("versions") => Ok(style::json(200, &json!([0, 1, 2]))),
        Some("style.css") => Ok(pages::style()),
        _ => Ok(Answer::empty(302).with("location", "/")),
    }
}

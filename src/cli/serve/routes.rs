//! Which request is answered by what.

use serde_json::json;

use crate::cli::serve::answered::{Answered, changing, reading};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::{admin, bulk, control, guard, job, jobs, pages, sla, style, submission};
use crate::host::web::{Answer, Request};

/// Answers a request.
pub(super) fn answer(site: &Site, request: &Request) -> Answer {
    let answer = site.guard.check(request).and_then(|()| route(site, request));
    let answer = answer.unwrap_or_else(|refusal| refusal.answer());
    // No page of another site may show or guess what is answered.
    answer.with("x-content-type-options", "nosniff").with("cache-control", "no-store")
}

fn route(site: &Site, request: &Request) -> Answered {
    if request.method == "OPTIONS" {
        return Ok(Answer::empty(200).with("allow", "GET, HEAD, POST, PUT, OPTIONS"));
    }
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    match &path[..] {
        ["oozie", "versions"] => reading(request).map(|()| style::json(200, &json!([0, 1, 2]))),
        ["oozie", "v0" | "v1" | "v2", rest @ ..] => services(site, request, rest),
        ["oozie"] => Ok(Answer::empty(302).with("location", "/")),
        ["oozie", ..] => Err(not_found(request)),
        other => pages::answer(site, request, other),
    }
}

/// Answers a request to a versioned service.
fn services(site: &Site, request: &Request, path: &[&str]) -> Answered {
    match path {
        ["admin", what] => admin::answer(site, request, what),
        ["jobs"] => match request.method.as_str() {
            "POST" => changing(site, request, submission::submit),
            "PUT" => changing(site, request, bulk::answer),
            _ => jobs::answer(site, request),
        },
        ["job", id] if request.method == "PUT" => {
            changing(site, request, |site, request| control::answer(site, request, id))
        }
        ["job", id] => job::answer(site, request, id),
        ["validate"] if request.method == "POST" => {
            guard::check_origin(request)?;
            submission::validate(site, request)
        }
        ["sla"] => sla::answer(site, request),
        _ => Err(not_found(request)),
    }
}

fn not_found(request: &Request) -> Refusal {
    Refusal::not_found(&request.path.join("/"))
}

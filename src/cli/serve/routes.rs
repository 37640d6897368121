//! Which request is answered by what.

use crate::cli::serve::answered::{Answered, changing};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::{admin, bulk, control, job, jobs, lane, pages, sla, submission};
use howdah_host::web::{Answer, Request};

/// Answers a request, in a worker.
pub(super) fn answer(site: &Site, request: &Request) -> Answer {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let answered = match &path[..] {
        ["oozie", "v0" | "v1" | "v2", rest @ ..] => services(site, request, rest),
        ["oozie", ..] => Err(not_found(request)),
        other => pages::answer(site, request, other),
    };
    let answer = answered.unwrap_or_else(|refusal| refusal.answer());
    match lane::subject(request) {
        Some(job) => site.veiled(job, answer),
        None => answer,
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
        // It opens files that the definition names, with the rights of the server.
        ["validate"] if request.method == "POST" => changing(site, request, submission::validate),
        ["sla"] => sla::answer(site, request),
        _ => Err(not_found(request)),
    }
}

fn not_found(request: &Request) -> Refusal {
    Refusal::not_found(&request.path.join("/"))
}

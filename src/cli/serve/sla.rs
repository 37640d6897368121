//! `sla`: what was promised of actions and workflow jobs, and the results.

use serde_json::json;

use crate::cli::serve::answered::{Answered, reading};
use crate::cli::serve::site::Site;
use crate::cli::serve::style;
use crate::cli::session;
use howdah_answers::query;
use howdah_answers::query::sla::filter;
use howdah_host::web::Request;

/// Answers a request to `sla`: the registrations that match `filter`.
pub(super) fn answer(site: &Site, request: &Request) -> Answered {
    reading(request)?;
    let now = session::clock(&site.global)?.now();
    let mut engine = session::query_engine(&site.global)?;
    let mut filter = filter::read(request.parameter("filter").unwrap_or_default(), engine.settings.submit.processing)?;
    if !site.narrow_users(&mut filter.users) {
        // No subject has an empty id.
        filter.ids = vec![String::new()];
    }
    let page = style::page(request)?;
    let view = query::run(&mut engine, now, |query| query.sla_list(&filter, page))?;
    Ok(style::json(200, &json!(view)))
}

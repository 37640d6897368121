//! Reports each tick to a dead-man's switch, which raises an alarm when the reports stop.
//!
//! Fetches URL/start before the tick, then URL or URL/fail. A report that fails never fails the tick: it is one line on
//! standard error.

use std::cell::Cell;
use std::time::Duration;

use crate::cli::exit::{Failure, Status};
use crate::engine::settings::Settings;
use crate::engine::settings::delivery::DeliverySettings;
use crate::host::http::HttpClient;
use crate::model::delivery::{ProxyAddress, authority, wrong_url};
use crate::output::text;

/// How long the switch may take for its connection, and again for its answer: the tick waits for it.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A dead-man's switch.
#[derive(Debug)]
pub(crate) struct Ping {
    url: String,
    delivery: DeliverySettings,
    /// Whether a report has failed: one line is enough for a tick.
    has_failed: Cell<bool>,
}

impl Ping {
    /// Returns the switch of the command line, else that of the site; `None` when neither names one.
    pub(crate) fn new(given: Option<&str>, settings: &Settings) -> Option<Self> {
        let url = given.or(settings.tick_ping.as_deref())?.to_owned();
        Some(Self { url, delivery: settings.delivery.clone(), has_failed: Cell::new(false) })
    }

    /// Reports that a tick starts.
    pub(crate) fn start(&self) {
        self.report("/start");
    }

    /// Reports how a tick ended; nothing when another process ticks, which reports its own end.
    pub(crate) fn end(&self, ended: Result<Status, &Failure>) {
        match ended {
            Ok(Status::Done) => self.report(""),
            Ok(Status::Busy) => {}
            Err(failure) if failure.status() == Status::Busy => {}
            Ok(_) | Err(_) => self.report("/fail"),
        }
    }

    fn report(&self, what: &str) {
        let url = with_path(&self.url, what);
        let proxy = self.delivery.proxy.as_deref().and_then(ProxyAddress::parse);
        let sent = self
            .delivery
            .read_authorities()
            .and_then(|authorities| HttpClient::new(TIMEOUT, authorities.as_ref()).get(&url, proxy.as_ref()));
        if let Err(why) = sent
            && !self.has_failed.replace(true)
        {
            // The path of such a URL is its password.
            text::aside(&format!("the ping of [{}] failed: {why}", authority(&self.url)));
        }
    }
}

/// Reads the URL of an option.
///
/// # Errors
/// Why the text is no such URL.
pub(crate) fn read_url(text: &str) -> Result<String, String> {
    wrong_url(text).map_or_else(|| Ok(text.to_owned()), |why| Err(why.to_owned()))
}

/// Adds steps to the path of a URL, before its query.
fn with_path(url: &str, steps: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let path = if steps.is_empty() { &url[..end] } else { url[..end].trim_end_matches('/') };
    format!("{path}{steps}{}", &url[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_added_before_the_query() {
        for (url, steps, expect) in [
            ("https://a/b", "/start", "https://a/b/start"),
            ("https://a/b/", "/fail", "https://a/b/fail"),
            ("https://a/b/", "", "https://a/b/"),
            ("https://a/b?rid=1", "/fail", "https://a/b/fail?rid=1"),
        ] {
            assert_eq!(with_path(url, steps), expect, "{url} {steps}");
        }
    }
}

//! Reports each tick to a dead-man's switch, which raises an alarm when the reports stop.
//!
//! Fetches URL/start before the tick, then URL or URL/fail. A report that fails never fails the tick: it is one line on
//! standard error.

use std::cell::Cell;
use std::time::Duration;

use clap::Args;

use crate::cli::exit::{Failure, Status};
use crate::output::text;
use howdah_engine::settings::Settings;
use howdah_engine::settings::delivery::DeliverySettings;
use howdah_host::clock::Pace;
use howdah_host::http::HttpClient;
use howdah_words::model::delivery::{ProxyAddress, authority, wrong_url};

/// How long the switch may take for its connection, and again for its answer: the tick waits for it.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The switch of a verb that ticks.
#[derive(Args, Clone, Debug)]
pub(crate) struct PingArgs {
    /// Report ticks to a dead-man's switch: fetch URL/start, then URL, or URL/fail
    ///
    /// The switch, such as healthchecks.io, raises an alarm when the reports stop. Without this option the setting
    /// howdah.tick.ping counts. A report that fails is one line on standard error and does not change the exit status.
    #[arg(long, value_name = "URL", value_parser = read_url)]
    pub(crate) ping: Option<String>,
}

/// The reports of a process that ticks often: at most one tick in each interval is reported.
#[derive(Debug)]
pub(crate) struct RegularPing {
    ping: Ping,
    pace: Pace,
    is_reporting: bool,
}

impl RegularPing {
    /// Reports one tick in each interval.
    pub(crate) const fn new(ping: Ping, every: Duration) -> Self {
        Self { ping, pace: Pace::new(every), is_reporting: false }
    }

    /// Reports that a tick starts, if its interval has no report yet. The end of one that was reported before follows.
    pub(crate) fn start(&mut self) {
        if self.pace.is_due() {
            self.is_reporting = true;
            self.pace.mark();
            // A report that failed is sent again at the next interval.
            self.ping.has_failed.set(false);
            self.ping.start();
        }
    }

    /// Reports how the tick ended; `None` when another process ticks, which reports its own end.
    pub(crate) fn end(&mut self, is_well: Option<bool>) {
        if std::mem::take(&mut self.is_reporting)
            && let Some(is_well) = is_well
        {
            self.ping.report(if is_well { "" } else { "/fail" });
        }
    }
}

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

//! Sends each kind of payload to its receiver. Must not depend on the outbox.

use std::path::Path;
use std::time::Duration;

use crate::settings::delivery::DeliverySettings;
use howdah_host::alert_command;
use howdah_host::command_environment::CommandVariables;
use howdah_host::http::{Authorities, HttpClient};
use howdah_host::mail::MailServer;
use howdah_words::model::delivery::{Payload, ProxyAddress, Undelivered};
use howdah_words::model::row::Delivery;

/// Sends payloads to their receivers.
#[derive(Debug)]
pub struct Transport {
    http_timeout: Duration,
    site_proxy: Option<String>,
    mail: MailServer,
    /// When they cannot be read, nothing is delivered over the network.
    authorities: Result<Option<Authorities>, String>,
    command_timeout: Duration,
    command_variables: CommandVariables,
}

impl Transport {
    /// Returns the transport of a site.
    pub fn new(settings: &DeliverySettings) -> Self {
        Self {
            http_timeout: settings.http_timeout,
            site_proxy: settings.proxy.clone(),
            mail: settings.mail.clone(),
            authorities: settings.read_authorities(),
            command_timeout: settings.command_timeout,
            command_variables: settings.command_variables.clone(),
        }
    }

    /// Delivers a payload; returns a sentence about the part that could not be delivered.
    pub fn send(&self, payload: &Payload, identity: &str) -> Result<Option<String>, Undelivered> {
        match payload {
            Payload::Http(get) => {
                let proxy = self.proxy(get.proxy.as_ref());
                HttpClient::new(self.http_timeout, self.authorities()?).get(&get.url, proxy.as_ref())?;
                Ok(None)
            }
            Payload::Post(post) => {
                let client = HttpClient::new(self.http_timeout, self.authorities()?);
                client.post(&post.url, &post.body, self.proxy(None).as_ref())?;
                Ok(None)
            }
            Payload::Mail(mail) => self.mail.send(mail, identity, self.authorities()?),
            Payload::Command(command) => {
                let environment = self.command_variables.of_user(None).map_err(|error| error.to_string())?;
                alert_command::run(command, &environment, self.command_timeout)?;
                Ok(None)
            }
        }
    }

    /// Returns the proxy of a job, else that of the site. One that cannot be read means none, as in Oozie.
    fn proxy(&self, of_job: Option<&String>) -> Option<ProxyAddress> {
        of_job.or(self.site_proxy.as_ref()).and_then(|text| ProxyAddress::parse(text))
    }

    fn authorities(&self) -> Result<Option<&Authorities>, String> {
        self.authorities.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}

/// Returns the unique identity of a delivery, the same for every try: of this database, at that time, with that number.
pub fn identity(database: &Path, delivery: &Delivery) -> String {
    use ring::digest::{SHA256, digest};
    let text = format!("{}\n{}\n{:?}", database.display(), delivery.created_at.seconds(), delivery.delivery);
    digest(&SHA256, text.as_bytes())
        .as_ref()
        .iter()
        .take(16)
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

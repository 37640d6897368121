//! How each kind of payload reaches its receiver. Knows nothing of the outbox: it is shared by all who carry.

use std::path::Path;
use std::time::Duration;

use crate::engine::settings::delivery::DeliverySettings;
use crate::error::Result;
use crate::host::alert_command;
use crate::host::http::{Authorities, HttpClient};
use crate::host::mail::MailServer;
use crate::model::delivery::{Payload, ProxyAddress};
use crate::store::Delivery;

/// Carries payloads to their receivers.
#[derive(Debug)]
pub(super) struct Carrier {
    http: HttpClient,
    site_proxy: Option<String>,
    mail: MailServer,
    authorities: Option<Authorities>,
    command_timeout: Duration,
}

impl Carrier {
    /// A carrier for a site. H0110, H0112 for a file of certificates that cannot be read.
    pub(super) fn new(settings: &DeliverySettings) -> Result<Self> {
        let authorities = settings.authorities.as_deref().map(Authorities::read).transpose()?;
        Ok(Self {
            http: HttpClient::new(settings.http_timeout, authorities.as_ref()),
            site_proxy: settings.proxy.clone(),
            mail: settings.mail.clone(),
            authorities,
            command_timeout: settings.command_timeout,
        })
    }

    /// Delivers a payload; in words why not otherwise.
    pub(super) fn carry(&self, payload: &Payload, identity: &str) -> Result<(), String> {
        match payload {
            Payload::Http(get) => {
                // A proxy that cannot be read means none, as in Oozie.
                let proxy = get.proxy.as_ref().or(self.site_proxy.as_ref()).and_then(|text| ProxyAddress::parse(text));
                self.http.get(&get.url, proxy.as_ref())
            }
            Payload::Mail(mail) => self.mail.send(mail, identity, self.authorities.as_ref()),
            Payload::Command(command) => alert_command::run(command, self.command_timeout),
        }
    }
}

/// What tells a delivery from all others, however often it is tried: of this database, at that time, the so-manieth.
pub(super) fn identity(database: &Path, delivery: &Delivery) -> String {
    use sha2::{Digest as _, Sha256};
    let text = format!("{}\n{}\n{:?}", database.display(), delivery.created_at.seconds(), delivery.delivery);
    Sha256::digest(text.as_bytes()).iter().take(16).fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

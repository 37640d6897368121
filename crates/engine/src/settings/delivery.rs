//! How notifications and alerts are delivered: the settings of Oozie's names, and those that Oozie has as constants.

use std::path::PathBuf;
use std::time::Duration;

use crate::settings::site::Site;
use howdah_host::command_environment::CommandVariables;
use howdah_host::http::Authorities;
use howdah_host::mail::{MailServer, Mailer};
use howdah_words::model::time::{DAY, MINUTE};

/// The longest any receiver is waited for, in milliseconds.
const LONGEST_TIMEOUT: u64 = 10 * 60 * 1000;

/// How things are delivered.
#[derive(Clone, Debug)]
pub struct DeliverySettings {
    /// `howdah.delivery.retries`: tries after the first one.
    pub retries: u32,
    /// `howdah.delivery.retry.interval`: seconds between two tries.
    pub(crate) retry_seconds: i64,
    /// `oozie.notification.url.connection.timeout`: for the connection, and again for the answer.
    pub(crate) http_timeout: Duration,
    /// `oozie.notification.proxy`: for jobs that name none.
    pub proxy: Option<String>,
    /// `howdah.ca.file`: the certificate authorities to trust in place of the public ones.
    pub authorities: Option<PathBuf>,
    /// `oozie.email.smtp.*` and `oozie.email.from.address`.
    pub mail: MailServer,
    /// `howdah.delivery.command.timeout`: how long an alert command may run.
    pub(crate) command_timeout: Duration,
    /// The environment of alert commands.
    pub command_variables: CommandVariables,
}

impl Default for DeliverySettings {
    fn default() -> Self {
        Self {
            retries: 3,
            retry_seconds: MINUTE,
            http_timeout: Duration::from_secs(10),
            proxy: None,
            authorities: None,
            mail: MailServer {
                host: "localhost".to_owned(),
                port: 25,
                login: None,
                starttls: false,
                timeout: Duration::from_secs(10),
                from: "oozie@localhost".to_owned(),
            },
            command_timeout: Duration::from_secs(60),
            command_variables: CommandVariables::default(),
        }
    }
}

impl DeliverySettings {
    /// The certificate authorities of the site, if it names any; in words why they cannot be read.
    pub fn read_authorities(&self) -> Result<Option<Authorities>, String> {
        let authorities = self.authorities.as_deref().map(Authorities::read).transpose();
        authorities.map_err(|error| format!("howdah.ca.file: {error}"))
    }

    /// Where letters are taken to; in words why they cannot be.
    pub fn mailer(&self) -> Result<Mailer, String> {
        Ok(Mailer { server: self.mail.clone(), authorities: self.read_authorities()? })
    }
}

impl Site<'_> {
    /// Reads what the site says of deliveries.
    pub(super) fn delivery(&mut self, settings: &mut DeliverySettings) {
        self.number("howdah.delivery.retries", 0..=1000, &mut settings.retries);
        self.number("howdah.delivery.retry.interval", 0..=DAY, &mut settings.retry_seconds);
        self.timeout("oozie.notification.url.connection.timeout", 1, &mut settings.http_timeout);
        self.timeout("howdah.delivery.command.timeout", 1000, &mut settings.command_timeout);
        settings.proxy = self.text("oozie.notification.proxy").map(str::to_owned);
        settings.authorities = self.text("howdah.ca.file").map(PathBuf::from);
        self.mail_server(&mut settings.mail);
    }

    fn mail_server(&mut self, server: &mut MailServer) {
        let text = |name: &str| self.text(name).map(str::to_owned);
        let (host, from) = (text("oozie.email.smtp.host"), text("oozie.email.from.address"));
        let user = text("oozie.email.smtp.username").unwrap_or_default();
        let password = text("oozie.email.smtp.password").unwrap_or_default();
        server.host = host.unwrap_or_else(|| server.host.clone());
        server.from = from.unwrap_or_else(|| server.from.clone());
        self.number("oozie.email.smtp.port", 1..=u16::MAX, &mut server.port);
        self.flag("oozie.email.smtp.starttls.enable", &mut server.starttls);
        self.timeout("oozie.email.smtp.socket.timeout.ms", 1, &mut server.timeout);
        let mut wants_login = false;
        self.flag("oozie.email.smtp.auth", &mut wants_login);
        server.login = wants_login.then_some((user, password));
    }

    /// A time in units of so many milliseconds, from one millisecond to ten minutes.
    fn timeout(&mut self, name: &str, unit_milliseconds: u64, setting: &mut Duration) {
        if let Some(units) = self.number_or_none::<u64>(name, 0..=u64::MAX) {
            *setting = Duration::from_millis(units.saturating_mul(unit_milliseconds).clamp(1, LONGEST_TIMEOUT));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::Settings;
    use howdah_words::model::Properties;

    #[test]
    fn every_setting_has_its_name_and_its_bounds() {
        let check = |name: &str, value: &str, expect: &str| {
            let site: Properties = [(name.to_owned(), value.to_owned())].into();
            let (settings, problems) = Settings::from_site(&site.into());
            let said = format!("{:?}", settings.delivery);
            assert!(said.contains(expect), "{name} = {value}: {said}");
            problems.len()
        };
        let mut wrong = 0;
        wrong += check("howdah.delivery.retries", "0", "retries: 0");
        wrong += check("howdah.delivery.retry.interval", "5", "retry_seconds: 5");
        wrong += check("oozie.notification.url.connection.timeout", "500", "http_timeout: 500ms");
        wrong += check("oozie.notification.url.connection.timeout", "0", "http_timeout: 1ms");
        wrong += check("oozie.notification.url.connection.timeout", "99999999", "http_timeout: 600s");
        wrong += check("howdah.delivery.command.timeout", "5", "command_timeout: 5s");
        wrong += check("oozie.notification.proxy", "socks@p:1", "proxy: Some(\"socks@p:1\")");
        wrong += check("howdah.ca.file", "/etc/ca.pem", "authorities: Some(\"/etc/ca.pem\")");
        wrong += check("oozie.email.smtp.host", "mail", "host: \"mail\"");
        wrong += check("oozie.email.smtp.port", "587", "port: 587");
        wrong += check("oozie.email.smtp.starttls.enable", "true", "starttls: true");
        wrong += check("oozie.email.smtp.auth", "true", "login: Some((\"\", \"\"))");
        wrong += check("oozie.email.smtp.username", "ann", "login: None");
        wrong += check("oozie.email.from.address", "a@b", "from: \"a@b\"");
        assert_eq!(wrong, 0);
        assert_eq!(check("oozie.email.smtp.port", "many", "port: 25"), 1);
    }
}

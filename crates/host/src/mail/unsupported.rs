//! The answers of a build without the feature `mail`: nothing is sent, and no address is wrong.

use super::message::{EmailMessage, Unsent};
use super::server::{MailServer, Mailer};
use crate::http::Authorities;
use howdah_words::model::delivery::{Mail, Undelivered};

const WHY: &str = "this howdah was built without the feature mail and cannot send mails";

impl Mailer {
    /// Refuses to send a mail.
    #[expect(clippy::unused_self, reason = "with the feature it asks the mail server")]
    pub fn post(&self, _mail: &EmailMessage, _identity: &str) -> Result<(), Unsent> {
        Err(Unsent::Refused(WHY.to_owned()))
    }
}

impl MailServer {
    /// Refuses to send a mail.
    #[expect(clippy::unused_self, reason = "with the feature it is asked")]
    pub fn send(
        &self,
        _mail: &Mail,
        _identity: &str,
        _authorities: Option<&Authorities>,
    ) -> Result<Option<String>, Undelivered> {
        Err(Undelivered::Permanent(WHY.to_owned()))
    }
}

/// Whether a text is a valid mail address: unknown without the feature, so none is refused.
pub fn is_address(_text: &str) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn sending_is_refused_and_names_the_feature() {
        let server = MailServer {
            host: "127.0.0.1".to_owned(),
            port: 25,
            login: None,
            starttls: false,
            timeout: Duration::from_secs(1),
            from: "oozie@localhost".to_owned(),
        };
        let mail = Mail { to: vec!["ops@example.org".to_owned()], subject: String::new(), body: String::new() };
        let sent = server.send(&mail, "7", None);
        assert!(matches!(sent, Err(Undelivered::Permanent(why)) if why.contains("without the feature mail")));
    }
}

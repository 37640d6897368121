//! Sends mails through a mail server (SMTP).
//!
//! Uses one connection per mail: mails are rare, and the server may close an idle connection.

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport as _};

use super::headers::{head, mailbox};
use super::message::{EmailMessage, Unsent};
use super::server::{MailServer, Mailer};
use crate::http::Authorities;
use howdah_words::model::delivery::{Mail, Undelivered};

impl Mailer {
    /// Sends a mail to all of its recipients, or to none. The identity is as for [`MailServer::send`].
    pub fn post(&self, mail: &EmailMessage, identity: &str) -> Result<(), Unsent> {
        let message = mail.message(&self.server.from, identity)?;
        self.server.hand_over(&message, self.authorities.as_ref()).map_err(Unsent::Refused)
    }
}

impl MailServer {
    /// Sends a mail to every valid address. Returns a text that names the invalid ones, or an error when it is not
    /// sent. A repeated mail has the same `identity`, so that the recipient's program can detect the duplicate.
    pub fn send(
        &self,
        mail: &Mail,
        identity: &str,
        authorities: Option<&Authorities>,
    ) -> Result<Option<String>, Undelivered> {
        let (recipients, left_out) = recipients(mail)?;
        let message = self.message(mail, recipients, identity)?;
        self.hand_over(&message, authorities)?;
        Ok(left_out.map(|left_out| format!("sent to the others: {left_out}")))
    }

    fn hand_over(&self, message: &Message, authorities: Option<&Authorities>) -> Result<(), String> {
        let refused = |error: lettre::transport::smtp::Error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("the mail server {}:{} did not take the mail: {error}{cause}", self.host, self.port)
        };
        let transport = self.transport(authorities).map_err(refused)?;
        transport.send(message).map(drop).map_err(refused)
    }

    fn message(&self, mail: &Mail, recipients: Vec<Mailbox>, identity: &str) -> Result<Message, String> {
        let mut builder = head(mailbox(&self.from)?, &mail.subject, identity);
        for recipient in recipients {
            builder = builder.to(recipient);
        }
        let built = builder.header(ContentType::TEXT_PLAIN).body(mail.body.clone());
        built.map_err(|error| format!("the mail cannot be written: {error}"))
    }

    fn transport(&self, authorities: Option<&Authorities>) -> Result<SmtpTransport, lettre::transport::smtp::Error> {
        let mut builder = SmtpTransport::builder_dangerous(&self.host).port(self.port).timeout(Some(self.timeout));
        if self.starttls {
            builder = builder.tls(Tls::Required(self.tls(authorities)?));
        }
        if let Some((user, password)) = &self.login {
            builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
        }
        Ok(builder.build())
    }

    fn tls(&self, authorities: Option<&Authorities>) -> Result<TlsParameters, lettre::transport::smtp::Error> {
        let mut parameters = TlsParameters::builder(self.host.clone());
        if let Some(authorities) = authorities {
            parameters = parameters.certificate_store(CertificateStore::None);
            for certificate in authorities.certificates() {
                parameters = parameters.add_root_certificate(Certificate::from_der(certificate.to_vec())?);
            }
        }
        parameters.build()
    }
}

/// Whether a text is a valid mail address.
pub fn is_address(text: &str) -> bool {
    mailbox(text).is_ok()
}

/// The valid addresses of a mail, and a text that names the invalid ones; a permanent failure when none is valid.
fn recipients(mail: &Mail) -> Result<(Vec<Mailbox>, Option<String>), Undelivered> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for address in &mail.to {
        match mailbox(address) {
            Ok(mailbox) => good.push(mailbox),
            Err(why) => bad.push(why),
        }
    }
    let bad = (!bad.is_empty()).then(|| bad.join("; "));
    match bad {
        Some(bad) if good.is_empty() => Err(Undelivered::Permanent(bad)),
        bad => Ok((good, bad)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn server(port: u16) -> MailServer {
        MailServer {
            host: "127.0.0.1".to_owned(),
            port,
            login: None,
            starttls: false,
            timeout: Duration::from_millis(300),
            from: "oozie@localhost".to_owned(),
        }
    }

    fn mail(to: &str) -> Mail {
        Mail { to: vec![to.to_owned()], subject: "Läuft nicht".to_owned(), body: "line one\n.\n".to_owned() }
    }

    #[test]
    fn a_mail_has_its_addresses_its_subject_and_its_identity() {
        let mail = mail("ops@example.org");
        let text = server(25).message(&mail, recipients(&mail).unwrap().0, "7").unwrap().formatted();
        let text = String::from_utf8(text).unwrap();
        for expect in [
            "From: oozie@localhost\r\n",
            "To: ops@example.org\r\n",
            "Message-ID: <7@howdah>\r\n",
            "Subject: =?utf-8?b?",
            "Content-Type: text/plain; charset=utf-8\r\n",
        ] {
            assert!(text.contains(expect), "{expect} in {text}");
        }
    }

    #[test]
    fn a_failure_has_its_reason() {
        let check = |to: &str, port: u16, expect: &str| {
            let Err(Undelivered::Retryable(message)) = server(port).send(&mail(to), "7", None) else { panic!("{to}") };
            assert!(message.contains(expect), "{message}");
        };
        check("ops@example.org", 1, "the mail server 127.0.0.1:1 did not take the mail: ");
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        check("ops@example.org", silent.local_addr().unwrap().port(), "did not take the mail: ");
    }

    #[test]
    fn invalid_addresses_are_left_out() {
        let check = |to: &[&str], good: usize, bad: &[&str]| {
            let mail = Mail { to: to.iter().map(|&to| to.to_owned()).collect(), ..mail("") };
            let (found, left_out) = match recipients(&mail) {
                Ok((found, left_out)) => (found.len(), left_out),
                Err(Undelivered::Permanent(why)) => (0, Some(why)),
                Err(other) => panic!("{other:?}"),
            };
            assert_eq!((found, left_out.is_some()), (good, !bad.is_empty()), "{to:?}");
            let left_out = left_out.unwrap_or_default();
            assert!(bad.iter().all(|bad| left_out.contains(&format!("[{bad}] is no mail address"))), "{left_out}");
        };
        check(&["ops@example.org", "Joe <joe@example.org>"], 2, &[]);
        check(&["ops@example.org", "joe"], 1, &["joe"]);
        check(&["joe", "ops@"], 0, &["joe", "ops@"]);
        check(&["ops@b\u{fc}cher.example", "ops@\u{65e5}\u{672c}.example"], 2, &[]);
        check(&["ops@b\u{fc}\u{378}.example"], 0, &["ops@b\u{fc}\u{378}.example"]);
    }
}

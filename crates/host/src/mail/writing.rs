//! Writes a mail of an action: several kinds of recipients, a content type, attachments.
//!
//! Decides how it is written, not whether it is sent.

use std::io;

use lettre::Message;
use lettre::message::header::ContentType;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};

use super::headers::{head, mailbox};
use super::message::{EmailMessage, Unsent};
use crate::found;
use crate::located::{Kind, Located};

/// The most bytes of all attachments of one mail together; mail servers accept less.
const LARGEST_ATTACHMENTS: u64 = 64 << 20;

impl EmailMessage {
    /// The mail from this sender; a repeated mail has the same `identity`.
    pub(super) fn message(&self, from: &str, identity: &str) -> Result<Message, Unsent> {
        let mut builder = head(mailbox(from).map_err(Unsent::Sender)?, &self.subject, identity);
        for to in mailboxes(&self.to)? {
            builder = builder.to(to);
        }
        for cc in mailboxes(&self.cc)? {
            builder = builder.cc(cc);
        }
        for bcc in mailboxes(&self.bcc)? {
            builder = builder.bcc(bcc);
        }
        let body = SinglePart::builder().header(self.content_type()?).body(self.body.clone());
        let built = match self.attachments()? {
            attachments if attachments.is_empty() => builder.singlepart(body),
            attachments => {
                let all = MultiPart::mixed().singlepart(body);
                builder.multipart(attachments.into_iter().fold(all, MultiPart::singlepart))
            }
        };
        built.map_err(|error| Unsent::Refused(format!("the mail cannot be written: {error}")))
    }

    /// The text is in UTF-8 whatever character set is named, because it is encoded so.
    fn content_type(&self) -> Result<ContentType, Unsent> {
        let is_charset = |part: &&str| part.trim_start().to_ascii_lowercase().starts_with("charset");
        let mut parts: Vec<&str> = self.content_type.trim().split(';').collect();
        if parts[0].to_ascii_lowercase().starts_with("text/") {
            parts.retain(|part| !is_charset(part));
            parts.push(" charset=utf-8");
        }
        let form = format!("content_type [{}] is not of the form text/html", self.content_type);
        ContentType::parse(&parts.join(";")).map_err(|_| Unsent::Refused(form))
    }

    fn attachments(&self) -> Result<Vec<SinglePart>, Unsent> {
        let mut room = LARGEST_ATTACHMENTS;
        let mut parts = Vec::with_capacity(self.attachments.len());
        for place in &self.attachments {
            let content = read(place, room).map_err(|error| {
                let why = format!("[{}] {error}", place.place());
                if found::may_pass(&error) { Unsent::Blocked(why) } else { Unsent::Attachment(why) }
            })?;
            room -= content.len() as u64;
            let name = place.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            let kind = ContentType::parse("application/octet-stream").expect("a type of content");
            parts.push(Attachment::new(name).body(content, kind));
        }
        Ok(parts)
    }
}

/// The content of a file of at most `room` bytes.
fn read(place: &Located, room: u64) -> io::Result<Vec<u8>> {
    // If this check cannot say, the read below reports the error.
    if matches!(place.kind(), Ok(Kind::Directory)) {
        return Err(io::Error::other("is a folder"));
    }
    let content = place.read_start(room + 1)?;
    if content.len() as u64 > room {
        let why = format!("is too large: all attachments together may have {LARGEST_ATTACHMENTS} bytes");
        return Err(io::Error::other(why));
    }
    Ok(content)
}

fn mailboxes(addresses: &[String]) -> Result<Vec<Mailbox>, Unsent> {
    addresses.iter().map(|address| mailbox(address)).collect::<Result<_, _>>().map_err(Unsent::Recipient)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::files;

    fn mail(body: &str) -> EmailMessage {
        let list = |address: &str| vec![address.to_owned()];
        EmailMessage {
            to: list("a@x.org"),
            cc: list("Cy <c@x.org>"),
            bcc: list("b@x.org"),
            subject: "Report\r\nBcc: evil@x.org".to_owned(),
            body: body.to_owned(),
            content_type: "text/plain".to_owned(),
            attachments: Vec::new(),
        }
    }

    fn check(mail: &EmailMessage, expect: &[&str], absent: &[&str]) {
        let message = mail.message("from@x.org", "7").unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        for expect in expect {
            assert!(text.contains(expect), "{expect} in {text}");
        }
        for absent in absent {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert_eq!(message.envelope().to().len(), 3, "{text}");
    }

    #[test]
    fn all_recipients_get_it_and_none_sees_the_blind_copy() {
        let expect =
            ["To: a@x.org\r\n", "Cc: Cy <c@x.org>\r\n", "Subject: Report  Bcc: evil@x.org\r\n", "\r\n\r\nbody"];
        check(&mail("body"), &expect, &["b@x.org", "\r\nBcc:"]);
        check(&mail(""), &["Content-Type: text/plain; charset=utf-8\r\n"], &[]);
        let html = EmailMessage { content_type: " text/html ".to_owned(), ..mail("<p>ä</p>") };
        check(&html, &["Content-Type: text/html; charset=utf-8\r\n"], &["text/plain"]);
        let latin = EmailMessage { content_type: "text/html; charset=iso-8859-1; x=y".to_owned(), ..mail("ä") };
        check(&latin, &["Content-Type: text/html; x=y; charset=utf-8\r\n"], &["iso-8859-1"]);
    }

    #[test]
    fn attachments_are_beside_the_body() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        files::write(&path, b"1,2\n").unwrap();
        let with = EmailMessage { attachments: vec![Located::named_here(&path)], ..mail("see below") };
        let name = "Content-Disposition: attachment; filename=\"data.csv\"";
        check(&with, &["multipart/mixed", "see below", name, "1,2"], &[]);
    }

    #[test]
    fn what_cannot_be_sent_is_sent_to_no_recipient() {
        let folder = tempfile::tempdir().unwrap();
        let attached = |path: PathBuf| EmailMessage { attachments: vec![Located::named_here(&path)], ..mail("") };
        let refused = |mail: &EmailMessage, from: &str| mail.message(from, "7").unwrap_err();
        let joe = vec!["a@x.org".to_owned(), "joe".to_owned()];
        assert!(matches!(refused(&mail(""), "oozie"), Unsent::Sender(why) if why.contains("[oozie] is no mail")));
        let bad = EmailMessage { bcc: joe, ..mail("") };
        assert!(matches!(refused(&bad, "a@x.org"), Unsent::Recipient(why) if why.contains("[joe] is no mail")));
        for (path, expect) in [(folder.path().join("none"), "No such file"), (folder.path().to_owned(), "is a folder")]
        {
            let Unsent::Attachment(why) = refused(&attached(path), "a@x.org") else { panic!("{expect}") };
            assert!(why.contains(expect), "{why}");
        }
        let odd = EmailMessage { content_type: "html".to_owned(), ..mail("") };
        assert!(matches!(refused(&odd, "a@x.org"), Unsent::Refused(why) if why.contains("[html] is not of the form")));
    }
}

//! What every mail has: its headers, and addresses that are valid. Must not depend on the content of a mail.

use std::time::SystemTime;

use lettre::Message;
use lettre::address::AddressError;
use lettre::message::{Mailbox, MessageBuilder};

/// The headers of every mail. A subject is one line, so its text cannot add another header.
pub(super) fn head(from: Mailbox, subject: &str, identity: &str) -> MessageBuilder {
    Message::builder()
        .from(from)
        .subject(subject.replace(char::is_control, " "))
        .date(SystemTime::now())
        .message_id(Some(format!("<{identity}@howdah>")))
}

/// The mailbox of an address; a sentence when it is not valid.
pub(super) fn mailbox(address: &str) -> Result<Mailbox, String> {
    address.parse().map_err(|error: AddressError| format!("[{address}] is no mail address: {error}"))
}

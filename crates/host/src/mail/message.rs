//! A mail with everything that an action can give it: several kinds of recipients, a content type, attachments.

use serde::{Deserialize, Serialize};

use crate::located::Located;

/// A mail that is sent to all recipients or to none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailMessage {
    pub to: Vec<String>,
    pub cc: Vec<String>,
    /// The recipients that the other recipients do not see.
    pub bcc: Vec<String>,
    pub subject: String,
    pub body: String,
    /// For example `text/html; charset=utf-8`.
    pub content_type: String,
    /// Files of this machine, read when the mail is sent.
    pub attachments: Vec<Located>,
}

/// Why a mail was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// The site's sender address is not valid.
    Sender(String),
    /// A recipient address is not valid.
    Recipient(String),
    /// An attachment cannot be read.
    Attachment(String),
    /// An attachment cannot be read at present: nothing was sent, and another try may succeed.
    Blocked(String),
    /// It cannot be encoded as a mail, or the mail server did not accept it.
    Refused(String),
}

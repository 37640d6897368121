//! Sends mails: those of alerts, and those of `email` actions. Decides neither the recipients nor the text.
//!
//! Without the feature `mail`, sending is refused.

#[cfg(feature = "mail")]
mod headers;
mod message;
mod server;
#[cfg(feature = "mail")]
mod smtp;
#[cfg(not(feature = "mail"))]
mod unsupported;
#[cfg(feature = "mail")]
mod writing;

pub use message::{EmailMessage, Unsent};
pub use server::{MailServer, Mailer};
#[cfg(feature = "mail")]
pub use smtp::is_address;
#[cfg(not(feature = "mail"))]
pub use unsupported::is_address;

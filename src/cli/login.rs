//! `howdah login` (hidden): tries a login with Kerberos for another process of howdah, which a crash of the library
//! would end.

use std::io;

use clap::Args;

use crate::cli::exit::{Failure, Status};
use howdah_host::file_store;
use howdah_words::error::{Error, ErrorCode};

/// Try the login that standard input asks for
#[derive(Args, Debug)]
pub(crate) struct LoginArgs {}

/// Tries a login and answers why it fails.
pub(crate) fn login(_: &LoginArgs) -> Result<Status, Failure> {
    match file_store::try_logins() {
        Ok(()) => Ok(Status::Done),
        // The other process waits no more.
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
            Ok(Status::Done)
        }
        Err(error) => Err(Error::new(ErrorCode::H0252, error).into()),
    }
}

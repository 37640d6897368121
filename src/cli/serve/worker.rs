//! `howdah answers` (hidden): works on the requests that `howdah serve` hands over, one after another.

use std::io;
use std::time::Duration;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::routes;
use crate::cli::serve::site::Site;
use howdah_host::partner::{self, Message};
use howdah_host::web::{Answer, Request};
use howdah_host::{processes, watch};
use howdah_store::kept;
use howdah_words::error::{Error, ErrorCode};

/// How long a request that only reads waits for a file system.
pub(super) const LONGEST_LOOK: Duration = Duration::from_secs(20);

/// Answer the requests on standard input
#[derive(Args, Debug)]
pub(crate) struct AnswersArgs {
    /// Allow requests that change something
    #[arg(long)]
    allow_write: bool,
}

impl AnswersArgs {
    /// Returns how long this process waits for a file system: when it only reads, a client waits for the answer.
    pub(crate) const fn longest_look(&self) -> Duration {
        if self.allow_write { watch::LIMIT } else { LONGEST_LOOK }
    }
}

/// Answers requests until there are no more.
pub(crate) fn answers(global: &GlobalArgs, arguments: &AnswersArgs) -> Result<Status, Failure> {
    // Ctrl-C asks the server to end: this process ends behind its current request.
    processes::leave_session();
    // What a request does is reported to its client, not on standard error.
    let own = GlobalArgs { json: None, quiet: true, ..global.clone() };
    // A process that changes something opens the database for each request.
    if !arguments.allow_write {
        kept::begin();
    }
    match partner::work(|message| answer(&own, arguments.allow_write, message), kept::close) {
        Ok(()) => Ok(Status::Done),
        // Without the server there is no client any more.
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
            Ok(Status::Done)
        }
        Err(error) => Err(Error::new(ErrorCode::H0252, error).into()),
    }
}

/// Answers one request. After a refusal the next one opens the database again: the refusal may be about it.
fn answer(global: &GlobalArgs, allows_changes: bool, message: Message) -> Message {
    let work = |request: Request| routes::answer(&Site::new(global, allows_changes, &request.client), &request);
    let answer = Request::from_message(message).map_or_else(|| Answer::empty(400), work);
    if answer.status >= 400 {
        kept::close();
    }
    answer.into_message()
}

/// Answers the current request of this process with the error that ends it: a file system gives no answer.
pub(crate) fn give_up(error: &Error) {
    let answer = Refusal::with_status(error, 504).answer().into_message();
    let _ = partner::reply(&Message { is_last: true, ..answer });
}

//! The processes that work on requests, and what the server answers where they cannot.
//!
//! The server itself touches neither the database nor a file of a job: a file system that hangs delays the requests
//! that need it, and nothing else.

use std::time::Duration;

use crate::cli::serve::lane::{Lane, subject};
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::worker;
use howdah_engine::Engine;
use howdah_engine::service::spawn;
use howdah_host::watch;
use howdah_host::web::{Answer, Failed, Pool, Request};
use howdah_words::error::{Error, ErrorCode};

/// How many requests that only read the database are worked on at once.
const MOST_QUERIES: usize = 4;
/// How many requests that look at files of jobs are worked on at once.
const MOST_WITH_FILES: usize = 8;
/// How many changes are worked on at once.
const MOST_CHANGES: usize = 4;
/// How long a change may take: it may delete many files.
const LONGEST_CHANGE: Duration = Duration::from_secs(300);
/// How long a request waits for a free process.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The same for a change: the changes before it may wait for each other.
const LONGEST_WAIT_OF_CHANGE: Duration = Duration::from_secs(60);

/// The processes of a server.
#[derive(Debug)]
pub(super) struct Workers {
    database: Pool,
    files: Pool,
    changes: Pool,
}

impl Workers {
    /// Returns the processes for a database; each is started when it is needed first.
    pub(super) fn new(engine: &Engine) -> Self {
        let pool = |verb: &[&str], most, times| Pool::new(spawn::arguments(engine, verb), most, times);
        // A worker that gets no answer from a file system says so itself, before its time is over.
        let reading = watch::limit(worker::LONGEST_LOOK) * 2;
        let reading = (reading, LONGEST_WAIT.min(reading));
        Self {
            database: pool(&["answers"], MOST_QUERIES, reading),
            files: pool(&["answers"], MOST_WITH_FILES, reading),
            changes: pool(&["answers", "--allow-write"], MOST_CHANGES, (LONGEST_CHANGE, LONGEST_WAIT_OF_CHANGE)),
        }
    }

    /// Lets one of the processes answer a request.
    pub(super) fn answer(&self, lane: Lane, mut request: Request) -> Answer {
        let pool = match lane {
            Lane::Here | Lane::Database => &self.database,
            Lane::Files => &self.files,
            Lane::Changes => &self.changes,
        };
        // What the client showed to be let in is checked here, and no other process needs it.
        request.remove_header("authorization");
        let subject = subject(&request).map(str::to_owned);
        let answer = pool.ask(subject.as_deref(), &request.into_message());
        let answer = answer.map_err(|failed| refusal(&failed)).and_then(|answer| {
            Answer::from_message(answer).ok_or_else(|| refusal(&Failed::Ended("it is another version".to_owned())))
        });
        answer.unwrap_or_else(|refusal| refusal.answer())
    }
}

fn refusal(failed: &Failed) -> Refusal {
    match failed {
        Failed::Late(limit) => Refusal::with_status(&Error::with(ErrorCode::H0250, &[&limit.as_secs_f32()]), 504),
        Failed::Busy(working) => Error::with(ErrorCode::H0251, &[working]).into(),
        Failed::Ended(how) => Refusal::with_status(&Error::new(ErrorCode::H0252, how), 500),
        Failed::NotStarted(error) => Refusal::with_status(error, 503),
    }
}

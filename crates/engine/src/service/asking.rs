//! Servers that a thread asks, for what ticks have left open, while the process goes on with all else.
//!
//! The thread touches no database: what follows from the answers is a step of the process itself.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::tick::report::Report;
use howdah_host::file_store::StoreSettings;
use howdah_host::presence::Servers;
use howdah_host::session::handed_down;

pub(super) struct Asking {
    answers: Receiver<Servers>,
    /// What is left open.
    report: Report,
}

impl Asking {
    /// Asks for what a report has left open; each server for at most the time of a tick since it was first asked for
    /// this report.
    pub(super) fn begin(mut report: Report, settings: &StoreSettings) -> Self {
        let (sender, answers) = mpsc::channel();
        let mut servers = *std::mem::take(&mut report.servers);
        let settings = settings.clone();
        let work = move || {
            servers.ask_deferred(&settings);
            // The process may be at its end.
            let _ = sender.send(servers);
        };
        // Without a thread there are no answers, and the next tick asks.
        let _ = thread::Builder::new().spawn(handed_down(work));
        Self { answers, report }
    }

    /// Returns what was left open, with the answers, once they are there; waits for them for at most `patience`.
    pub(super) fn finish(&mut self, patience: Duration) -> Option<Report> {
        match self.answers.recv_timeout(patience) {
            Ok(servers) => *self.report.servers = servers,
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => *self.report.servers = Servers::without_time(),
        }
        Some(std::mem::take(&mut self.report))
    }
}

//! `--tick`: ticks and advances workflows on a thread of the server, as `howdah daemon` does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::cli::args::GlobalArgs;
use crate::cli::daemon;
use crate::cli::exit::Failure;
use crate::cli::moment::read_duration;
use crate::engine::tick::Clock;
use crate::error::{Error, ErrorCode};
use std::sync::Arc;

/// The longest interval, in seconds.
const LONGEST: i64 = 3600;

/// Reads the value of `--tick`.
///
/// # Errors
/// H0002 for what is no duration between one second and one hour.
pub(super) fn read_interval(text: &str) -> Result<Duration, Failure> {
    let seconds = read_duration("--tick", text)?;
    match u64::try_from(seconds) {
        Ok(whole) if (1..=LONGEST).contains(&seconds) => Ok(Duration::from_secs(whole)),
        _ => {
            let error = Error::new(ErrorCode::H0002, format!("--tick [{text}]: it must be from 1s to 1h"));
            Err(error.help("write --tick 60s").into())
        }
    }
}

/// The thread that ticks.
pub(super) struct Ticks(JoinHandle<Result<(), Failure>>);

/// Starts the thread. When it fails, the server stops.
pub(super) fn start(global: &GlobalArgs, every: Duration, stop: &Arc<AtomicBool>) -> Ticks {
    let (global, stop) = (global.clone(), Arc::clone(stop));
    Ticks(thread::spawn(move || {
        let ticked = daemon::tick_until_signal(&global, (every, Clock::Checked), None);
        stop.store(true, Ordering::Relaxed);
        ticked
    }))
}

impl Ticks {
    /// Waits for the end of the thread.
    ///
    /// # Errors
    /// Why it could not continue.
    pub(super) fn end(self) -> Result<(), Failure> {
        self.0.join().unwrap_or_else(|_| Err(Error::new(ErrorCode::H0001, "the thread that ticks ended").into()))
    }
}

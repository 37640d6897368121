//! `--tick`: a process beside the server ticks and advances workflows, as `howdah daemon` does.
//!
//! A file system that gives no answer ends that process, and a new one is started; the server answers meanwhile.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::cli::exit::{Failure, Status};
use crate::cli::moment::read_duration;
use crate::output::text;
use howdah_engine::Engine;
use howdah_engine::service::spawn;
use howdah_host::clock::pause;
use howdah_host::partner::{End, Partner};
use howdah_words::error::{Error, ErrorCode};

/// The longest interval, in seconds.
const LONGEST: i64 = 3600;
/// Between the end of a process that ticks and the start of the next one.
const RESTART: Duration = Duration::from_secs(5);
/// How long the process may take to end with the server.
const LAST_TIME: Duration = Duration::from_secs(5);
/// Between two checks of the process.
const LOOK: Duration = Duration::from_millis(100);

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

/// The thread that keeps a process ticking.
pub(super) struct Ticks(JoinHandle<Result<(), Failure>>);

/// Starts the thread. When ticks are refused for good, the server stops.
pub(super) fn start(engine: &Engine, every: Duration, (is_quiet, stop): (bool, &Arc<AtomicBool>)) -> Ticks {
    let seconds = every.as_secs().to_string();
    let mut verb = vec!["daemon", "--every", &seconds, "--with-server"];
    verb.extend(is_quiet.then_some("--quiet"));
    let (arguments, stop) = (spawn::arguments(engine, &verb), Arc::clone(stop));
    Ticks(thread::spawn(move || {
        let ticked = keep_ticking(&arguments, &stop);
        stop.store(true, Ordering::Relaxed);
        ticked
    }))
}

fn keep_ticking(arguments: &[OsString], stop: &AtomicBool) -> Result<(), Failure> {
    let is_over = || stop.load(Ordering::Relaxed);
    while !is_over() {
        let ended = match Partner::start(arguments) {
            Ok(partner) => await_end(partner, &is_over),
            // Such as too many processes: it may be possible later.
            Err(error) => Some(Err(error)),
        };
        let why = match ended {
            None => return Ok(()),
            Some(Ok(status)) if is_refusal(status) => return Err(Error::new(ErrorCode::H0253, status).into()),
            Some(Ok(status)) => status.to_string(),
            Some(Err(error)) => error.to_string(),
        };
        if !is_over() {
            text::aside(&format!("serve: the process that ticks ended ({why}); another one follows"));
        }
        let mut waited = Duration::ZERO;
        while waited < RESTART && !is_over() {
            pause(LOOK);
            waited += LOOK;
        }
    }
    Ok(())
}

/// Waits for the end of the process, or ends it with the server; then there is no status.
fn await_end(mut partner: Partner, is_over: &dyn Fn() -> bool) -> Option<Result<End, Error>> {
    loop {
        if is_over() {
            partner.close();
            partner.await_end(LAST_TIME);
            return None;
        }
        match partner.end() {
            Some(status) => return Some(Ok(status)),
            None => pause(LOOK),
        }
    }
}

/// Returns whether another process would end in the same way. Without a number it was killed; with these two numbers it
/// got no answer, or was asked to end.
fn is_refusal(ended: End) -> bool {
    ended
        .code()
        .is_some_and(|code| ![Status::Busy, Status::Done].iter().any(|status| code == i32::from(status.number())))
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

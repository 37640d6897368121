//! A store that has let a call wait without an answer is not asked again for as long as that took. Else each job of a
//! tick, and each action of a runner, would wait for it one after another. Must not depend on what is asked.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Entry, Existing, FileStore, StoreError, Summary, Verdict};
use crate::clock::{Stopwatch, uptime};

/// A failure that came sooner costs little when it comes again.
const LONG: Duration = Duration::from_secs(1);
/// The longest time without a question.
const LONGEST: Duration = Duration::from_secs(30);

/// A store, and until when it is left alone.
#[derive(Debug)]
pub(super) struct AfterSilence {
    store: Arc<dyn FileStore>,
    /// The uptime at which it may be asked again, and what it said last.
    silent: Mutex<Option<(Duration, String)>>,
}

impl AfterSilence {
    pub(super) fn of(store: Arc<dyn FileStore>) -> Self {
        Self { store, silent: Mutex::new(None) }
    }

    fn ask<T>(&self, call: impl FnOnce(&dyn FileStore) -> io::Result<T>) -> io::Result<T> {
        let silent = || self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = silent().as_ref().filter(|(until, _)| uptime() < *until) {
            return Err(StoreError::unknown(text));
        }
        let watch = Stopwatch::start();
        let answer = call(self.store.as_ref());
        let took = watch.elapsed();
        let told = answer.as_ref().err().and_then(StoreError::in_error);
        if let Some(told) = told.filter(|told| told.verdict == Verdict::Unknown && !told.is_of_path && took >= LONG) {
            *silent() = Some((uptime() + took.min(LONGEST), told.to_string()));
        }
        answer
    }
}

impl FileStore for AfterSilence {
    fn stat(&self, path: &str) -> io::Result<Option<Entry>> {
        self.ask(|store| store.stat(path))
    }

    fn list(&self, folder: &str) -> io::Result<Option<Vec<Entry>>> {
        self.ask(|store| store.list(folder))
    }

    fn list_up_to(&self, folder: &str, most: usize) -> io::Result<Option<Vec<Entry>>> {
        self.ask(|store| store.list_up_to(folder, most))
    }

    fn open(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        self.ask(|store| store.open(path))
    }

    fn write(&self, path: &str, content: &mut dyn Read, existing: Existing) -> io::Result<()> {
        self.ask(|store| store.write(path, content, existing))
    }

    fn create_folders(&self, path: &str) -> io::Result<()> {
        self.ask(|store| store.create_folders(path))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.ask(|store| store.rename(from, to))
    }

    fn delete(&self, path: &str) -> io::Result<bool> {
        self.ask(|store| store.delete(path))
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        self.ask(|store| store.set_mode(path, mode))
    }

    fn set_group(&self, path: &str, group: &str) -> io::Result<()> {
        self.ask(|store| store.set_group(path, group))
    }

    fn set_replication(&self, path: &str, copies: u16) -> io::Result<()> {
        self.ask(|store| store.set_replication(path, copies))
    }

    fn set_times_to_now(&self, path: &str) -> io::Result<()> {
        self.ask(|store| store.set_times_to_now(path))
    }

    fn home(&self) -> io::Result<String> {
        self.store.home()
    }

    fn summary(&self, path: &str) -> io::Result<Option<Summary>> {
        self.ask(|store| store.summary(path))
    }
}

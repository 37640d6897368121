//! Waits for the answers of asynchronous clients, each within a time limit.
//!
//! Everything runs on the thread that asks; several threads may ask at once. A client that may also wait in a library
//! has a runtime with a thread of its own, so that its limits hold whatever its other callers do. Must not depend on
//! what is asked.

use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "hdfs")]
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Builder;
#[cfg(feature = "hdfs")]
use tokio::runtime::Handle;

use super::StoreError;

/// A runtime, and the process that it belongs to.
#[cfg(feature = "hdfs")]
type Known = Mutex<Option<(u32, Arc<Runtime>)>>;

/// One runtime for the connections of a process.
#[derive(Debug)]
pub(super) struct Runtime {
    runtime: tokio::runtime::Runtime,
}

impl Runtime {
    /// # Errors
    /// Unknown, when the machine gives no memory or no handles.
    pub(super) fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.map(|runtime| Self { runtime }).map_err(|error| StoreError::unknown(error.to_string()))
    }

    /// The runtime that all clients of this process share: a connection that one client leaves to another is of no use
    /// in another runtime.
    ///
    /// # Errors
    /// As [`Self::new`].
    #[cfg(feature = "hdfs")]
    pub(super) fn of_process() -> io::Result<Arc<Self>> {
        static KNOWN: Known = Mutex::new(None);
        Self::known(&KNOWN, Self::new)
    }

    /// As [`Self::of_process`], with a thread that looks after connections and times. A caller that waits in a library
    /// then keeps no other one from its answer.
    ///
    /// # Errors
    /// As [`Self::new`], also when the machine gives no thread.
    #[cfg(feature = "hdfs")]
    pub(super) fn with_thread_of_process() -> io::Result<Arc<Self>> {
        static KNOWN: Known = Mutex::new(None);
        Self::known(&KNOWN, || {
            let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("hdfs").enable_all().build();
            runtime.map(|runtime| Self { runtime }).map_err(|error| StoreError::unknown(error.to_string()))
        })
    }

    #[cfg(feature = "hdfs")]
    fn known(known: &Known, new: impl FnOnce() -> io::Result<Self>) -> io::Result<Arc<Self>> {
        let process = std::process::id();
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, runtime)) = known.as_ref().filter(|(of, _)| *of == process) {
            return Ok(Arc::clone(runtime));
        }
        let runtime = Arc::new(new()?);
        // That of the process that this one was forked from must not be closed: both would use the same handles.
        if let Some(forked) = known.replace((process, Arc::clone(&runtime))) {
            std::mem::forget(forked);
        }
        Ok(runtime)
    }

    /// What clients need to start tasks of their own; those run only while a call waits.
    #[cfg(feature = "hdfs")]
    pub(super) fn handle(&self) -> &Handle {
        self.runtime.handle()
    }

    /// The answer of a call. It is given up after `limit`; a change may then have been done nevertheless.
    ///
    /// # Errors
    /// Unknown after the limit, and when the client panics; `server` is named in the text.
    pub(super) fn within<T>(&self, limit: Duration, server: &str, call: impl Future<Output = T>) -> io::Result<T> {
        let limited = async { tokio::time::timeout(limit, call).await };
        match catch_unwind(AssertUnwindSafe(|| self.runtime.block_on(limited))) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => {
                Err(StoreError::unknown(format!("{server} has not answered within {} s", limit.as_secs_f32())))
            }
            Err(_) => Err(StoreError::unknown(format!("the client cannot read what {server} answers"))),
        }
    }
}

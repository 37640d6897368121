//! Waits for the answers of clients, each within a time limit: on this thread where only servers are waited for, on
//! another one where the library of Kerberos may be. Must not depend on what is asked.

use std::io;
use std::sync::Arc;

use super::super::StoreLimits;
use super::super::runtime::Runtime;
use super::apart::Apart;
use super::client::Login;

/// How the calls of a store are waited for.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) runtime: Arc<Runtime>,
    pub(super) limits: StoreLimits,
    pub(super) login: Login,
    /// With Kerberos: a call may log in.
    apart: Option<Apart>,
}

impl Calls {
    pub(super) fn new(login: Login, limits: StoreLimits) -> io::Result<Self> {
        let with_kerberos = login.tickets().is_some();
        let runtime = if with_kerberos { Runtime::with_thread_of_process() } else { Runtime::of_process() }?;
        let apart = with_kerberos.then(|| Apart::new(Arc::clone(&runtime)));
        Ok(Self { runtime, limits, login, apart })
    }

    /// The answer of a call, within the limit for one.
    ///
    /// # Errors
    /// Those of the call; unknown without an answer.
    pub(super) fn within<T, C>(&self, server: &str, call: C) -> io::Result<T>
    where
        C: AsyncFnOnce() -> io::Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let limit = self.limits.answer();
        let Some(apart) = &self.apart else { return self.runtime.within(limit, server, call()).flatten() };
        apart.within(limit, server, call)
    }

    /// The next answer of a call that has begun.
    ///
    /// # Errors
    /// What the client's error means.
    pub(super) fn go_on<T, C>(&self, server: &str, call: C) -> io::Result<T>
    where
        C: AsyncFnOnce() -> hdfs_native::Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let told = self.within(server, async move || Ok(call().await))?;
        told.map_err(|error| self.login.failure(server, &error).error)
    }
}

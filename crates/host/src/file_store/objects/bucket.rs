//! A bucket and its client: every call within a limit. Must not know what is asked for.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use object_store::ObjectStore;
use object_store::list::PaginatedListStore;

use super::super::StoreAddress;
use super::super::runtime::Runtime;
use super::answer;

/// How many times the limit of an answer the parts of one call may take together.
const PARTS: u32 = 10;

/// What the library offers for a bucket.
pub(super) trait Client: ObjectStore + PaginatedListStore {}

impl<T: ObjectStore + PaginatedListStore> Client for T {}

/// A bucket, and how long it may take. Shows no secret.
pub(super) struct Bucket {
    client: Arc<dyn Client>,
    address: StoreAddress,
    runtime: Runtime,
    limit: Duration,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_tuple("Bucket").field(&self.address.server).finish()
    }
}

impl Bucket {
    /// A bucket that is asked as its address says.
    ///
    /// # Errors
    /// Unknown, when the machine gives no memory or no handles.
    pub(super) fn new(client: Arc<dyn Client>, address: &StoreAddress) -> io::Result<Self> {
        let limit = address.limits.connect() + address.limits.answer() * PARTS;
        Ok(Self { client, address: address.clone(), runtime: Runtime::new()?, limit })
    }

    pub(super) fn client(&self) -> &dyn Client {
        self.client.as_ref()
    }

    pub(super) fn server(&self) -> &str {
        &self.address.server
    }

    /// The library's answer to a call.
    pub(super) fn try_ask<T>(
        &self,
        call: impl Future<Output = object_store::Result<T>>,
    ) -> io::Result<object_store::Result<T>> {
        self.runtime.within(self.limit, self.server(), call)
    }

    /// The same; an error of the library has become one of a store.
    pub(super) fn ask<T>(&self, call: impl Future<Output = object_store::Result<T>>) -> io::Result<T> {
        self.try_ask(call)?.map_err(|error| answer::meaning(self.server(), &error))
    }

    /// Whether the site lets a path be written.
    pub(super) fn may_write(&self, path: &str) -> bool {
        self.address.may_write(path)
    }
}

//! An HTTP server on one address: takes requests within limits and hands each to a function on a thread of its own.
//!
//! Must not depend on what is requested: it knows no route and no job.

mod message;
mod peer;
mod pool;
mod server;

pub(crate) use message::{Answer, Request};
pub(crate) use peer::user_of;
pub(crate) use pool::{Failed, Pool};
pub(crate) use server::{Handler, Listener, run};

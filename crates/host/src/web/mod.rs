//! An HTTP server on one address: takes requests within limits and hands each to a function on a thread of its own.
//!
//! Must not depend on what is requested: it knows no route and no job.

mod message;
mod peer;
mod pool;
mod server;

pub use message::{Answer, Client, Request};
pub use peer::user_of;
pub use pool::{Failed, Pool};
pub use server::{Handler, Listener, run};

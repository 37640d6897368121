//! `serve`: Oozie's web services over HTTP.

mod clients;
mod hostile;
mod pages;
mod reading;
pub(crate) mod server;
mod writing;

//! `serve`: Oozie's web services over HTTP.

mod access;
mod browser;
mod clients;
mod hanging;
mod hostile;
mod kept;
mod pages;
mod reading;
mod secrets;
mod users;
mod writing;

//! `serve`: Oozie's web services over HTTP.

mod browser;
mod clients;
mod hanging;
mod hostile;
mod kept;
mod pages;
mod reading;
mod users;
mod writing;

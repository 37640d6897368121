//! Datasets and their instances (coordinator specification 5 and 6.6).
//!
//! Values in, values out. Must not depend on files (it queries [`Presence`]), jobs or statuses.

mod definition;
pub(crate) mod instance;
mod search;
#[cfg(test)]
pub(crate) mod testing;
mod uri;
mod uri_template;

pub(crate) use definition::{Dataset, DoneFlag};
pub(crate) use search::{Presence, Reach, Search, SearchResult};
pub(crate) use uri::check_uri;
pub(crate) use uri_template::UriTemplate;

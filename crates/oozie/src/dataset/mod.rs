//! Datasets and their instances (coordinator specification 5 and 6.6).
//!
//! Values in, values out. Must not depend on files (it queries [`Presence`]), jobs or statuses.

mod definition;
pub mod instance;
mod search;
#[cfg(test)]
pub mod testing;
mod uri;
mod uri_template;

pub use definition::Dataset;
pub(crate) use definition::DoneFlag;
pub use search::{Presence, Reach, Search, SearchResult};
pub use uri::check_uri;
pub use uri_template::UriTemplate;

//! howdah runs Apache Oozie coordinator and workflow definitions on one machine.
//!
//! The modules in reading order, lowest layer first; `ARCHITECTURE.md` states which module may import which, and
//! `tests/project/layers.rs` checks it.

mod cli;
mod output;

pub use cli::run;
#[cfg(feature = "serve")]
#[doc(hidden)]
pub use cli::serve::Alone;
pub use howdah_host::session::Session;

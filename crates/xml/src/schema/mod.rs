//! The published Oozie schemas as tables, and the validator that checks a document against them.
//!
//! One file per schema family; a table serves all versions of its family. Checks element names and simple types only:
//! the readers of the definitions check whether a date is valid or a node exists.

mod bundle;
mod coordinator;
mod extension_action;
mod family;
mod help;
mod kind;
mod matcher;
mod particle;
mod scope;
mod shared;
mod simple_type;
mod sla;
#[cfg(test)]
mod tests;
mod validator;
mod version;
mod workflow;
mod workflow_action;

pub use kind::{DocumentKind, kind_of};
pub use validator::check;
pub use version::{SchemaVersion, split_namespace};

pub use particle::Edition;
pub use validator::check_as;

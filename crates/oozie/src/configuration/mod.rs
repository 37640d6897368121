//! Job properties: Java properties files, Hadoop configuration XML, substitution, reserved names, parameters.
//!
//! Decides the configuration of a submitted job. Takes texts and maps and returns maps. Must not depend on the file or
//! command line they came from, or evaluate expressions.

mod document;
mod misspelt;
mod parameters;
mod properties;
mod properties_writer;
mod reserved;
mod submit;
mod substitute;

pub use document::{read_configuration, with_user_names, write_configuration};
pub use parameters::{apply_parameters, parameters};
pub use properties::{ParsedProperties, parse_properties};
pub use properties_writer::write_properties;
pub use reserved::is_reserved;
pub use submit::{check_default_file, check_storable, complete, job_configuration};
pub use substitute::{resolve, resolve_parsed, unresolved};

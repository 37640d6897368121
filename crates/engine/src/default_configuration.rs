//! The default configuration file beside an application.

use crate::definition_file;
use howdah_host::located::Located;
use howdah_oozie::configuration::{self, ParsedProperties};
use howdah_words::error::{Error, Result};
use howdah_xml as xml;

/// Returns the default configuration file beside an application; empty when there is none.
///
/// # Errors
/// What the machine refuses, and what is no configuration (E0700).
pub fn default_configuration(folder: Option<&Located>, name: &str) -> Result<Vec<ParsedProperties>, Vec<Error>> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    match definition_file::read_beside(folder, name).map_err(|error| vec![error])? {
        Some(text) => {
            let document = xml::read(&text)?;
            Ok(vec![configuration::read_configuration(&document.root, &text).map_err(|error| vec![error])?])
        }
        None => Ok(Vec::new()),
    }
}
